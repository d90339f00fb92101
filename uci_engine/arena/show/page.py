"""A tournament as one HTML page, with nothing in it that would have to be fetched."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from uci_engine.arena.play.description import Description
from uci_engine.arena.results.journal import read_games
from uci_engine.arena.results.ratings import Fit, fit_ratings
from uci_engine.arena.results.record import GameRecord
from uci_engine.arena.show.course import Course, follow_course
from uci_engine.arena.show.figures import score_cell
from uci_engine.arena.show.replay import games_section
from uci_engine.files import replace_text
from uci_engine.pages.html import PAGE_END, figure, html_table, page_head, section
from uci_engine.pages.plots import Curve, bars, error_bars, line_plot


def ranking_section(course: Course, fit: Fit) -> str:
    standings = course.standings
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
    return section("Ratings", html_table(head, rows), figure(error_bars("Ratings", marks), note))


def cross_section(course: Course, fit: Fit) -> str:
    standings = course.standings
    order = [rating.player for rating in fit.ratings]
    rows = [
        [
            standings.names[player],
            *("-" if o == player else score_cell(standings.against(player, o)) for o in order),
        ]
        for player in order
    ]
    head = ["points / games", *(standings.names[player] for player in order)]
    return section("Crosstable", html_table(head, rows))


def match_section(description: Description, course: Course) -> str:
    """The figures of two players, and how they came about."""
    tally = course.standings.tally()
    worth = tally.figures
    rows = [
        ["score", f"{tally.points:g} of {tally.games} ({100 * tally.score:.1f}%)"],
        ["Elo, 95% interval", str(worth.elo)],
        ["normalised Elo, 95% interval", str(worth.normalized)],
        ["likelihood of superiority", f"{100 * worth.superiority:.1f}%"],
        ["draws", f"{100 * tally.draw_ratio:.1f}%"],
        ["pairs with 0, ½, 1, 1½, 2 points", ", ".join(map(str, tally.pairs))],
    ]
    parts = [
        html_table([f"{course.standings.names[0]} against {course.standings.names[1]}", ""], rows)
    ]
    if len(course.elo) > 1:
        points = [(games, value) for games, value, _, _ in course.elo]
        band = [(games, low, high) for games, _, low, high in course.elo]
        plot = line_plot("Elo over games", [Curve(points, band=band)], "games", [(0.0, "")])
        parts.append(figure(plot, "Elo over games, with its 95% interval"))
    sprt = description.sprt
    if sprt is not None and course.llr:
        marks = [(sprt.lower, f"H0: {sprt.elo0:g}"), (sprt.upper, f"H1: {sprt.elo1:g}")]
        plot = line_plot("LLR over games", [Curve(course.llr)], "games", marks)
        caption = (
            f"Log-likelihood ratio over games; {sprt.model} Elo {sprt.elo0:g} against "
            f"{sprt.elo1:g}, bounds {sprt.lower:.2f} and {sprt.upper:.2f}"
        )
        parts.append(figure(plot, caption))
    return section("The match", *parts)


def ends_section(course: Course) -> str:
    standings = course.standings
    rows = [(reason, float(count)) for reason, count in standings.reasons.most_common()]
    parts = [figure(bars("How games ended", rows))]
    faults = [
        [name, reason, str(count)]
        for name, counts in zip(standings.names, standings.faults, strict=True)
        for reason, count in counts.items()
    ]
    if faults:
        parts.append(html_table(["at fault", "what", "games"], faults, names=2))
    return section("How games ended", *parts)


def time_section(course: Course) -> str:
    rows = []
    for name, use in zip(course.standings.names, course.times, strict=True):
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
        Curve(use.curve(), name)
        for name, use in zip(course.standings.names, course.times, strict=True)
        if use.moves
    ]
    plot = line_plot("Time by move", lines, "move after the opening")
    return section("Time use", html_table(head, rows), figure(plot, "Mean milliseconds by move"))


def verdict(description: Description, course: Course) -> str:
    """What the match says, in one sentence."""
    names = course.standings.names
    if len(names) != 2:
        return ""
    tally, worth = course.standings.tally(), course.standings.tally().figures
    score = (
        f"{names[0]} scored {100 * tally.score:.1f}% in {tally.games} games against {names[1]}: "
        f"Elo {worth.elo}, likelihood of superiority {100 * worth.superiority:.1f}%"
    )
    sprt = description.sprt
    if sprt is None:
        return score
    llr = sprt.llr(tally)
    decision = sprt.decision(llr)
    accepted, rejected = (sprt.elo1, sprt.elo0) if decision == "H1" else (sprt.elo0, sprt.elo1)
    figures = f"LLR {llr:.2f}, bounds {sprt.lower:.2f} and {sprt.upper:.2f}"
    words = (
        f"{decision} accepted: {accepted:g} {sprt.unit} rather than {rejected:g}"
        if decision
        else f"undecided between {sprt.elo0:g} and {sprt.elo1:g} {sprt.unit}"
    )
    return f"SPRT: {words} ({figures}). {score}"


def heading(description: Description, course: Course, total: int) -> str:
    """Verdict and conditions: what was found, and under what circumstances."""
    title = f"{description.event}: {' - '.join(course.standings.names)}"
    said = verdict(description, course)
    rows = []
    for spec in description.engines:
        options = ", ".join(f"{name}={value}" for name, value in spec.all_options)
        rows.append([spec.name, str(spec.control), options or "-", " ".join(spec.command)])
    source = description.openings
    place = source.path.rpartition("/")[2] or "the project's own set"
    order = f"{source.order}, seed {source.seed}" if source.order == "random" else source.order
    pairs = "each twice, colours reversed" if description.repeat else "a new one for each game"
    conditions = [
        f"{course.standings.games} of {total} games, {description.form}",
        f"openings: {place}, {order}, {pairs}",
        f"adjudication: {description.adjudication}",
        f"written {time.strftime('%Y-%m-%d %H:%M')}",
    ]
    return (
        f"<h1>{escape(title)}</h1>\n"
        + (f'<p class="verdict">{escape(said)}</p>\n' if said else "")
        + html_table(["player", "limit of a move or game", "options", "command"], rows, names=4)
        + f'<p class="note">{escape("; ".join(conditions))}</p>\n'
    )


def page(
    description: Description, course: Course, total: int, games: Iterable[GameRecord]
) -> Iterator[str]:
    standings = course.standings
    fit = fit_ratings(standings.by_colour, len(standings.names))
    title = f"{description.event}: {' - '.join(standings.names)}"
    yield page_head(title) + heading(description, course, total)
    if len(standings.names) == 2:
        yield match_section(description, course)
    yield ranking_section(course, fit)
    yield cross_section(course, fit)
    yield ends_section(course)
    yield time_section(course)
    start = course.starts.most_common(1)[0][0]
    yield from games_section(
        games, standings.games, standings.names, list(standings.reasons), start
    )
    yield PAGE_END


def write_page(journal: Path, target: Path, total: int) -> None:
    """From the journal alone: it can be made at any time, also of a running tournament."""
    description = Description.read(journal)
    names = [spec.name for spec in description.engines]
    course = follow_course(names, read_games(journal), total, description.sprt)
    if course.standings.games:
        replace_text(target, page(description, course, total, read_games(journal)))
