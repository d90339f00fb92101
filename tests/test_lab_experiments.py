"""`cythera lab`: what each experiment says, draws and writes down, and what it refuses."""

from __future__ import annotations

import json
import re
from math import log, sqrt
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from arena_tools import run
from browser import Page, browse
from uci_process import KIWIPETE

from uci_engine.lab import command
from uci_engine.lab.algorithms import alphabeta
from uci_engine.lab.experiments import evaluation_error, ladder, opponents, pruning, tree
from uci_engine.lab.game import MAX, Visits
from uci_engine.lab.games import nim
from uci_engine.lab.studies import POSITIONS, growth
from uci_engine.lab.trace import trace_game
from uci_engine.lab.trees import TreeGame, random_tree

pytestmark = pytest.mark.release_only


def experiment(name: str, out: Path, *settings: str) -> tuple[str, Any]:
    """What it prints, and its plain values; its pictures must be pictures."""
    answer = run("lab", name, *settings, "--out", out)
    assert answer.returncode == 0, answer.stderr
    pictures = sorted(out.glob(f"{name}*.svg"))
    assert pictures
    for picture in pictures:
        root = ElementTree.parse(picture).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(root.iter())) > 10
    return answer.stdout, json.loads((out / f"{name}.json").read_text())


# ---- the command


