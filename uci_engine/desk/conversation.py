"""A game in a terminal, as a conversation: what is said is a move or a command."""

from __future__ import annotations

import contextlib
import difflib
import textwrap
from typing import NamedTuple

import chess
from chess.engine import InfoDict, Limit

from core_ext.core import AmbiguousMoveError, IllegalMoveError, InvalidMoveError, MoveError
from uci_engine.arena.players.clock import TimeControl
from uci_engine.desk.game_file import Store
from uci_engine.desk.game_settings import ENGINE_NAME, GameSettings, begin_sitting, parse_level
from uci_engine.desk.manners import JUDGING, agrees_to_draw, claims_draw
from uci_engine.desk.opponent import Coach, Opponent, Thought
from uci_engine.desk.sitting import GameOverError, Sitting, Turn
from uci_engine.desk.spoken_moves import understand_move
from uci_engine.desk.terminal import Heard, Terminal
from uci_engine.desk.terminal_board import Look, draw_board
from uci_engine.interrupts import EXIT_CODE
from uci_engine.text import tame

HINTING = Limit(time=1.0)
EVALUATING = Limit(time=0.3)
HINT_PLIES = 6
PIECE_VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
LINE_WIDTH = 76
LIKENESS = 0.8  # of a word that was mistyped
LONGEST_PGN_LINE = 1000
LOW_CLOCK_MS = 20_000
MOST_TAKEN_BACK = 10_000
COLOURS = {"white": True, "black": False, "w": True, "b": False}


class Command(NamedTuple):
    method: str
    arguments: str
    purpose: str
    others: tuple[str, ...] = ()  # words for the same


COMMANDS = {
    "help": Command("show_help", "", "this list", ("?", "h")),
    "back": Command("take_back", "[N]", "take back your last move, or N", ("undo", "takeback")),
    "board": Command("show_board", "", "show the board again", ("d", "show")),
    "clock": Command("show_clocks", "", "show the clocks", ("time", "clocks")),
    "draw": Command("ask_for_draw", "[MOVE]", "claim a draw, or offer one", ("claim",)),
    "eval": Command("switch_evaluation", "[on|off]", "evaluate each position, or do not", ("e",)),
    "fen": Command("show_fen", "", "the position as FEN"),
    "flip": Command("flip", "", "look from the other side"),
    "hint": Command("give_hint", "", "what the engine would play for you"),
    "legal": Command("show_legal", "[SQUARE]", "the moves that you can play"),
    "level": Command("set_level", "[ELO]", "the engine's level; full for all it can", ("elo",)),
    "moves": Command("show_moves", "", "the moves so far", ("list",)),
    "new": Command("begin_again", "[white|black]", "another game"),
    "pgn": Command("show_pgn", "", "the game as PGN"),
    "quit": Command("leave", "", "leave; the game is kept", ("exit", "q")),
    "resign": Command("resign", "", "give up"),
}
WORDS = {word: command for name, command in COMMANDS.items() for word in (name, *command.others)}


