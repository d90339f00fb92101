"""The arena: engines play engines, and the results come with error bars."""
