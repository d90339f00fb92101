# pyright: strict
"""A program as users write them: type checkers find nothing wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import chess
import chess.engine
import numpy as np
import numpy.typing as npt

from uci_engine import AsyncEngine, Board, Engine, Move, Tablebase, batch, pgn

LIMIT = chess.engine.Limit(nodes=100)


def play(board: Board) -> tuple[Move, chess.Board]:
    move: Move = board.push_san("e4")
    reference = board.to_chess()
    if move in board.root().legal_moves and board.outcome() is None:
        reference.push(board.legal_moves()[0])
    return move, reference


def evaluate(boards: list[Board]) -> npt.NDArray[np.int16]:
    positions = batch.pack(boards)
    found = batch.search(positions, nodes=100, multipv=2, pv=3)
    print(found["score"], found["pv"])
    return batch.evaluate(positions)


def players(path: str) -> Iterator[tuple[str, int]]:
    for game in pgn.read(path, comments=True):
        yield game.headers["White"], len(game.moves)


def think(board: Board) -> chess.Move | None:
    with Engine(threads=2, hash_mb=16, elo=1500) as engine:
        for info in engine.analyse(board, LIMIT, multipv=2):
            print(info.get("score"), engine.options["Hash"].default)
        with engine.analysis(board) as analysis:
            print([info.get("depth") for info in analysis])
        return engine.play(board, LIMIT, ponder=True).move


async def think_aside(board: Board) -> chess.Move | None:
    async with AsyncEngine() as engine:
        with await engine.analysis(board, LIMIT) as analysis:
            async for info in analysis:
                print(info.get("depth"))
        return (await engine.play(board, LIMIT)).move


def main() -> None:
    move, reference = play(Board())
    print(move.uci(), reference.fen(), evaluate([Board()]).sum(), list(players("games.pgn")))
    print(think(Board()), asyncio.run(think_aside(Board())), Tablebase("tables").wdl(Board()))