class Conversation:
    """One person at one terminal, one game after the other."""

    def __init__(
        self,
        terminal: Terminal,
        look: Look,
        opponent: Opponent,
        coach: Coach,
        settings: GameSettings,
        store: Store,
    ) -> None:
        self.terminal = terminal
        self.look = look
        self.opponent = opponent
        self.coach = coach
        self.settings = settings
        self.store = store
        self.shows_evaluation = False
        self.turned_round = False
        self.exit_code: int | None = None  # once the person has left
        terminal.choices = self.list_words

    def run(self, sitting: Sitting, colour: bool) -> int:
        """From this game on, until the person leaves; the exit code."""
        try:
            self.sit_down(sitting, colour)
            while self.exit_code is None:
                self.go_on()
        except KeyboardInterrupt:
            self.leave(EXIT_CODE)
        return self.exit_code or 0

    def go_on(self) -> None:
        """By a move of the engine's, or by what the person says."""
        if self.sitting.is_over:
            self.tell_ending()
            self.listen()
        elif self.sitting.board.turn == self.colour:
            self.listen()
        else:
            self.let_engine_move()

    def sit_down(self, sitting: Sitting, colour: bool) -> None:
        self.sitting = sitting
        self.colour = colour  # the person's
        self.offered_at = -1  # the number of moves when a draw was last offered
        self.has_told_ending = False
        self.greet()
        sitting.start_clock()

    def greet(self) -> None:
        side = "White" if self.colour else "Black"
        kind = ", Chess960" if self.sitting.start.chess960 else ""
        clocks = f", {clock_name(self.sitting.control)}" if self.sitting.control.has_clock else ""
        self.say(
            f"You play {side} against {ENGINE_NAME} at {self.level_name()}{kind}{clocks}.",
            "Moves are e4, Nf3 or e2e4; help lists what else can be said.",
            "",
        )
        if self.sitting.board.turn == self.colour:
            self.show_position()

    def say(self, *lines: str) -> None:
        self.terminal.write(*lines)

    # ---- the person's turn

    def listen(self) -> None:
        sitting = self.sitting
        left_ms = None if sitting.is_over else sitting.left_ms(self.colour)
        heard = self.terminal.read(self.prompt(), None if left_ms is None else left_ms / 1000)
        if not self.has_told_ending and sitting.check_flag():
            return  # whatever was said, it was too late
        if isinstance(heard, str):
            self.obey(heard)
        elif heard is not Heard.TIME_UP:
            self.consider_leaving(heard)

    def prompt(self) -> str:
        if self.sitting.is_over:
            return "> "
        number = f"{self.sitting.board.fullmove_number}{'.' if self.colour else '...'}"
        left_ms = self.sitting.left_ms(self.colour)
        return f"{number} > " if left_ms is None else f"{number} {show_clock(left_ms)} > "

    def obey(self, line: str) -> None:
        """What was said: a command, or else a move."""
        words = line.split()
        if not words:
            return
        command = WORDS.get(words[0].lower())
        try:
            if command is None:
                self.play(line)
            elif len(words) - 1 > bool(command.arguments):
                self.say(f"{words[0].lower()} takes {command.arguments or 'nothing'} and no more.")
            else:
                getattr(self, command.method)(*words[1:])
        except GameOverError as error:
            if self.has_told_ending:  # else it is told next
                self.say(str(error))
        except InvalidMoveError as error:
            self.say(f"{error}{self.advice(words[0])}")
        except MoveError as error:
            self.say(end_sentence(str(error)))
        except ValueError as error:
            self.say(end_sentence(capitalise(tame(str(error)))))

    def advice(self, word: str) -> str:
        near = difflib.get_close_matches(word.lower(), WORDS, 1, LIKENESS) if len(word) > 2 else []
        return f"; did you mean {near[0]}?" if near else "; help tells what can be said."

    def play(self, text: str) -> None:
        if self.sitting.is_over:
            with contextlib.suppress(IllegalMoveError, AmbiguousMoveError):
                understand_move(self.sitting.board, text)
            raise ValueError("the game is over; new begins another one, back takes back")
        turn = self.sitting.play(understand_move(self.sitting.board, text))
        if not self.terminal.is_interactive:
            self.say(f"You play {numbered(self.sitting, turn)}")
        self.save()

    def consider_leaving(self, heard: Heard) -> None:
        """Ctrl-C or Ctrl-D. At a terminal a game that goes on is not left by a slip of a finger."""
        if self.terminal.has_keyboard and self.sitting.turns and not self.sitting.is_over:
            again = self.terminal.read("Leave? The game is kept. [y/n] ")
            if isinstance(again, str) and not again.strip().lower().startswith("y"):
                return
            heard = again if isinstance(again, Heard) else Heard.END
        self.leave(EXIT_CODE if heard is Heard.INTERRUPTED else 0)

    # ---- the engine's turn

    def let_engine_move(self) -> None:
        sitting = self.sitting
        thought = self.wait_for(self.opponent.think(sitting), f"{ENGINE_NAME} thinks ...")
        if sitting.check_flag() or thought.move is None:
            return
        if claims_draw(sitting, thought.move, thought.score(not self.colour)):
            sitting.claim_draw(thought.move)
            self.say(f"{ENGINE_NAME} claims a draw.")
            return
        try:
            turn = sitting.play(thought.move)
        except GameOverError:
            return
        self.save()
        self.say(f"{ENGINE_NAME} plays {numbered(sitting, turn)}", "")
        if not sitting.is_over:
            self.show_position()

    def wait_for(self, thought: Thought, remark: str) -> Thought:
        """Ctrl-C breaks it off, and what is known by then has to do; a second one is raised."""
        with self.terminal.remark(remark):
            self.terminal.interrupts.watch(thought.wait, thought.stop)
        self.terminal.interrupts.forget()
        if thought.error is not None:
            raise thought.error
        return thought

    # ---- the end

    def tell_ending(self) -> None:
        if self.has_told_ending:
            return
        self.has_told_ending = True
        self.save()
        self.show_position()
        self.say(
            str(self.sitting.ending),
            *self.store.tell(),
            "new begins another game, back takes back, quit leaves.",
        )

    def save(self) -> None:
        problem = self.store.save(self.sitting)
        if problem:
            self.say(problem)

    # ---- commands: about the game

    def leave(self, exit_code: int = 0) -> None:
        self.exit_code = exit_code
        if self.sitting.turns and not self.sitting.is_over:
            self.sitting.stop_clock()
            self.say(*self.store.tell(), *self.store.tell_continuation())

    def begin_again(self, colour: str | None = None) -> None:
        if colour is not None and colour.lower() not in COLOURS:
            raise ValueError(f"new takes white or black, not {tame(colour)!r}")
        wanted = None if colour is None else COLOURS[colour.lower()]
        self.settings.elo = self.opponent.elo
        self.store.begin_game()
        self.sit_down(*begin_sitting(self.settings, wanted))

    def take_back(self, count: str = "1") -> None:
        """The person's last moves and what was answered; a word that ended the game comes first."""
        if not (count.isdecimal() and count.isascii() and 0 < int(count) < MOST_TAKEN_BACK):
            raise ValueError(f"back takes a number of moves, not {tame(count)!r}")
        sitting = self.sitting
        own = [number for number, turn in enumerate(sitting.turns) if turn.white == self.colour]
        if sitting.is_over and not sitting.ended_by_position and sitting.board.turn == self.colour:
            sitting.take_back(0)
        elif len(own) < int(count):
            moves = {0: "no move", 1: "one move"}.get(len(own), f"{len(own)} moves")
            raise ValueError(f"you have played {moves}; more can't be taken back")
        else:
            sitting.take_back(len(sitting.turns) - own[-int(count)])
        self.offered_at = -1
        self.has_told_ending = False
        sitting.start_clock()
        self.save()
        self.show_position()

    def resign(self) -> None:
        self.sitting.resign(self.colour)

    def ask_for_draw(self, move: str | None = None) -> None:
        """Claim it if a rule says so, else offer it; once a move."""
        sitting = self.sitting
        if sitting.is_over:
            raise ValueError("the game is over")
        with_move = None if move is None else understand_move(sitting.board, move)
        if sitting.claim_draw(with_move):
            return
        if move is not None:
            raise ValueError(f"no draw can be claimed with {move}")
        if self.offered_at == len(sitting.turns):
            raise ValueError("you have offered a draw already; it is your move")
        self.offered_at = len(sitting.turns)
        thought = self.wait_for(
            self.coach.look(sitting.board, JUDGING), f"{ENGINE_NAME} thinks ..."
        )
        if agrees_to_draw(sitting, thought.score(not self.colour)):
            self.say(f"{ENGINE_NAME} agrees.")
            sitting.agree_to_draw()
        else:
            self.say(f"{ENGINE_NAME} declines the draw.")

    def set_level(self, elo: str | None = None) -> None:
        if elo is not None:
            self.opponent.set_level(parse_level(elo))
            seat = self.sitting.seat(not self.colour)
            self.sitting.take_seat(not self.colour, seat._replace(elo=self.opponent.elo))
        self.say(f"{ENGINE_NAME} plays at {self.level_name()}.")

    def level_name(self) -> str:
        return "full strength" if self.opponent.elo is None else f"{self.opponent.elo} Elo"

    # ---- commands: advice

    def give_hint(self) -> None:
        if self.sitting.is_over:
            raise ValueError("the game is over")
        board = self.sitting.board
        found = self.wait_for(self.coach.look(board, HINTING), "Looking for a hint ...").found
        line = found.get("pv", [])[:HINT_PLIES]
        if line:
            self.say(f"{board.san(line[0])} looks best: {board.variation_san(line)}")

    def switch_evaluation(self, wanted: str | None = None) -> None:
        if wanted is not None and wanted.lower() not in ("on", "off"):
            raise ValueError(f"eval takes on or off, not {tame(wanted)!r}")
        is_on = not self.shows_evaluation if wanted is None else wanted.lower() == "on"
        self.shows_evaluation = is_on
        if is_on and not self.sitting.is_over:
            self.show_evaluation()
        else:
            self.say(f"Evaluation is {'on' if is_on else 'off'}.")

    def show_evaluation(self) -> None:
        """The time that this takes is nobody's."""
        self.sitting.stop_clock()
        thought = self.coach.look(self.sitting.board, EVALUATING)
        self.say(describe_evaluation(self.wait_for(thought, "Evaluating ...").found))
        self.sitting.start_clock()

    # ---- commands: looking

    def show_position(self) -> None:
        self.show_board()
        if self.shows_evaluation and not self.sitting.is_over:
            self.show_evaluation()

    def show_board(self) -> None:
        sitting = self.sitting
        top = not self.looks_from_white
        beside = [""] * 8
        beside[0], beside[7] = self.describe_side(top), self.describe_side(not top)
        last = sitting.turns[-1].move if sitting.turns else None
        lines = draw_board(
            sitting.board, self.look, flipped=not self.looks_from_white, last=last, beside=beside
        )
        self.say(*lines, "")

    @property
    def looks_from_white(self) -> bool:
        return self.colour != self.turned_round

    def describe_side(self, white: bool) -> str:
        """Who plays it, the clock, and by how much it is ahead in material."""
        seat, left_ms = self.sitting.seat(white), self.sitting.left_ms(white)
        parts = [tame(seat.name) if seat.elo is None else f"{tame(seat.name)} ({seat.elo})"]
        if left_ms is not None:
            parts.append(show_clock(left_ms))
        ahead = material(self.sitting, white) - material(self.sitting, not white)
        if ahead > 0:
            parts.append(f"+{ahead}")
        return "  ".join(parts)

    def flip(self) -> None:
        self.turned_round = not self.turned_round
        self.show_board()

    def show_clocks(self) -> None:
        if not self.sitting.control.has_clock:
            raise ValueError("this game has no clocks")
        for white, name in ((True, "White"), (False, "Black")):
            self.say(f"{name}  {show_clock(self.sitting.left_ms(white) or 0)}")

    def show_fen(self) -> None:
        self.say(self.sitting.board.fen())

    def show_pgn(self) -> None:
        self.say(*(tame(line, LONGEST_PGN_LINE) for line in self.sitting.pgn().splitlines()))

    def show_moves(self) -> None:
        """As numbered pairs, a few in a line."""
        sitting = self.sitting
        if not sitting.turns:
            raise ValueError("no move has been played yet")
        words = sitting.start.board().variation_san(turn.move for turn in sitting.turns).split()
        self.say(*textwrap.wrap(" ".join(words), LINE_WIDTH))

    def show_legal(self, square: str | None = None) -> None:
        if square is not None and square.lower() not in chess.SQUARE_NAMES:
            raise ValueError(f"not a square: {tame(square)!r}")
        board = self.sitting.board
        moves = [] if self.sitting.is_over else board.legal_moves()
        origin = None if square is None else chess.parse_square(square.lower())
        sans = sorted(
            board.san(move) for move in moves if origin is None or move.from_square == origin
        )
        self.say(*(textwrap.wrap(" ".join(sans), LINE_WIDTH) or ["There is none."]))

    def show_help(self) -> None:
        heads = {name: f"{name} {command.arguments}" for name, command in COMMANDS.items()}
        width = max(len(head) for head in heads.values())
        self.say(
            "Moves: e4, Nf3, exd5, e8=Q, O-O; or squares: e2e4, e7e8q. Small letters will do.",
            *(f"  {heads[name]:<{width}}  {command.purpose}" for name, command in COMMANDS.items()),
            "Ctrl-C makes the engine move at once; Ctrl-D leaves.",
        )

    def list_words(self) -> list[str]:
        """For Tab."""
        board = self.sitting.board
        return [*(board.san(move) for move in board.legal_moves()), *COMMANDS]


