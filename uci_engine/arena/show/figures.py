"""A tournament's figures as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from uci_engine.arena.results.standings import Standings
from uci_engine.arena.results.stats import Tally

if TYPE_CHECKING:
    from uci_engine.arena.play.tournament import Tournament

BAR_WIDTH = 30


def score_lines(first: str, second: str, tally: Tally) -> list[str]:
    """The score of one player against another, and what it is worth."""
    worth = tally.figures
    return [
        f"Score of {first} vs {second}: {tally.wins} - {tally.losses} - {tally.draws}"
        f"  [{tally.score:.3f}] {tally.games}",
        f"Elo: {worth.elo}, nElo: {worth.normalized}, LOS: {100 * worth.superiority:.1f} %,"
        f" draws: {100 * tally.draw_ratio:.1f} %",
        f"Pairs (0 to 2 points): {tally.pairs}",
    ]


def columns(rows: Sequence[Sequence[str]], left: Sequence[int] = (1,)) -> list[str]:
    """Rows in columns; the numbers of those that are aligned at the left are given."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def ranking(standings: Standings) -> list[str]:
    from uci_engine.arena.results.ratings import fit_ratings

    fit = fit_ratings(standings.by_colour, len(standings.names))
    rows = [["", "player", "Elo", "+/-", "games", "points", "score", "draws"]]
    for place, rating in enumerate(fit.ratings, 1):
        total = standings.total(rating.player)
        rows.append(
            [
                str(place),
                standings.names[rating.player],
                f"{rating.elo:.1f}",
                f"{rating.error:.1f}",
                str(total.games),
                f"{total.points:g}",
                f"{100 * total.score:.1f}%",
                f"{100 * total.draw_ratio:.1f}%",
            ]
        )
    return columns(rows)


def crosstable(standings: Standings, order: Sequence[int]) -> list[str]:
    """Points of the player at the left against the one above, of how many games."""
    heads = [str(place) for place in range(1, len(order) + 1)]
    rows = [["", "player", *heads]]
    for place, player in enumerate(order, 1):
        cells = [
            "-" if other == player else score_cell(standings.against(player, other))
            for other in order
        ]
        rows.append([str(place), standings.names[player], *cells])
    return columns(rows)


def score_cell(tally: Tally) -> str:
    return f"{tally.points:g}/{tally.games}" if tally.games else "."


def sprt_line(tournament: Tournament) -> str:
    sprt = tournament.description.sprt
    assert sprt is not None
    llr = tournament.llr()
    verdict = f", {tournament.decision} accepted" if tournament.decision else ""
    return (
        f"SPRT: LLR {llr:.2f} ({sprt.lower:.2f}, {sprt.upper:.2f})"
        f" [{sprt.elo0:g}, {sprt.elo1:g}] {sprt.model}{verdict}"
    )


def llr_bar(tournament: Tournament) -> str:
    """Where the ratio stands between its two bounds."""
    sprt = tournament.description.sprt
    assert sprt is not None
    share = (tournament.llr() - sprt.lower) / (sprt.upper - sprt.lower)
    place = round(min(max(share, 0), 1) * (BAR_WIDTH - 1))
    zero = round(-sprt.lower / (sprt.upper - sprt.lower) * (BAR_WIDTH - 1))
    cells = ["-"] * BAR_WIDTH
    cells[zero] = "|"
    cells[place] = "#"
    return f"H0 [{''.join(cells)}] H1"


def progress_bar(done: int, total: int) -> str:
    filled = BAR_WIDTH * done // total if total else BAR_WIDTH
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total}"


def fault_lines(standings: Standings) -> list[str]:
    return [
        f"{name}: " + ", ".join(f"{count} x {reason}" for reason, count in faults.items())
        for name, faults in zip(standings.names, standings.faults, strict=True)
        if faults
    ]


def summary(tournament: Tournament) -> list[str]:
    """All there is to say: two players' figures, or a ranking of several."""
    standings = tournament.standings
    if len(standings.names) == 2:
        first, second = standings.names
        lines = score_lines(first, second, standings.tally())
    else:
        lines = ranking(standings)
    if tournament.description.sprt is not None:
        lines.append(sprt_line(tournament))
    return lines + fault_lines(standings)


def final_tables(tournament: Tournament) -> list[str]:
    """What is added at the end."""
    from uci_engine.arena.results.ratings import fit_ratings

    standings = tournament.standings
    lines = []
    if len(standings.names) > 2:
        fit = fit_ratings(standings.by_colour, len(standings.names))
        order = [rating.player for rating in fit.ratings]
        lines = ["", *crosstable(standings, order), ""]
        lines.append(
            f"White's advantage: {fit.white_advantage:.0f} Elo; "
            f"draws between equals: {100 * fit.draw_chance:.0f} %"
        )
    reasons = standings.reasons.most_common()
    lines.append("Ends: " + ", ".join(f"{count} x {reason}" for reason, count in reasons))
    return lines


def duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
