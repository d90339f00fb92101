"""Text of others, fit for a terminal and a file: one short line without control characters."""

from __future__ import annotations

LONGEST = 200
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def tame(text: str, longest: int = LONGEST) -> str:
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)


def is_tame(text: str, longest: int = LONGEST) -> bool:
    return len(text) <= longest and text.isprintable()
