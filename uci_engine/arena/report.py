"""A tournament as one HTML page, with nothing in it that would have to be fetched."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from pathlib import Path

from uci_engine import Board
from uci_engine.arena.digest import Digest, make_digest
from uci_engine.arena.game import GameRecord
from uci_engine.arena.journal import read_games
from uci_engine.arena.pgn import PgnWriter
from uci_engine.arena.plots import Line, bars, error_bars, line_plot
from uci_engine.arena.ratings import Fit, fit_ratings
from uci_engine.arena.stats import elo_estimate, likelihood_of_superiority, normalized_elo
from uci_engine.arena.tables import score_cell
from uci_engine.arena.tournament import Description
from uci_engine.files import replace_text

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fdfdfb;
  --rule: #d9dde3; --c0: #1f6fb2; --c1: #c2571a; --c2: #2c8a57; --c3: #8a4fb0; --c4: #b08900;
  --c5: #b03060; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4;
  --paper: #14181e; --rule: #333b46; --c0: #62aee8; --c1: #f0935a; --c2: #6cc795;
  --c3: #c39be0; --c4: #dcbc50; --c5: #e87fa4; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p.note, figcaption { color: var(--soft); font-size: .9rem; margin: .2rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; color: var(--soft); } td.name, th.name { text-align: left; }
td.self { color: var(--rule); }
figure { margin: 0 0 1rem; } svg { width: 100%; height: auto; display: block; }
.games { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1.5rem; }
.board svg { max-width: 22rem; }
.moves { font-size: .85rem; max-height: 12rem; overflow-y: auto; }
text.label { fill: var(--soft); font: 11px system-ui, sans-serif; }
line.grid { stroke: var(--rule); } line.mark { stroke: var(--soft); stroke-dasharray: 5 4; }
.line { fill: none; stroke-width: 2; } .band { fill: var(--c0); opacity: .18; }
.dot, .bar { fill: var(--c0); }
""" + "".join(f".c{n} {{ stroke: var(--c{n}); }}\n" for n in range(6))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """The first `names` columns are words, the others figures."""

    def line(tag: str, cells: Sequence[str]) -> str:
        parts = []
        for index, cell in enumerate(cells):
            kind = ' class="name"' if index < names else ' class="self"' if cell == "-" else ""
            parts.append(f"<{tag}{kind}>{escape(cell)}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f'<div class="scroll"><table>{line("th", head)}{body}</table></div>'


def section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def figure(picture: str, caption: str = "") -> str:
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{picture}{words}</figure>" if picture else ""


def ranking_section(digest: Digest, fit: Fit) -> str:
    standings = digest.standings
    rows = []
    for rating in fit.ratings:
        total = standings.total(rating.player)
        rows.append(
            [
                standings.names[rating.player],
                f"{rating.elo:+.1f}",
                f"±{rating.error:.1f}",
                str(total.games),
                f"{total.points:g}",
                f"{100 * total.score:.1f}%",
                f"{total.wins}",
                f"{total.draws}",
                f"{total.losses}",
            ]
        )
    head = ["player", "Elo", "95%", "games", "points", "score", "wins", "draws", "losses"]
    marks = [(standings.names[r.player], r.elo, r.error) for r in fit.ratings]
    note = (
        f"Maximum likelihood, relative to the mean of the field. White's advantage is "
        f"{fit.white_advantage:.0f} Elo; equal players draw {100 * fit.draw_chance:.0f}% of games."
    )
    return section("Ratings", table(head, rows), figure(error_bars("Ratings", marks), note))


def cross_section(digest: Digest, fit: Fit) -> str:
    standings = digest.standings
    order = [rating.player for rating in fit.ratings]
    rows = [
        [
            standings.names[player],
            *("-" if o == player else score_cell(standings.against(player, o)) for o in order),
        ]
        for player in order
    ]
    head = ["points / games", *(standings.names[player] for player in order)]
    return section("Crosstable", table(head, rows))


def match_section(description: Description, digest: Digest) -> str:
    """The figures of two players, and how they came about."""
    tally = digest.standings.tally()
    moments = tally.moments()
    elo, nelo = elo_estimate(moments), normalized_elo(moments)
    rows = [
        ["score", f"{tally.points:g} of {tally.games} ({100 * tally.score:.1f}%)"],
        ["Elo", f"{elo} (95%)"],
        ["normalised Elo", f"{nelo} (95%)"],
        ["likelihood of superiority", f"{100 * likelihood_of_superiority(moments):.1f}%"],
        ["draws", f"{100 * tally.draw_ratio:.1f}%"],
        ["pairs with 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))],
    ]
    parts = [table([f"{digest.standings.names[0]} against {digest.standings.names[1]}", ""], rows)]
    if len(digest.elo) > 1:
        points = [(games, value) for games, value, _, _ in digest.elo]
        band = [(games, low, high) for games, _, low, high in digest.elo]
        plot = line_plot("Elo over games", [Line(points, band=band)], "games", [(0.0, "")])
        parts.append(figure(plot, "Elo over games, with its 95% interval"))
    sprt = description.sprt
    if sprt is not None and digest.llr:
        marks = [(sprt.lower, f"H0: {sprt.elo0:g}"), (sprt.upper, f"H1: {sprt.elo1:g}")]
        plot = line_plot("LLR over games", [Line(digest.llr)], "games", marks)
        caption = (
            f"Log-likelihood ratio over games; {sprt.model} Elo {sprt.elo0:g} against "
            f"{sprt.elo1:g}, bounds {sprt.lower:.2f} and {sprt.upper:.2f}"
        )
        parts.append(figure(plot, caption))
    return section("The match", *parts)


def ends_section(digest: Digest) -> str:
    standings = digest.standings
    rows = [(reason, float(count)) for reason, count in standings.reasons.most_common()]
    parts = [figure(bars("How games ended", rows))]
    faults = [
        [name, reason, str(count)]
        for name, counts in zip(standings.names, standings.faults, strict=True)
        for reason, count in counts.items()
    ]
    if faults:
        parts.append(table(["at fault", "what", "games"], faults, names=2))
    return section("How games ended", *parts)


def time_section(digest: Digest) -> str:
    rows = []
    for name, use in zip(digest.standings.names, digest.times, strict=True):
        rows.append(
            [
                name,
                str(use.moves),
                f"{use.mean_ms:.1f}",
                f"{use.longest_ms:.0f}",
                f"{use.seconds:.0f}",
                f"{use.mean_depth:.1f}",
                f"{use.speed:,.0f}".replace(",", " "),
            ]
        )
    head = ["player", "moves", "ms a move", "longest ms", "seconds", "depth", "nodes/s"]
    lines = [
        Line(use.curve(), name)
        for name, use in zip(digest.standings.names, digest.times, strict=True)
        if use.moves
    ]
    plot = line_plot("Time by move", lines, "move after the opening")
    return section("Time use", table(head, rows), figure(plot, "Mean milliseconds by move"))


def game_card(title: str, record: GameRecord, writer: PgnWriter) -> str:
    import chess.svg

    board = Board(record.fen, chess960=record.chess960)
    for move in record.moves:
        board.push_uci(move)
    final = board.to_chess()
    check = final.king(final.turn) if final.is_check() else None
    last = final.move_stack[-1] if final.move_stack else None
    picture = chess.svg.board(final, lastmove=last, check=check, size=360)
    names = f"{writer.specs[record.white].name} - {writer.specs[record.black].name}"
    detail = f" ({record.detail})" if record.detail else ""
    moves = " ".join(writer.movetext(record, Board(record.fen, chess960=record.chess960)))
    return (
        f'<figure class="board"><figcaption><strong>{escape(title)}</strong>: game '
        f"{record.number + 1}, {escape(names)} {record.result}, {escape(record.reason)}"
        f"{escape(detail)}, {len(record.moves)} plies</figcaption>{picture}"
        f'<p class="moves">{escape(moves)}</p></figure>'
    )


def games_section(description: Description, digest: Digest) -> str:
    writer = PgnWriter(description.engines, comments="none")
    cards = [
        game_card(title, record, writer)
        for title, record in (("The longest", digest.longest), ("The shortest", digest.shortest))
        if record is not None
    ]
    return section("Two games", f'<div class="games">{"".join(cards)}</div>')


def players_section(description: Description) -> str:
    rows = []
    for spec in description.engines:
        options = ", ".join(
            f"{name}={value}" for name, value in (*spec.shared_options, *spec.options)
        )
        rows.append([spec.name, " ".join(spec.command), options or "none", str(spec.control)])
    head = ["player", "command", "options", "limit"]
    return section("Players", table(head, rows, names=4))


def page(description: Description, digest: Digest, total: int) -> str:
    standings = digest.standings
    fit = fit_ratings(standings.by_colour, len(standings.names))
    place = description.openings.path.rpartition("/")[2] or "the project's own set"
    summary = (
        f"{standings.games} of {total} games, {description.form}; openings: {place}, "
        f"{description.openings.order}, seed {description.openings.seed}. "
        f"Written {time.strftime('%Y-%m-%d %H:%M')}."
    )
    parts = [match_section(description, digest)] if len(standings.names) == 2 else []
    parts += [
        ranking_section(digest, fit),
        cross_section(digest, fit),
        ends_section(digest),
        time_section(digest),
        games_section(description, digest),
        players_section(description),
    ]
    title = escape(f"{description.event}: {' - '.join(standings.names)}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{title}</h1>\n<p class="note">{escape(summary)}</p>\n'
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def write_report(journal: Path, target: Path, total: int) -> None:
    """From the journal alone: it can be made at any time, also of a running tournament."""
    description = Description.read(journal)
    names = [spec.name for spec in description.engines]
    digest = make_digest(names, read_games(journal), total, description.sprt)
    if not digest.standings.games:
        return
    replace_text(target, [page(description, digest, total)])
