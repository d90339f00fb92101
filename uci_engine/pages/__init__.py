"""One style for every page: boards, plots, tables, games to replay. Nothing in them is fetched."""
