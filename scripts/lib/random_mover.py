"""A UCI engine that plays any legal move: the zero of every scale."""

from __future__ import annotations

import random
import sys

from uci_engine import Board


def answer(words: list[str], board: Board, rng: random.Random) -> list[str]:
    match words:
        case ["uci"]:
            return ["id name random mover", "uciok"]
        case ["isready"]:
            return ["readyok"]
        case ["go", *_]:
            return [f"bestmove {rng.choice(list(board.legal_moves()))}"]
    return []


def read_position(words: list[str]) -> Board:
    setup, moves = words, list[str]()
    if "moves" in words:
        place = words.index("moves")
        setup, moves = words[:place], words[place + 1 :]
    board = Board() if setup == ["startpos"] else Board(" ".join(setup[1:]))
    for move in moves:
        board.push_uci(move)
    return board


def main() -> None:
    board, rng = Board(), random.Random()
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            return
        if words[:1] == ["position"]:
            board = read_position(words[1:])
        for text in answer(words, board, rng):
            print(text, flush=True)


if __name__ == "__main__":
    main()
