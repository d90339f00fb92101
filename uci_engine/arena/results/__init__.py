"""What finished games leave behind: records, journals, PGN, and what they are worth."""