def test_without_a_name_the_experiments_are_listed() -> None:
    answer = run("lab")
    assert answer.returncode == 0
    for name in command.EXPERIMENTS:
        assert sum(line.split()[:1] == [name] for line in answer.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["horizon", "--depth", "12", "--fen", KIWIPETE], "alpha-beta to depth 12 would visit"),
        (["no-such"], "no experiment 'no-such'; there are pruning, "),
        (["all"], "--out"),
        (["pruning", "--depth", "12"], "would visit about"),
        (["pruning", "--depth", "x"], "not a whole number: 'x'"),
        (["pruning", "--fen", "8/8/8"], "bad FEN"),
        (["pruning", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "the game is over"),
        (["tree", "[[3, 4], []]"], "no tree"),
        (["tree", "[3, "], "no tree"),
        (["tree", "[3, NaN]"], "its numbers must be from"),
        (["tree", f"[3, {10**400}]"], "its numbers must be from"),
        (["tree", "chess", "--depth", "12"], "too many to be drawn"),
        (["tree", "chess:8/8"], "bad FEN"),
        (["tree", "nim:99"], "nim needs a number from 1 to 12"),
        (["tree", "tictactoe:xxx"], "nine cells"),
        (["tree", "go"], "there is no game 'go'"),
        (["tree", "dice:3"], "dice needs a number from 1 to 2"),
        (["tree", "chance", "--algorithm", "minimax"], "minimax knows no chance"),
        (["tree", "chance", "--depth", "1"], "goes to the end of a game"),
        (["tree", "three", "--depth", "1"], "minimax-n goes to the end of a game"),
        (["tree", "three", "--algorithm", "alphabeta"], "alphabeta knows no third player"),
        (["tree", "notes", "--algorithm", "minimax-n"], "is for more than two players"),
        (["tree", f"chess:{KIWIPETE}", "--depth", "3"], "too many to be drawn"),
        (["tree", "tictactoe:xxxoo...."], "the game is over before it begins"),
        (["evaluation-error", "--sigma", "0"], "must be from 0.01"),
        (["mcts", "--games", "1"], "must be from 2"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(arguments: list[str], words: str) -> None:
    answer = run("lab", *arguments)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert len(answer.stderr.splitlines()) == 1
    assert words in answer.stderr


def test_a_directory_that_can_not_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = run("lab", "ucb1", "--out", tmp_path / "file" / "below")
    assert answer.returncode == 2
    assert len(answer.stderr.splitlines()) == 1


# ---- the experiments


def test_pruning(tmp_path: Path) -> None:
    said, data = experiment("pruning", tmp_path, "--depth", "5", "--fen", POSITIONS["ending"])
    assert data["agree"] is True
    assert "agree on the value of every depth" in said
    nodes = data["nodes"]
    last = {name: counts[-1] for name, counts in nodes.items()}
    assert last["minimax"] >= last["alpha-beta, worst order"]
    assert (
        last["alpha-beta, worst order"]
        > last["alpha-beta, random order"]
        > last["alpha-beta, the engine's order"]
    )
    assert last["alpha-beta, perfect order"] < last["alpha-beta, random order"]
    assert 1.5 < data["depth_ratio"] < 2.5  # the notes: twice the depth


def test_random_order_grows_as_the_notes_say() -> None:
    """b^(3/4) for reasonable b, b/ln b for large; the factor for b = 2 is the golden ratio."""
    assert pruning.random_order_factor(2) == pytest.approx((1 + sqrt(5)) / 2)
    assert pruning.random_order_factor(35) == pytest.approx(35**0.75, rel=0.15)
    for width in (10**6, 10**9):
        exact, small, large = (
            pruning.random_order_factor(width), width**0.75, width / log(width)
        )  # fmt: skip
        assert abs(large - exact) < abs(small - exact)
    counts = []
    for depth in (6, 10):  # measured, where a tree can be searched
        rng, visits = Random(1), Visits()
        for _ in range(20):
            tree = random_tree(rng, 3, depth, 10**9)
            alphabeta(TreeGame(tree), tree, visits)
        counts.append((depth, visits.leaves))
    assert growth(counts) == pytest.approx(pruning.random_order_factor(3), rel=0.1)


def test_growth_is_the_factor_of_a_geometric_series() -> None:
    assert growth([(depth, 7 * 3.5**depth) for depth in range(1, 6)]) == pytest.approx(3.5)


def test_horizon_throws_two_pawns_and_quiescence_does_not(tmp_path: Path) -> None:
    """The notes' case: ...e3+ and ...f4+ for nothing but to see the bishop a little longer."""
    _, data = experiment("horizon", tmp_path)
    searches = data["searches"]
    assert searches["fixed depth"]["pv"][::2] == ["e4e3", "f5f4"]
    assert searches["with quiescence"]["move"] == "a2b3"
    assert searches["the engine, classical"]["move"] == "a2b3"


def test_ordering(tmp_path: Path) -> None:
    _, data = experiment("ordering", tmp_path, "--depth", "3")
    settings = data["settings"]
    shares = {name: row["first"] / row["cutoffs"] for name, row in settings.items()}
    assert shares["all of them"] > 0.8
    assert shares["none of them"] < shares["without captures"] < shares["all of them"]
    assert settings["none of them"]["nodes"] > settings["all of them"]["nodes"]
    assert len(settings) == 2 + 6


def test_evaluation_error_gives_the_notes_71_and_58_percent(tmp_path: Path) -> None:
    said, data = experiment("evaluation-error", tmp_path, "--samples", "100000")
    for sigma, share in (("5", 0.71), ("2", 0.58)):
        found = data["sigma"][sigma]
        assert round(found["exact"], 2) == share
        assert abs(found["share"] - found["exact"]) < 2 * found["error"]
        assert f"{100 * share:.0f}%" in said
    assert evaluation_error.exact(1.4) < 0.5 < evaluation_error.exact(1.6)  # as the remark says


def test_ucb1_gives_the_notes_figures(tmp_path: Path) -> None:
    said, data = experiment("ucb1", tmp_path)
    assert 1.4 < data["turning_point"] < 1.5
    rounded = {
        c: [round(values[name], 2) for name in ("60/79", "2/11")]
        for c, values in data["scores"].items()
    }
    assert rounded == {"1.4": [1.10, 1.09], "1.5": [1.12, 1.15]}
    for after in ("61/80", "28/36", "16/54", "37/101"):
        assert after in said


def test_mcts_plays_alpha_beta(tmp_path: Path) -> None:
    _, data = experiment("mcts", tmp_path, "--budgets", "1", "2", "--games", "2")
    assert all(sum(row.values()) == 2 for row in data["budgets"].values())
    assert len(data["budgets"]) == 2


def test_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    players = {name: ladder.PLAYERS[name] for name in ("pvs classical", "minimax material")}
    players["mcts playouts"] = ladder.PLAYERS["mcts playouts"]
    monkeypatch.setattr(ladder, "PLAYERS", players)
    _, data = experiment("ladder", tmp_path, "--time", "5")
    assert data["ratings"].keys() == players.keys()
    elo = {name: rating["elo"] for name, rating in data["ratings"].items()}
    assert elo["pvs classical"] == max(elo.values())
    assert 20 < data["branching"] < 50  # the notes: about 35
    assert 16 < data["length"] < 2 * 120 + 20


def test_depth(tmp_path: Path) -> None:
    said, data = experiment("depth", tmp_path, "--nodes", "100000")
    depths = {name: sum(row["depths"]) for name, row in data["searches"].items()}
    assert (
        depths["minimax, material"]
        < depths["alphabeta, material"]
        < depths["alphabeta, material, engine's order"]
        < min(depths["pvs, classical"], depths["pvs, nnue (the engine)"])
    )
    assert 7 < data["decent_depth"] < 9  # the notes: about 8
    assert "200 million" in said
    for row in data["searches"].values():
        assert row["longest"] >= max(row["depths"])


@pytest.mark.parametrize(
    ("settings", "nodes", "visited", "value"),
    [
        (["notes"], 13, 11, 3),
        (["notes", "--algorithm", "minimax"], 13, 13, 3),
        (["[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"], 13, 11, 3),
        (["nim:4", "--algorithm", "minimax"], 1 + 3 + 6 + 4 + 1, 15, -1),
        (["coins:4", "--algorithm", "minimax"], 1 + 2 + 4 + 4 + 1, 12, -1),
        (["chance"], 1 + 2 + 4 + 8, 15, 0.9 * 2 + 0.1 * 1),
        (["dice:1"], 1 + 2 + 6, 9, 1),
        ([f"{'[' * 40}7{']' * 40}"], 41, 41, 7),
        (["tictactoe:xoxoxo...", "--algorithm", "minimax"], 1 + 3 + 2 + 2, 8, 1),
        (["chess:7k/8/6K1/8/8/8/8/R7 w - - 0 1", "--depth", "1"], 21, 21, 31999),
    ],
)
def test_tree(tmp_path: Path, settings: list[str], nodes: int, visited: int, value: float) -> None:
    _, data = experiment("tree", tmp_path, *settings)
    assert (data["nodes"], data["visited"]) == (nodes, visited)
    assert data["value"] == pytest.approx(value)


def test_three_players_are_drawn_with_what_an_alliance_would_gain(tmp_path: Path) -> None:
    """By hand: alone (1, 2, 6). C takes (6, 1, 2) and (5, 4, 5) all the same if A and B play for
    their sum, so that they get 5 and 4."""
    said, data = experiment("tree", tmp_path, "three")
    assert (data["nodes"], data["value"]) == (15, [1, 2, 6])
    rows = {line.split("  ")[0]: line for line in said.splitlines()}
    assert "(5, 4, 5)" in rows["A and B"]
    assert "both gain" in rows["A and B"]
    assert "not both gain" in rows["B and C"]
    root = ElementTree.parse(tmp_path / "tree.svg").getroot()
    texts = ["".join(node.itertext()) for node in root.iter() if node.get("class") == "value"]
    assert "A: (1, 2, 6)" in texts
    assert texts.count("B: (1, 2, 6)") == texts.count("B: (1, 5, 2)") == 1
    assert sum(words.startswith("C: ") for words in texts) == 4


def test_the_prisoners_have_no_tree(tmp_path: Path) -> None:
    """Years of the notes: 10 each if both deny, 5 if both accept, else 0 and 10."""
    said, data = experiment("tree", tmp_path, "prisoners")
    assert data["years"] == {
        "accept, accept": 5, "deny, accept": 0, "accept, deny": 10, "deny, deny": 10
    }  # fmt: skip
    assert data["denying_dominates"] is True
    assert ["deny", "deny"] in data["equilibria"]
    assert ["accept", "accept"] not in data["equilibria"]
    assert "no tree of turns" in said


def test_a_drawn_tree_shows_every_node_once(tmp_path: Path) -> None:
    experiment("tree", tmp_path, "notes")
    root = ElementTree.parse(tmp_path / "tree.svg").getroot()
    kinds = [node.get("class") for node in root.iter()]
    assert kinds.count("node") == 4
    assert kinds.count("leaf") == 7
    assert kinds.count("leaf cut") == 2
    assert kinds.count("slash") == 2
    windows = ["".join(node.itertext()) for node in root.iter() if node.get("class") == "window"]
    assert windows == ["[−∞, ∞]", "[3, ∞]", "[3, ∞]", "[−∞, ∞]"]  # noqa: RUF001


@pytest.mark.parametrize("name", ["nim:5", "nim:7", "coins:7", "tictactoe:xo.......", "notes"])
def test_a_drawn_tree_shows_each_visit_where_it_was(name: str) -> None:
    """The same states on other paths must not change the order: leaves have their own values."""
    game = tree.choose_game(name, 1)
    depth = 3 if name.startswith("tic") else 12
    evaluate = tree.evaluation_of(game)
    todo = [trace_game(game, "alphabeta", depth, evaluate)]
    while todo:
        node = todo.pop()
        if node.seen is None:
            assert all(child.seen is None for child in node.children)
        elif node.children:
            values = [child.seen.value for child in node.children if child.seen is not None]
            assert node.seen.value == (max if node.player == MAX else min)(values)
        else:
            assert node.seen.value == node.utility
        todo += node.children


def test_opponents(tmp_path: Path) -> None:
    """The value is a floor; who knows the weakness never gets less, and sometimes much more."""
    _, data = experiment("opponents", tmp_path)
    for title in ("tic-tac-toe", "tic-tac-toe, MIN begins"):
        wise, knowing = data[title]["minimax"], data[title]["knows the weakness"]
        assert wise["0"] == knowing["0"] == 0
        assert all(0 <= wise[errs] <= knowing[errs] + 1e-12 for errs in wise)
        assert list(wise.values()) == sorted(wise.values())
    second = data["tic-tac-toe, MIN begins"]
    assert second["knows the weakness"]["1"] > second["minimax"]["1"] + 0.1


def test_expectations_against_one_who_errs_by_hand() -> None:
    """Four stones, and a MIN who takes at random: if MAX takes one, MIN takes the other three with
    a chance of a third, and else loses. Minimax takes the first of moves that all lose: one."""
    contest = opponents.Contest(nim(4))
    assert contest.expected(contest.by_best_reply, 1.0) == pytest.approx(1 / 3)
    assert contest.expected(contest.by_minimax, 1.0) == pytest.approx(1 / 3)
    # One, two or three at random: 1/3, as likely won as lost, lost.
    assert contest.expected(contest.at_random, 1.0) < 0
    assert contest.expected(contest.by_best_reply, 0.0) == -1


def test_explain(tmp_path: Path) -> None:
    said, data = experiment("explain", tmp_path, "--depth", "5")
    assert list(data["depths"]) == ["1", "2", "3", "4", "5"]
    for lines in data["depths"].values():
        scores = [line["score"] for line in lines]
        assert scores == sorted(scores, reverse=True)
    assert "What speaks against the others" in said


# ---- pages


def test_all_experiments_are_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ("horizon", "evaluation-error", "ucb1", "tree", "practice", "opponents")
    monkeypatch.setattr(
        command, "EXPERIMENTS", {name: command.EXPERIMENTS[name] for name in chosen}
    )
    answer = run("lab", "all", "--out", tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert [line.split()[-1] for line in answer.stderr.splitlines() if " of 6: " in line] == [
        *chosen
    ]
    text = (tmp_path / "index.html").read_text()
    page = Page(text)
    assert page.links == ["practice.html"]  # which lies beside it
    assert (tmp_path / "practice.html").is_file()
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    for name in chosen:
        assert f"cythera lab {name}" in " ".join(page.texts)
        assert text.count(f'href="#{name}"') == text.count(f'id="{name}"') == 1
        assert (tmp_path / f"{name}.json").exists()
    shown = browse(tmp_path / "index.html")
    assert shown.count("<svg") == text.count("<svg") == 7  # two of the opponents, else one each
