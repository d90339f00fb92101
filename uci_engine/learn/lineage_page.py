"""A lineage as one HTML page, with nothing in it that would have to be fetched."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, islice
from pathlib import Path

from uci_engine.arena.play.check import read_checked_games
from uci_engine.arena.play.description import Description
from uci_engine.arena.results.journal import read_games
from uci_engine.arena.results.ratings import fit_ratings
from uci_engine.arena.results.standings import Standings
from uci_engine.arena.results.stats import Tally
from uci_engine.arena.show.replay import games_section
from uci_engine.errors import describe
from uci_engine.files import replace_text
from uci_engine.learn.lineage import ZERO, Lineage, Report, player_name
from uci_engine.pages.html import PAGE_END, figure, html_table, page_head, section
from uci_engine.pages.plots import Curve, line_plot
from uci_engine.text import tame

PAGE = "index.html"
SAMPLES = 60  # games to replay, of the last generation
INTRODUCTION = {
    "classical": "The first games were played with the classical evaluation.",
    "rules": "The first player was a network of random weights: its evaluation knew nothing. What "
    "its successors' evaluations know, they know from their own games: the first one from the "
    "results alone, the next ones more and more from the scores of their searches, too. The search "
    "is the engine's, with the values of the pieces by which it sorts and prunes captures.",
}
KNOWN_ENDINGS = "What is known of endings (a lone pawn, the wrong bishop) stood above all networks."

Ratings = dict[str, tuple[float, float]]  # Elo and half the 95% interval, by name
Results = dict[tuple[str, str], Tally]  # by the names of White and Black, as White sees it


def write_page(lineage: Lineage) -> None:
    path, text = lineage.folder / PAGE, "".join(page(lineage))
    if not path.is_file() or path.read_bytes() != text.encode():
        replace_text(path, [text])


def rate(lineage: Lineage) -> Ratings:
    """Of all players of all generations' matches, by the reports: the games need not be there."""
    results: Results = {}
    for report in lineage.reports:
        own = player_name(report.number)
        for other, counts in report.results.items():
            won, drawn, lost, black_won, black_drawn, black_lost = counts
            add_results(results, (own, other), Tally(won, drawn, lost))
            add_results(results, (other, own), Tally(black_lost, black_drawn, black_won))
    return rate_players(results, ZERO)


def rate_matches(journals: Sequence[Path], zero: str) -> Ratings:
    """Of the players of all these matches: who has the same name is the same."""
    results: Results = {}
    for journal in journals:
        standings = read_standings(journal)
        for (white, black), tally in standings.by_colour.items():
            add_results(results, (standings.names[white], standings.names[black]), tally)
    return rate_players(results, zero)


def read_standings(journal: Path) -> Standings:
    standings = Standings([spec.name for spec in Description.read(journal).engines])
    for record in read_games(journal):
        standings.add(record)
    return standings


def add_results(results: Results, players: tuple[str, str], tally: Tally) -> None:
    results[players] = results.get(players, Tally()) + tally


def rate_players(results: Results, zero: str) -> Ratings:
    """Above one of them."""
    if not results:
        return {}
    names = list(dict.fromkeys(name for players in results for name in players))
    places = {name: place for place, name in enumerate(names)}
    by_place = {(places[white], places[black]): each for (white, black), each in results.items()}
    fit = fit_ratings(by_place, len(names)).ratings
    ratings = {names[each.player]: (each.elo, each.error) for each in fit}
    level = ratings[zero][0]
    return {name: (elo - level, error) for name, (elo, error) in ratings.items()}


def page(lineage: Lineage) -> Iterator[str]:
    settings = lineage.settings
    title = f"Learning from {'the rules' if settings.begin == 'rules' else 'own games'}"
    ratings = rate(lineage)
    yield f"{page_head(title)}<h1>{escape(title)}</h1>\n"
    yield f'<p class="verdict">{escape(summary(lineage, ratings))}</p>\n'
    endings = "" if lineage.stands_alone else f" {KNOWN_ENDINGS}"
    yield f"<p>{escape(INTRODUCTION[settings.begin] + endings)}</p>\n"
    if lineage.reports:
        yield rating_section(lineage, ratings)
        yield error_section(lineage.reports)
        yield table_section(lineage, ratings)
        yield from samples(lineage)
    yield PAGE_END


