// What lies on the desk: a game, a place in it, perhaps an opponent. All other scripts change it
// here and call refresh().
"use strict";

const desk = {
  game: Tree.fresh(),
  node: null, // where one stands
  flipped: false,
  analysing: false,
  lines: 3,
  playing: null, // see serve_play.js
  setUp: null, // the board that is being set up, see serve_setup.js
  hint: null, // { node, moves }
};
desk.node = desk.game.root;

const Keeping = (() => {
  const HERE = "cythera-desk"; // of this tab: a reload finds it again
  const LAST = "cythera-game"; // of all tabs: a game that has not ended

  const pack = () => JSON.stringify({ game: Tree.pack(desk.game), trail: Tree.trail(desk.node),
    flipped: desk.flipped, analysing: desk.analysing, lines: desk.lines, playing: desk.playing });

  const save = () => {
    try {
      const text = pack();
      sessionStorage.setItem(HERE, text);
      if (desk.playing && !desk.playing.over) localStorage.setItem(LAST, text);
    } catch { /* no room, or not allowed: the game lives as long as the page */ }
  };

  const forget = () => {
    try {
      localStorage.removeItem(LAST);
    } catch { /* as above */ }
  };

  const read = (storage, name) => {
    try {
      return JSON.parse(storage.getItem(name));
    } catch {
      return null;
    }
  };

  const unpack = (kept) => {
    const { flipped, analysing, lines, playing } = kept;
    const game = Tree.unpack(kept.game);
    Object.assign(desk, { game, node: Tree.follow(game, kept.trail), flipped, analysing, lines,
      playing });
  };

  // What was kept may be from another version of the page.
  const restore = (kept) => {
    if (!kept) return false;
    try {
      unpack(kept);
      return true;
    } catch {
      return false;
    }
  };

  return { save, forget, restore, here: () => read(sessionStorage, HERE),
    last: () => read(localStorage, LAST) };
})();

const positionOf = (node) =>
  ({ fen: desk.game.fen, chess960: desk.game.chess960, moves: Tree.path(node) });

const complain = (error) => Show.say(error.message, true);

// Which squares a piece may go to, and the moves that lead there.

const kingTarget = (uci, board) => {
  const [from, to] = [Boards.squareOf(uci), Boards.squareOf(uci.slice(2))];
  if ((board[from] || "").toLowerCase() !== "k") return -1;
  const row = from - (from % 8);
  const own = board[to] !== "" && Boards.isWhite(board[to]) === Boards.isWhite(board[from]);
  if (own) return row + (to > from ? 6 : 2); // written as the king taking its rook
  return Math.abs(to - from) === 2 && row === to - (to % 8) ? row + (to > from ? 7 : 0) : -1;
};

const targetsFrom = (square) => {
  const targets = new Map();
  const node = desk.node;
  if (!node.info || !mayMove(node)) return targets;
  const moves = node.info.legal.filter((uci) => Boards.squareOf(uci) === square);
  for (const uci of moves) {
    const to = Boards.squareOf(uci.slice(2));
    targets.set(to, [...(targets.get(to) || []), uci]);
  }
  // Castling may be shown either way: the king to its place, or onto its rook.
  for (const uci of moves) {
    const other = kingTarget(uci, node.board);
    if (other >= 0 && other !== square && !targets.has(other)) targets.set(other, [uci]);
  }
  return targets;
};

// Searches: at most one is wanted at any time.

const Search = (() => {
  const PAUSE = 120; // milliseconds: whoever walks quickly through a game asks less often
  let wanted = null; // the node that is analysed
  let since = -PAUSE;
  let timer = 0;

  const forget = () => { wanted = null; };

  const hear = (node, found) => {
    node.found = found;
    if (node === desk.node) drawEvaluation();
  };

  const begin = () => {
    timer = 0;
    since = performance.now();
    const node = wanted;
    if (node === null) return;
    talk.follow("analyse", { ...positionOf(node), lines: desk.lines },
      (found) => hear(node, found), complain);
  };

  const analyse = (node) => {
    if (wanted === node) return;
    wanted = node;
    if (timer) return;
    const left = since + PAUSE - performance.now();
    if (left <= 0) begin();
    else timer = setTimeout(begin, left);
  };

  const end = () => {
    forget();
    talk.end();
  };

  // Something else took the search's place.
  const again = () => {
    forget();
    refresh();
  };

  return { analyse, end, forget, again };
})();

