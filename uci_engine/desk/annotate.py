"""A game with its analysis: what is known about each move, and PGN of it that others read.

What people have written stays: comments, clocks, variations. What an earlier analysis wrote is
replaced, so that a game can be analysed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from uci_engine import Board, pgn
from uci_engine.desk.analyse_input import Entry
from uci_engine.desk.analysed import AnalysedGame, Analysis
from uci_engine.desk.judging import JUDGEMENTS, Finding, Judgement

LONGEST_LINE = 12  # plies of a variation
LINE_LENGTH = 80
ROSTER = dict.fromkeys(("Event", "Site", "Date", "Round", "White", "Black"), "?")
ROSTER |= {"Date": "????.??.??", "Result": "*"}
QUALITY_NAGS = range(1, 7)  # from ! to ?!
OLD_EVAL = re.compile(r"\[%eval\s[^]]*\]\s*")
OLD_JUDGEMENT = re.compile(
    rf"\b(?:{'|'.join(judgement.name for judgement in JUDGEMENTS)})\. (\S+) was best\.\s*"
)


def write_pgn(analysis: Analysis) -> Iterator[str]:
    for entry, game in analysis.entries():
        yield write_unread(entry) if game is None else write_game(game, analysis.annotator)


def write_game(game: AnalysedGame, annotator: str) -> str:
    return to_text(annotated(game, annotator))


def write_unread(entry: Entry) -> str:
    """A game that could not be analysed, with what could be read of it."""
    headers = {name: text for name, text in entry.game.headers.items() if name != "FEN"}
    headers.pop("SetUp", None)
    bare = pgn.Game(headers=headers, result=entry.game.result)
    bare.comments[-1] = f"not analysed: {entry.problem}".replace("}", ")")
    return to_text(bare)


def to_text(game: pgn.Game) -> str:
    """As PGN, with an empty line behind it. Some readers want all the tags of the roster."""
    import chess.pgn

    game = replace(game, headers=ROSTER | game.headers)
    text = game.to_chess().accept(chess.pgn.StringExporter(columns=LINE_LENGTH))
    return f"{text}\n\n"


def annotated(game: AnalysedGame, annotator: str) -> pgn.Game:
    """The game with evaluations, signs, sentences and better lines; the given one stays."""
    if game.entry.is_position:
        return annotated_position(game, annotator)
    source = game.entry.game
    written = replace(
        source,
        headers=source.headers | new_headers(game, annotator),
        comments=dict(source.comments),
        nags=dict(source.nags),
        variations=dict(source.variations),
    )
    board = game.board()
    for number, move in enumerate(source.moves):
        judgement = game.judged.moves[number].judgement
        remove_old_judgement(written, number, board)
        after = game.findings[number + 1]
        words = [*eval_tag(after)]
        if comment := written.comments.get(number, ""):
            words.append(comment)
        if judgement is not None:
            best = game.findings[number]
            words.append(sentence(judgement, board, best))
            nags = [nag for nag in written.nags.get(number, []) if nag not in QUALITY_NAGS]
            written.nags[number] = [judgement.nag, *nags]
            variation = better_line(board, best)
            written.variations[number] = [variation, *written.variations.get(number, [])]
        written.comments[number] = " ".join(words)
        board.push(move)
    return written


def annotated_position(game: AnalysedGame, annotator: str) -> pgn.Game:
    """Its evaluation, and the best line as the moves."""
    source, found = game.entry.game, game.findings[0]
    line = better_line(game.board(), found)
    comment = " ".join(eval_tag(found))
    return replace(
        source,
        headers=source.headers | new_headers(game, annotator),
        moves=line.moves,
        comments={-1: comment} if comment else {},
    )


def new_headers(game: AnalysedGame, annotator: str) -> dict[str, str]:
    headers = {"Annotator": annotator}
    if game.opening is not None:
        headers |= {"ECO": game.opening.eco, "Opening": game.opening.name}
    for side, accuracy in zip(("White", "Black"), game.judged.accuracies, strict=True):
        if accuracy is not None:
            headers[f"{side}Accuracy"] = f"{accuracy:.1f}"
    return headers


def remove_old_judgement(game: pgn.Game, number: int, board: Board) -> None:
    """Of an earlier analysis: its evaluation, sentence, sign and variation."""
    comment = OLD_EVAL.sub("", game.comments.get(number, ""))
    if judged := OLD_JUDGEMENT.search(comment):
        comment = OLD_JUDGEMENT.sub("", comment)
        kept = [nag for nag in game.nags.get(number, []) if nag not in QUALITY_NAGS]
        game.nags[number] = kept
        game.variations[number] = [
            line
            for line in game.variations.get(number, [])
            if not is_better_line(line, board, judged[1])
        ]
    game.comments[number] = comment.strip()


def is_better_line(line: pgn.Line, board: Board, best: str) -> bool:
    """Is it the one that an analysis wrote, and not a person's that begins with the same move?"""
    is_marked = OLD_EVAL.match(line.comments.get(0, "")) is not None
    return is_marked and bool(line.moves) and board.san(line.moves[0]) == best


def sentence(judgement: Judgement, board: Board, best: Finding) -> str:
    """As Lichess writes it."""
    return f"{judgement.name}. {board.san(board.parse_uci(best.line[0]))} was best."


def better_line(board: Board, best: Finding) -> pgn.Line:
    board = board.copy()
    moves = [board.push_uci(move) for move in best.line[:LONGEST_LINE]]
    return pgn.Line(moves=moves, comments={0: " ".join(eval_tag(best))} if moves else {})


def eval_tag(finding: Finding) -> list[str]:
    """[%eval 0.35,18] or [%eval #-3,18]; nothing for a checkmate, which needs none."""
    if finding.mate == 0:
        return []
    score = f"{finding.score / 100:.2f}" if finding.mate is None else f"#{finding.mate}"
    return [f"[%eval {score},{finding.depth}]"]