def summary(lineage: Lineage, ratings: Ratings) -> str:
    reports = lineage.reports
    best = player_name(lineage.best)
    elo = f", {ratings[best][0]:+.0f} Elo above material alone" if best in ratings else ""
    hours = sum(report.seconds for report in reports) / 3600
    games = len(reports) * lineage.settings.games
    return (
        f"{len(reports)} generations, {games:,} games, {hours:.1f} hours. "
        f"The best is generation {lineage.best}{elo}.{in_hand(lineage)}"
    )


def in_hand(lineage: Lineage) -> str:
    """What is begun and not complete."""
    minutes = sum(lineage.times(lineage.next).values()) / 60
    return f" Generation {lineage.next} has had {minutes:.0f} minutes so far." if minutes else ""


def rating_section(lineage: Lineage, ratings: Ratings) -> str:
    plot = rating_plot(range(lineage.next), ratings)
    caption = (
        f"Elo at {lineage.settings.nodes} nodes a move, from all matches together, with the 95% "
        "interval; the same search with other evaluations for comparison"
    )
    return section("Rating", figure(plot, caption))


def rating_plot(generations: Iterable[int], ratings: Ratings) -> str:
    """Those that have played, and as lines across the players that are no generation."""
    rows = [
        (number, *ratings[player_name(number)])
        for number in generations
        if player_name(number) in ratings
    ]
    curve = Curve(
        [(number, elo) for number, elo, _ in rows],
        band=[(number, elo - error, elo + error) for number, elo, error in rows],
    )
    anchors = [
        (elo, name) for name, (elo, _) in ratings.items() if not name.startswith("generation")
    ]
    return line_plot("Rating by generation", [curve], "generation", anchors)


def error_section(reports: list[Report]) -> str:
    curve = Curve([(report.number, report.aside) for report in reports])
    plot = line_plot("Error by generation", [curve], "generation")
    return section(
        "Error", figure(plot, "Mean squared error of the chance to win, on games kept aside")
    )


def table_section(lineage: Lineage, ratings: Ratings) -> str:
    # Each generation's own: a window of generations learns from most positions several times.
    so_far = accumulate(report.own_positions for report in lineage.reports)
    rows = []
    for report, positions in zip(lineage.reports, so_far, strict=True):
        elo, error = ratings[player_name(report.number)]
        rows.append(
            [
                str(report.number),
                f"{100 * report.score:.1f}%",
                "yes" if report.accepted else "no",
                f"{elo:+.0f} ±{error:.0f}",
                f"{report.aside:.5f}",
                f"{report.number * lineage.settings.games:,}",
                f"{report.positions:,}",
                f"{positions:,}",
                f"{report.seconds / 60:.0f}",
            ]
        )
    head = ["generation", "against the best", "accepted", "Elo", "error", "games so far"]
    head += ["positions learnt", "positions so far", "minutes"]
    return section("Generations", html_table(head, rows))


def samples(lineage: Lineage) -> list[str]:
    """Some games of the last generation's match, to be replayed, if they are there. All that counts
    of that match is in the report: if its games are damaged, the page says so, and the learning
    goes on."""
    journal = lineage.journal(lineage.reports[-1].number)
    if not journal.exists():
        return []
    try:
        return list(sample_games(journal))
    except (OSError, ValueError) as error:
        # The page may go to others, who need not know the folders of whoever made it.
        said = tame(describe(error).removeprefix(f"{lineage.folder}{os.sep}"))
        return [section("Games", f'<p class="note">{escape(said)}</p>')]


def sample_games(journal: Path) -> Iterator[str]:
    names = [spec.name for spec in Description.read(journal).engines]
    games = list(islice(read_checked_games(journal, len(names)), SAMPLES))
    if not games:
        return
    endings = list(dict.fromkeys(game.reason for game in games))
    start = Counter(game.fen for game in games).most_common(1)[0][0]
    yield from games_section(games, len(games), names, endings, start)