const wantsAnalysis = () => desk.analysing && !desk.setUp && !engineIsToMove()
  && !(desk.node.info && desk.node.info.legal.length === 0);

const seek = () => {
  if (!talk.isOpen()) return;
  look(desk.node);
  if (engineIsToMove()) think();
  else if (wantsAnalysis()) Search.analyse(desk.node);
  else Search.end();
};

// What the server says about a position is asked for once.
const look = (node) => {
  if (node.info || node.isAsked) return;
  node.isAsked = true;
  talk.ask("look", positionOf(node)).then((info) => {
    node.info = info;
    if (node.parent) node.san = info.last.san;
    noteEnding(node);
    refresh();
  }, complain).finally(() => { node.isAsked = false; });
};

// Drawing

const arrowsOf = (node) => {
  const toArrow = (uci, kind) =>
    ({ from: Boards.squareOf(uci), to: Boards.squareOf(uci.slice(2)), kind });
  if (desk.hint && desk.hint.node === node) return [toArrow(desk.hint.moves[0], "hint")];
  if (!wantsAnalysis() || !node.found) return [];
  return node.found.lines
    .map((line, index) => toArrow(line.moves[0], index ? "other" : "best")).reverse();
};

const drawEvaluation = () => {
  const node = desk.node;
  const found = wantsAnalysis() && node.found && node.found.lines.length ? node.found : null;
  if (found) Show.drawFound(desk.game, node, found);
  else Show.clearFound();
  const told = Tree.readEval(node.comment);
  if (found) Show.drawBar(found.lines[0].score, found.lines[0].chance, desk.flipped);
  else if (told !== null) Show.drawBar(told, Show.chanceOf(told), desk.flipped);
  else Show.drawBar(desk.analysing ? 0 : null, 500, desk.flipped);
  board.show({ arrows: desk.setUp ? [] : arrowsOf(node) });
};

const drawBoard = () => {
  const node = desk.node;
  if (desk.setUp) {
    board.show({ position: desk.setUp.position, flipped: desk.flipped, check: null, editing: true });
  } else {
    board.show({ position: node, flipped: desk.flipped, check: node.info && node.info.check,
      editing: false });
  }
};

const refresh = () => {
  seek();
  drawBoard();
  drawEvaluation();
  Show.drawTitle(desk.game);
  Show.drawMoves(desk.game, desk.node);
  Show.drawCurve(desk.game, desk.node);
  Show.describeNode(desk.game, desk.node);
  drawGame();
  Show.find("analyse").setAttribute("aria-pressed", String(desk.analysing));
  Keeping.save();
};

// Going somewhere, playing something

const goTo = (node) => {
  if (desk.setUp) return;
  desk.node = node;
  desk.hint = null;
  refresh();
};

const openGame = (game, node = game.root) => {
  Object.assign(desk, { game, playing: null, setUp: null, hint: null });
  leaveGame();
  goTo(node);
};

const playMove = (uci, san = "") => {
  const node = Tree.add(desk.node, uci, san);
  pressClock(node);
  goTo(node);
};

const chooseMove = async (from, to) => {
  const node = desk.node;
  const moves = targetsFrom(from).get(to);
  if (!moves) return;
  let uci = moves[0];
  if (moves.length > 1) {
    const kind = await Show.askPromotion(Boards.isWhite(node.board[from]), board.shape);
    Show.find("board").focus({ preventScroll: true });
    uci = moves.find((move) => move[4] === kind);
  }
  if (uci && desk.node === node) playMove(uci);
  else board.draw();
};

const playTyped = (text) => {
  const node = desk.node;
  if (!mayMove(node)) return Promise.resolve(false);
  return talk.ask("look", { ...positionOf(node), typed: text }).then((info) => {
    if (desk.node !== node) return false;
    playMove(info.last.uci, info.last.san);
    return true;
  }, (error) => {
    complain(error);
    return false;
  });
};
