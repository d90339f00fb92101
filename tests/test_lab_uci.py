"""The searches of the lecture notes as engines: by UCI, under clocks, against each other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import chess
import pytest
from arena_tools import match, run
from uci_process import COMMAND, EngineProcess, assert_answer, field

from core_ext.core import ALGORITHMS

pytestmark = pytest.mark.release_only

STUDIES = [name for name in ALGORITHMS if name != "pvs"]
FEN = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8"


@pytest.mark.parametrize("algorithm", STUDIES)
def test_each_obeys_limits_and_stop(algorithm: str) -> None:
    board = chess.Board(FEN)
    with EngineProcess() as engine:
        engine.send(f"setoption name Algorithm value {algorithm}", f"position fen {FEN}")
        for go in ("go depth 3", "go movetime 30", "go wtime 500 btime 500", "go nodes 3000"):
            lines = engine.go(go)
            assert_answer(lines, board)
            if "nodes" in go:
                assert field(lines[-2], "nodes") <= 3000
        engine.send("go infinite")
        told = engine.read_until("info depth")  # perhaps all that is told
        engine.send("stop")
        assert_answer([*told, *engine.read_until("bestmove")], board)
        lines = engine.go("go movetime 50 searchmoves a2a3 h2h3")
        assert lines[-1].split()[1] in ("a2a3", "h2h3")


@pytest.mark.parametrize("algorithm", STUDIES)
def test_pondering_ends_by_the_clock(algorithm: str) -> None:
    board = chess.Board(FEN)
    with EngineProcess() as engine:
        engine.send(f"setoption name Algorithm value {algorithm}", f"position fen {FEN}")
        engine.send("go ponder wtime 2000 btime 2000")
        told = engine.read_until("info depth")
        engine.send("ponderhit")
        assert_answer([*told, *engine.read_until("bestmove")], board)


def test_options_are_declared_and_refused_like_the_others() -> None:
    with EngineProcess() as engine:
        engine.send("uci")
        lines = engine.read_until("uciok")
        algorithm = next(line for line in lines if line.startswith("option name Algorithm"))
        assert algorithm.endswith(
            "default pvs var pvs var minimax var alphabeta var alphabeta-quiescence var mcts"
        )
        evaluation = next(line for line in lines if line.startswith("option name Evaluation"))
        assert " var material" in evaluation
        assert " var turing" in evaluation
        assert any(line.startswith("option name MCTS C type spin") for line in lines)
        said = engine.ask("setoption name Algorithm value maximin")
        assert len(said) == 1
        assert "Algorithm takes pvs or minimax" in said[0]


def test_a_chosen_evaluation_is_the_one_that_is_told() -> None:
    """After 1. e4 d5 2. exd5 White is a pawn up: 100 of material, 4000·ln(40/39) of Turing's."""
    with EngineProcess() as engine:
        engine.send("position startpos moves e2e4 d7d5 e4d5")
        for evaluation, score in (("material", -100), ("turing", -101)):
            engine.send("setoption name Algorithm value minimax")
            engine.send(f"setoption name Evaluation value {evaluation}")
            lines = engine.go("go depth 1 searchmoves a7a6")
            assert field(lines[-2], "cp") == score
            (said,) = engine.ask("eval")  # and no terms of the classical one
            assert said.startswith(f"Evaluation: {-score:+} centipawns, from White's side: ")


def test_they_play_each_other_under_clocks(tmp_path: Path) -> None:
    """Whole games by pipes, with no fault of anybody's."""
    engines = [
        [f"cmd={shlex.join(COMMAND)}", f"name={name}", f"option.Algorithm={name}"]
        for name in STUDIES
    ]
    out = tmp_path / "games"
    each = ["tc=0.5+0.02", "margin=20000", "option.Evaluation=material", "option.Hash=4"]
    extra: list[str | Path] = ["--games", "2", "--maxmoves", "25", "--concurrency", "2"]
    answer = run(*match(*engines, extra=[*extra, "--out", out], each=each))
    assert answer.returncode == 0, answer.stderr
    results = json.loads(out.with_suffix(".json").read_text())
    assert results["games"] == 12
    assert all(player["faults"] == {} for player in results["players"])
