"""The arena: engines play engines, and the results come with error bars.

Rooms, from the bottom: `players`, `results`, `play`, `show`; on top the commands `match` and
`suite`. None imports from one above it.
"""