# ---- words for people


def capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def end_sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def numbered(sitting: Sitting, turn: Turn) -> str:
    """The last move, with its number: 12... Nf6"""
    number = sitting.board.fullmove_number - (not turn.white)
    return f"{number}{'.' if turn.white else '...'} {turn.san}"


def clock_name(control: TimeControl) -> str:
    """As people say it: 5+3"""
    base = f"{control.base_ms / 60_000:g}"
    return f"{base}+{control.increment_ms / 1000:g}"


def show_clock(left_ms: int) -> str:
    """Tenths where they matter; a second that is not over counts."""
    if left_ms < LOW_CLOCK_MS:
        return f"0:{left_ms // 1000:02}.{left_ms % 1000 // 100}"
    minutes, seconds = divmod(-(-left_ms // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def material(sitting: Sitting, white: bool) -> int:
    pieces = sitting.board.board_fen()
    letters = [letter for letter in pieces if letter.isalpha() and letter.isupper() == white]
    return sum(PIECE_VALUES.get(letter.lower(), 0) for letter in letters)


def describe_evaluation(found: InfoDict) -> str:
    """From White's side, whoever is to move."""
    if "score" not in found or "wdl" not in found:
        return "No evaluation."
    score, chances = found["score"].white(), found["wdl"].white()
    mate, centipawns = score.mate(), score.score()
    told = f"{(centipawns or 0) / 100:+.2f}"
    if mate is not None:
        told = f"{'White' if mate > 0 else 'Black'} mates in {abs(mate)}"
    win, draw, loss = (round(part / 10) for part in (chances.wins, chances.draws, chances.losses))
    return (
        f"Evaluation: {told} at depth {found.get('depth', 0)}:"
        f" White wins {win} %, draw {draw} %, Black wins {loss} %."
    )
