"""`cythera match`: matches, gauntlets, round robins, SPRT."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from uci_engine.arena.play.adjudication import Adjudication
from uci_engine.arena.play.description import Description
from uci_engine.arena.play.game_station import GameJob
from uci_engine.arena.play.openings import ORDERS, OpeningSource
from uci_engine.arena.play.schedule import FORMATS, pairings
from uci_engine.arena.play.start import ENDS, make_runner
from uci_engine.arena.play.tournament import Files, Tournament, resume
from uci_engine.arena.players.engine_arguments import add_engine_arguments, parse_engines
from uci_engine.arena.results.game_pgn import COMMENT_STYLES
from uci_engine.arena.results.sprt import parse_sprt
from uci_engine.arena.show.watch import make_watcher
from uci_engine.arguments import Parser, count_number, whole_number
from uci_engine.interrupts import EXIT_CODE, Interrupts

# What may be given beside --resume: it does not change the games that were played.
RESUMABLE = ("resume", "games", "concurrency", "cluster", "every")
GAMES = 100
EXAMPLE = """\
example:
  cythera match --engine cmd=cythera --engine cmd=/usr/games/toga2 option.OwnBook=false \\
      --each tc=3+0.03 option.Hash=16 --openings book.epd --order random --seed 1 \\
      --games 200 --concurrency 2 --out toga

An engine's settings: cmd (or conf) name proto dir arg initstr tc st nodes depth margin (ms)
starttimeout movetimeout stopgrace (s) ponder restart option.NAME.
tc is [MOVES/][MINUTES:]SECONDS[+SECONDS] or inf.
--each gives the same to all; an engine that lacks an option named there goes without it.
--out NAME writes NAME.jsonl (every game as it ends), NAME.pgn, NAME.json (the results) and
NAME.html (a report).
"""


def make_parser() -> Parser:
    parser = Parser(
        prog="cythera match",
        description="Let engines play engines.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_engine_arguments(parser, "games")
    add = parser.add_argument
    add("--format", choices=FORMATS, help="match (two engines), gauntlet (the first against all)")
    add("--games", type=count_number, metavar="N", help="per pairing (100); more with --resume")
    add("--openings", default="", metavar="FILE", help="EPD, PGN or PolyGlot (.bin), or `start`")
    add("--plies", type=count_number, default=0, metavar="N", help="of PGN and PolyGlot openings")
    add("--order", choices=ORDERS, default="sequential")
    add("--seed", type=whole_number, default=0, metavar="N", help="for --order random (0)")
    add("--first", type=whole_number, default=0, metavar="N", help="openings to skip (0)")
    add("--norepeat", action="store_true", help="a new opening for each game, not each pair")
    add("--draw", nargs="+", metavar="KEY=N", help="adjudicate: movenumber=34 movecount=8 score=10")
    add("--win", nargs="+", metavar="KEY=N", help="adjudicate: movecount=4 score=600 twosided=on")
    add("--maxmoves", type=count_number, default=0, metavar="N", help="a draw after move N")
    add("--tb", default="", metavar="PATH", help="adjudicate by the Syzygy tables there")
    add("--tbpieces", type=count_number, default=0, metavar="N", help="with N pieces or fewer")
    add("--sprt", nargs="+", metavar="KEY=VALUE", help="elo0=0 elo1=5 alpha=0.05 beta=0.05")
    add("--out", metavar="NAME", help="write NAME.jsonl, .pgn, .json and .html")
    add("--resume", metavar="NAME", help="go on with the tournament of --out NAME")
    add("--pgn", type=Path, metavar="FILE", help="write only this, without --out")
    add("--comments", choices=COMMENT_STYLES, default="tags", help="style of the PGN's comments")
    add("--event", default="Cythera arena", help="for the PGN")
    add("--every", type=count_number, default=10, metavar="N", help="figures every N games (10)")
    return parser


def parse_keys(option: str, settings: Sequence[str] | None, **defaults: int) -> dict[str, int]:
    """Whole numbers by name; a switch is 0 or 1."""
    values = dict(defaults) if settings else dict.fromkeys(defaults, 0)
    for text in settings or ():
        key, _, value = text.partition("=")
        value = {"on": "1", "true": "1", "off": "0", "false": "0"}.get(value, value)
        if key not in defaults:
            raise ValueError(f"{option}: unknown setting {text!r}")
        if not value.isdecimal():
            raise ValueError(f"{option}: {key} must be a whole number, not {value!r}")
        values[key] = int(value)
    return values


def parse_adjudication(options: argparse.Namespace) -> Adjudication:
    draw = parse_keys("--draw", options.draw, movenumber=34, movecount=8, score=10)
    win = parse_keys("--win", options.win, movecount=4, score=600, twosided=1)
    return Adjudication(
        draw_after_move=draw["movenumber"],
        draw_count=draw["movecount"],
        draw_score=draw["score"],
        win_count=win["movecount"],
        win_score=win["score"],
        win_two_sided=bool(win["twosided"]),
        most_moves=options.maxmoves,
        syzygy_path=options.tb,
        syzygy_pieces=options.tbpieces,
    )


def describe(options: argparse.Namespace) -> Description:
    limits = ("tc", "st", "nodes", "depth")
    specs = parse_engines(options, limits, lambda spec: spec.control.limits_something)
    form = options.format or ("match" if len(specs) == 2 else "roundrobin")
    pairings(form, len(specs))
    if options.sprt and len(specs) != 2:
        raise ValueError("match: an SPRT is for two engines")
    return Description(
        engines=specs,
        form=form,
        games=options.games or GAMES,
        openings=OpeningSource(
            path=options.openings,
            plies=options.plies,
            order=options.order,
            seed=options.seed,
            first=options.first,
            chess960=options.chess960,
        ),
        repeat=not options.norepeat,
        adjudication=parse_adjudication(options),
        sprt=parse_sprt(options.sprt) if options.sprt else None,
        event=options.event,
        comments=options.comments,
    )


def refuse_ignored(parser: Parser, arguments: Sequence[str], options: argparse.Namespace) -> None:
    """What a tournament that goes on has decided already can't be given anew, not even the same."""
    unset = argparse.Namespace(**dict.fromkeys(vars(options)))
    given = vars(parser.parse_args(arguments, unset))
    ignored = [f"--{name}" for name in given if given[name] is not None and name not in RESUMABLE]
    if ignored:
        parser.error(
            "--resume takes all but --games, --concurrency, --cluster and --every from the earlier "
            f"run, so {', '.join(ignored)} can't go with it"
        )


