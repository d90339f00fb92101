"""How uci_engine/data/openings.epd was made, and how to make another such set:

    python -m uci_engine.arena.make_openings --out openings.epd --count 800 --seed 1

Each opening is a walk from the start position: at each move the engine looks at all moves for a
few nodes, and one of those near the best is drawn. What comes out is searched longer, and kept
when neither side is better off. Attempt number N depends on the seed and on N only, so that a run
that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core_ext.core import Searcher
from uci_engine import Board
from uci_engine.arguments import Parser, count_number, whole_number
from uci_engine.files import read_text

ATTEMPT = re.compile(r'id "\S+ (\d+)"')


@dataclass(frozen=True)
class Recipe:
    seed: int
    shortest: int = 6  # plies
    longest: int = 10
    choices: int = 8  # the best so many moves
    margin: int = 45  # centipawns that a drawn move may be worse than the best
    walk_nodes: int = 6_000
    check_nodes: int = 150_000
    balance: int = 35  # centipawns that either side may be ahead in the end


def draw_move(searcher: Searcher, board: Board, recipe: Recipe, chance: random.Random) -> bool:
    """Make one of the moves near the best. False when there is no sound one."""
    searcher.clear()
    searcher.prepare()
    found = searcher.search(board, nodes=recipe.walk_nodes, multipv=recipe.choices)
    lines = [info for info in found.infos if info.pv and info.mate is None]
    if not lines:
        return False
    best = max(info.score for info in lines)
    near = [info.pv[0] for info in lines if info.score >= best - recipe.margin]
    board.push(chance.choice(near))
    return True


def attempt(searcher: Searcher, recipe: Recipe, number: int) -> tuple[Board, int] | None:
    """A position and its score for White, or nothing when it is no balanced opening."""
    chance = random.Random(f"{recipe.seed} {number}")
    board = Board()
    for _ in range(chance.randint(recipe.shortest, recipe.longest)):
        if not draw_move(searcher, board, recipe, chance):
            return None
    searcher.clear()
    searcher.prepare()
    found = searcher.search(board, nodes=recipe.check_nodes)
    if found.mate is not None or abs(found.score) > recipe.balance or board.is_check():
        return None
    return board, found.score if board.turn else -found.score


def make(recipe: Recipe, first: int, known: set[str]) -> Iterator[tuple[int, Board, int]]:
    """Openings without end, with the numbers of their attempts."""
    searcher = Searcher(hash_mb=16)
    number = first
    while True:
        made = attempt(searcher, recipe, number)
        if made is not None:
            position = " ".join(made[0].fen().split()[:4])
            if position not in known:
                known.add(position)
                yield number, *made
        number += 1


def read_made(path: Path) -> tuple[int, set[str]]:
    """The next attempt and the positions of a file that was begun before."""
    if not path.exists():
        return 0, set()
    following, known = 0, set()
    for line in read_text(path).splitlines():
        if match := ATTEMPT.search(line):
            following = int(match[1]) + 1
            known.add(" ".join(line.split()[:4]))
    return following, known


def main(arguments: Sequence[str]) -> int:
    parser = Parser(prog="make_openings", description="Make balanced openings.")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--count", type=count_number, default=800, metavar="N")
    parser.add_argument("--seed", type=whole_number, default=1, metavar="N")
    options: argparse.Namespace = parser.parse_args(arguments)
    recipe = Recipe(options.seed)
    first, known = read_made(options.out)
    wanted = options.count - len(known)
    with options.out.open("a", encoding="utf-8") as out:
        for (number, board, score), left in zip(
            make(recipe, first, known), range(wanted - 1, -1, -1), strict=False
        ):
            position = " ".join(board.fen().split()[:4])
            mover = score if board.turn else -score
            moves = board.fullmove_number
            out.write(
                f"{position} hmvc {board.halfmove_clock}; fmvn {moves}; ce {mover}; "
                f'id "{recipe.seed} {number}";\n'
            )
            out.flush()
            print(f"attempt {number}: {left} left", file=sys.stderr)
            if not left:
                break
    return 0


if __name__ == "__main__":
    from uci_engine.cli import run_quietly

    sys.exit(run_quietly(main, sys.argv[1:]))
