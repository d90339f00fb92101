"""The page to practise on, in a real browser: its solutions, its judgements and its reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arena_tools import run
from browser import Page, browse

from uci_engine.lab.experiments.practice import FIXED, as_json
from uci_engine.lab.game import MAX, Game
from uci_engine.lab.trace import Seen, Trace, trace_alphabeta
from uci_engine.lab.trees import TreeGame, grow

pytestmark = pytest.mark.release_only

SEEDS = 40

# Solves every exercise by the page's own functions, and hands out trees and solutions.
DUMP = """
const solved = {};
const strip = (node) => node.children ? node.children.map(strip) : node.utility;
const tell = (node) => ({
  visited: !!node.visited, value: node.value, alpha: String(node.alpha), beta: String(node.beta),
  children: (node.children || []).map(tell),
});
const take = (name, tree) => {
  solve(tree, "alphabeta");
  solved[name] = [strip(tree), tell(tree)];
};
for (const name of Object.keys(exercises.trees)) take(name, makeTree(name, 1));
for (let seed = 1; seed <= SEEDS; seed++) take(`seed ${seed}`, makeTree("random", seed));
const same = JSON.stringify(strip(randomTree(7))) === JSON.stringify(strip(randomTree(7)));
report({ solved, same });
"""

# Works like a student: types, clicks, and reads what is said.
WORK = """
const said = [];
const type = (id, text) => {
  const input = byId(id);
  input.value = text;
  input.dispatchEvent(new Event("change"));
  said.push([id, text, byId("said").className, byId("said").textContent, input.className]);
};
const cut = (number) => {
  document.querySelector(`.grip[data-node="${number}"]`).dispatchEvent(new Event("click"));
  said.push([number, "cut", byId("said").className, byId("said").textContent, ""]);
};
type("value1", "12"); type("value1", "12"); type("value1", "3"); type("value1", "three");
type("value1", "3"); type("alpha0", "-inf"); type("beta0", "inf");
type("alpha1", "\N{MINUS SIGN}∞"); type("beta1", "3"); type("beta1", "∞");
type("alpha5", "3"); type("beta5", "inf");
type("value5", "2"); cut(6); cut(6); cut(7); cut(8); type("alpha9", "3"); type("beta9", "inf");
type("value9", "2"); type("value0", "3");
const score = byId("score").textContent;
byId("again").click();
const fresh = byId("score").textContent;
byId("solve").click();
const shown = byId("score").textContent;
byId("mode").value = "minimax";
byId("mode").dispatchEvent(new Event("change"));
document.querySelector(`.grip[data-node="3"]`).dispatchEvent(
  new KeyboardEvent("keydown", { key: "Enter" }));
said.push([3, "cut", byId("said").className, byId("said").textContent, ""]);
byId("next").click();
report({ said, score, fresh, shown, kind: byId("kind").value, seed: byId("seed").value });
"""

REPORT = """
const report = (value) => {
  const out = document.createElement("pre");
  out.id = "out";
  out.textContent = JSON.stringify(value);
  document.body.append(out);
};
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("practice")
    assert run("lab", "practice", "--out", place).returncode == 0
    return place / "practice.html"


def drive(page: Path, script: str) -> Any:
    driven = page.with_name("driven.html")
    text = page.read_text().replace("</body>", f"<script>{REPORT}{script}</script></body>")
    driven.write_text(text)
    return json.loads(Page(browse(driven)).data["out"])


def test_nothing_is_fetched(page: Path) -> None:
    text = page.read_text()
    assert Page(text).links == []
    assert "url(" not in text


def test_every_solution_is_alpha_beta_s(page: Path) -> None:
    """Of the notes' trees and games, and of random trees; a seed makes its tree again."""
    found = drive(page, DUMP.replace("SEEDS", str(SEEDS)))
    assert found["same"] is True
    assert len(found["solved"]) == SEEDS + len(FIXED)
    cut = 0
    for nested, told in found["solved"].values():
        compare(told, trace_alphabeta(TreeGame(grow(nested))))
        cut += count_unvisited(told)
    assert cut > SEEDS / 2
    for name, (_, game) in FIXED.items():
        compare(found["solved"][name][1], trace_alphabeta(game))


def compare(told: dict[str, Any], seen: Seen | None) -> None:
    assert told["visited"] == (seen is not None)
    if seen is None:
        return
    assert told["value"] == seen.value
    if told["children"]:
        assert (float(told["alpha"]), float(told["beta"])) == (seen.alpha, seen.beta)
    children = [*seen.children, *[None] * (len(told["children"]) - len(seen.children))]
    for child, below in zip(told["children"], children, strict=True):
        compare(child, below)


def count_unvisited(told: dict[str, Any]) -> int:
    return (not told["visited"]) + sum(map(count_unvisited, told["children"]))


def test_entries_are_judged_at_once_with_a_reason(page: Path) -> None:
    found = drive(page, WORK)
    said = found["said"]
    kinds = [kind for _, _, kind, _, _ in said[:-1]]
    assert kinds == [
        "wrong", "wrong", "right", "wrong", "right",  # the first MIN node
        "right", "right", "right", "wrong", "right",  # windows; ∞ and minus signs of all kinds
        "right", "right", "right",  # the second MIN node
        "wrong", "", "right", "right",  # a branch that must be searched, and two that must not
        "right", "right", "right", "right",
    ]  # fmt: skip
    reasons = {(where, what): why for where, what, _, why, _ in said}
    assert "MIN takes the smallest of 3, 12, 8, which is 3" in reasons["value1", "3"]
    assert "Try once more" in said[0][3]
    assert "MIN takes the smallest" in said[1][3]
    assert "A number is needed" in reasons["value1", "three"]
    assert "the best value that MIN has found" in reasons["beta1", "∞"]
    assert "It must be searched" in said[13][3]
    assert "α = 3 ≥ β = 2" in reasons[7, "cut"]  # noqa: RUF001
    assert found["score"] == "14 of 14 right, 0 wrong. All of it is right."
    assert found["fresh"] == "0 of 14 right, 0 wrong."
    assert found["shown"] == found["score"]
    assert said[-1][2:4] == ["wrong", "No. Minimax searches everything."]
    assert (found["kind"], found["seed"]) == ("random", "1")


def test_the_trees_of_the_page_are_the_games(page: Path) -> None:
    data = json.loads(Page(page.read_text()).data["exercises"])

    def leaves(tree: dict[str, Any]) -> int:
        return sum(map(leaves, tree["children"])) if "children" in tree else 1

    counts = {name: leaves(entry["tree"]) for name, entry in data["trees"].items()}
    assert counts == {name: count_leaves(game) for name, (_, game) in FIXED.items()}
    assert as_json(FIXED["nim"][1], FIXED["nim"][1].initial)["player"] == MAX


def count_leaves(game: Game[Any, Any]) -> int:
    from uci_engine.lab.algorithms import minimax

    trace = Trace()
    minimax(game, game.initial, trace)
    return trace.leaves