def prepare(options: argparse.Namespace) -> Tournament:
    if options.resume is not None:
        return resume(options.resume, options.games)
    files = Files.named(options.out) if options.out is not None else Files(pgn=options.pgn)
    return Tournament(describe(options), files)


def main(arguments: Sequence[str], end: float | None = None) -> int:
    """At the moment `end` of the monotonic clock it is interrupted."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.resume is not None:
        refuse_ignored(parser, arguments, options)
    if options.pgn is not None and options.out is not None:
        parser.error("--out NAME writes NAME.pgn: --pgn can't go with it")
    tournament = prepare(options)
    description = tournament.description
    if options.resume is None:
        tournament.files.refuse_existing()
    job = GameJob(description.engines, description.adjudication)
    opened = False
    try:
        with Interrupts(*ENDS, end=end) as interrupts:
            # Engines are tried where there is something left for them to play.
            specs = job.specs if any(tournament.open_tasks()) else ()
            runner = make_runner(job, specs, options, interrupts)
            tournament.open_files()
            opened = True
            tournament.run(runner, make_watcher(options.every))
    except KeyboardInterrupt:
        journal = tournament.journal
        hint = f"; go on with --resume {str(journal.path)[: -len('.jsonl')]}" if journal else ""
        print(f"interrupted after {tournament.standings.games} games{hint}", file=sys.stderr)
        return EXIT_CODE
    finally:
        if opened:
            write_report(tournament)
    return 0


def write_report(tournament: Tournament) -> None:
    files = tournament.files
    if files.journal is not None and files.report is not None:
        from uci_engine.arena.show.page import write_page

        write_page(files.journal, files.report, tournament.total)
