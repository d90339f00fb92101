"""Playing: who meets whom, from where, by which rules, on how many hands."""
