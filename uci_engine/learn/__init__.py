"""Learning from own games: data, tuning."""
