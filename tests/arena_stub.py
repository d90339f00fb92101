"""A chess engine that behaves as its arguments say: `arena_stub.py [BEHAVIOUR] [PLY]`.

It plays legal moves that depend on the position only, until the game has PLY moves; then it does
what BEHAVIOUR names. With `xboard` as a third argument it speaks that protocol.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from uci_engine import Board

ENDLESS = 3600
NINES = "9" * 400
# Numbers beyond all reason, said about each move.
HUGE = {
    "huge-score": f"depth 3 score cp {NINES} nodes 100",
    "huge-loss": f"depth 3 score cp -{NINES} nodes 100",
    "huge-mate": f"depth 3 score mate {NINES} nodes 100",
    "huge-nodes": f"depth 3 score cp 1 nodes {NINES}",
    "huge-depth": f"depth {NINES} score cp 1 nodes 100",
    "odd-numbers": "depth 1_0 score cp 1e9 nodes \u0663 time -5 nps nan",
}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def choose(board: Board) -> str:
    moves = sorted(move.uci() for move in board.legal_moves())
    return moves[board.key % len(moves)]


def misbehave(behaviour: str, board: Board) -> str:
    """Do the deed; what comes back is said instead of a move, or nothing is."""
    if behaviour == "crash":
        sys.exit(3)
    if behaviour == "hang":
        time.sleep(ENDLESS)
    if behaviour == "slow":
        time.sleep(1.3)
        return choose(board)
    if behaviour == "flood":
        while True:
            sys.stdout.write("x" * 100_000)
    if behaviour == "chatty":
        for number in range(20_000):
            say(f"info depth 1 currmove e2e4 currmovenumber {number}")
        return choose(board)
    answers = {"illegal": "e2e5", "null": "0000", "garbage": "\x00ÿ?", "empty": ""}
    return answers.get(behaviour, choose(board))


def reply_to(board: Board, move: str, behaviour: str) -> str:
    """What a pondering stub expects: what another stub will do, or something else."""
    after = board.copy()
    after.push_uci(move)
    expected = choose(after)
    others = [other.uci() for other in after.legal_moves() if other.uci() != expected]
    return others[0] if behaviour == "mispredict" and others else expected


def declare_without_end(line: str, pause: float = 0) -> None:
    number = 0
    while True:
        number += 1
        say(line.format(number))
        time.sleep(pause)


def speak_uci(behaviour: str, ply: int) -> None:
    board = Board()
    moves: list[str] = []
    for line in sys.stdin:
        words = line.split()
        command = words[0] if words else ""
        if command == "uci":
            if behaviour == "wrong-protocol":
                say("Error (unknown command): uci")
                continue
            if behaviour == "options":
                declare_without_end(f"option name {{}} {'x' * 900} type check default true")
            say("id name Stub\nid author nobody\noption name Hash type spin default 1 min 1 max 64")
            say("option name Ponder type check default false")
            say("option name UCI_Chess960 type check default false\nuciok")
        elif command == "isready":
            if behaviour != "never-ready":
                say("readyok")
        elif command == "position":
            start = Board() if words[1] == "startpos" else Board(" ".join(words[2:8]))
            moves = words[words.index("moves") + 1 :] if "moves" in words else []
            board = start
            for move in moves:
                board.push_uci(move)
        elif behaviour in ("predict", "mispredict") and command in ("go", "ponderhit", "stop"):
            if behaviour == "predict" and words == ["go", "depth", "1"] and len(moves) > 1:
                sys.exit(5)  # a ponderhit was due
            if "ponder" not in words:
                answer = choose(board)
                say(f"bestmove {answer} ponder {reply_to(board, answer, behaviour)}")
        elif behaviour == "deaf" and command == "go":
            Path(sys.argv[-1]).write_text(f"{os.getpid()}\n")
            time.sleep(ENDLESS)
        elif behaviour == "until-stopped" and command in ("go", "stop"):
            if command == "stop":
                say(f"bestmove {choose(board)}")
        elif command == "go":
            answer = misbehave(behaviour, board) if len(moves) >= ply else choose(board)
            depth, nodes = (3, 99_999) if behaviour == "ignore" else (1, 100)
            say(f"info depth {depth} score cp {board.key % 50} nodes {nodes} pv {answer}")
            if behaviour in HUGE:
                say(f"info {HUGE[behaviour]} pv {choose(board)}")
            say(f"bestmove {answer}")
        elif command == "quit":
            return


def speak_xboard(behaviour: str, ply: int) -> None:
    board, count, forced = Board(), 0, False
    for line in sys.stdin:
        words = line.split()
        command = words[0] if words else ""
        thinks = command == "go"
        if command == "protover" and behaviour in ("options", "features"):
            word = "option" if behaviour == "options" else "ping"
            declare_without_end(f'feature {word}="{{}} -check 1"', 0.01)
        if command == "protover" and behaviour != "version-1":
            say('feature ping=1 setboard=1 usermove=1 myname="Stub X" done=1')
        elif command == "ping":
            say(f"pong {words[1]}")
        elif command == "new":
            board, count, forced = Board(), 0, False
        elif command == "force":
            forced = True
        elif command == "setboard":
            board = Board(" ".join(words[1:]))
        elif command == "usermove" or (behaviour == "version-1" and len(command) in (4, 5)):
            if command != "usermove" and not command[1].isdigit():
                continue
            board.push_uci(words[-1])
            count += 1
            thinks = not forced
        elif command == "quit":
            return
        if thinks:
            forced = False
            answer_xboard(behaviour if count >= ply else "", board)
            count += 1


def answer_xboard(behaviour: str, board: Board) -> None:
    if behaviour == "resign":
        say("resign")
    elif behaviour == "claim":
        say("1/2-1/2 {I say so}")
    elif behaviour == "reject":
        say("Illegal move: e2e4")
    elif behaviour == "version-1":
        answer = choose(board)
        board.push_uci(answer)
        say(f"My move is: {answer}")
    else:
        answer = misbehave(behaviour, board)
        say(f"3 {board.key % 50} 1 100 {answer}")
        if behaviour == "":
            board.push_uci(answer)
        say(f"move {answer}")


def main() -> None:
    behaviour = sys.argv[1] if len(sys.argv) > 1 else ""
    ply = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if behaviour == "dead":
        sys.exit(4)
    if behaviour == "silent":
        time.sleep(ENDLESS)
    (speak_xboard if sys.argv[3:] == ["xboard"] else speak_uci)(behaviour, ply)


if __name__ == "__main__":
    main()
