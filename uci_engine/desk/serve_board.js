// A board to play on: pieces are dragged, clicked, or moved by keys.
"use strict";

// `targetsOf(square)` gives a Map of the squares that a piece may go to; `onMove(from, to)` hears
// what was chosen, `onPut(from, to)` what was done while the board is set up (-1: off the board).
const makeBoard = (svg, { targetsOf, onMove, onPut, onCursor }) => {
  const FAR = 4; // pixels: less is a click and no drag
  const { make } = Boards;
  const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const state = { position: null, flipped: false, arrows: [], check: null, editing: false };
  let selected = -1;
  let cursor = -1;
  let drag = null; // { from, x, y, far }

  const shape = (piece) =>
    `#${Boards.isWhite(piece) ? "white" : "black"}-${NAMES[piece.toLowerCase()]}`;

  const centre = (square) => {
    const [file, rank] = [square % 8, square >> 3];
    return state.flipped ? [10 * (7 - file) + 5, 10 * rank + 5] : [10 * file + 5, 10 * (7 - rank) + 5];
  };

  const targets = () =>
    (state.editing || selected < 0 ? new Map() : targetsOf(selected));

  const drawTarget = (square) => {
    const [cx, cy] = centre(square);
    return state.position.board[square]
      ? make("svg:circle", { cx, cy, r: 4.3, class: "taking" })
      : make("svg:circle", { cx, cy, r: 1.5, class: "target" });
  };

  const drawLifted = () => {
    const box = svg.getBoundingClientRect();
    const scale = 80 / box.width;
    const [x, y] = [(drag.x - box.left) * scale - 5, (drag.y - box.top) * scale - 5];
    return make("svg:use", { href: shape(state.position.board[drag.from]), class: "lifted",
      transform: `translate(${x.toFixed(2)},${y.toFixed(2)}) scale(${10 / 45})` });
  };

  const draw = () => {
    if (!state.position) return;
    const marks = new Map();
    if (state.check !== null && state.check !== undefined) marks.set(state.check, "check");
    if (selected >= 0) marks.set(selected, "selected");
    const isLifted = drag !== null && drag.far;
    const board = state.position.board.slice();
    if (isLifted) board[drag.from] = "";
    Boards.draw(svg, { ...state.position, board },
      { flipped: state.flipped, arrows: isLifted ? [] : state.arrows, marks });
    svg.append(...[...targets().keys()].map(drawTarget));
    if (cursor >= 0) {
      const [x, y] = centre(cursor).map((value) => value - 4.6);
      svg.append(make("svg:rect", { x, y, width: 9.2, height: 9.2, class: "cursor" }));
    }
    if (isLifted) svg.append(drawLifted());
  };

  const select = (square) => {
    selected = square;
    draw();
  };

  const canLift = (square) => square >= 0 && state.position.board[square] !== ""
    && (state.editing || targetsOf(square).size > 0);

  // A square was chosen, by a click or by Enter; true if that did something.
  const choose = (square) => {
    if (state.editing) {
      onPut(-1, square);
      return true;
    }
    if (selected >= 0 && targets().has(square)) {
      const from = selected;
      select(-1);
      onMove(from, square);
      return true;
    }
    return false;
  };

  const letGo = () => {
    drag = null;
    select(-1);
  };

  // The mouse, the finger, the pen

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary || !state.position) return;
    const square = Boards.squareAt(svg, event, state.flipped);
    cursor = -1;
    if (!state.editing && choose(square)) return;
    if (!canLift(square)) {
      if (state.editing && square >= 0) choose(square);
      else select(-1);
      return;
    }
    svg.setPointerCapture(event.pointerId);
    drag = { from: square, x: event.clientX, y: event.clientY, far: false,
      again: selected === square };
    if (!state.editing) select(square);
  });

  svg.addEventListener("pointermove", (event) => {
    if (!drag || !event.isPrimary) return;
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > FAR) drag.far = true;
    if (drag.far) {
      drag.x = event.clientX;
      drag.y = event.clientY;
      draw();
    }
  });

  svg.addEventListener("pointerup", (event) => {
    if (!drag || !event.isPrimary) return;
    const { from, far, again } = drag;
    const square = Boards.squareAt(svg, event, state.flipped);
    drag = null;
    if (state.editing) {
      if (far) onPut(from, square);
      else choose(from);
      draw();
    } else if (far) {
      if (square === from) draw();
      else if (!choose(square)) select(-1);
    } else if (again) select(-1);
    else draw();
  });

  svg.addEventListener("pointercancel", letGo);

  // The keys

  const nameOf = (square) => {
    const piece = state.position.board[square];
    const man = piece
      ? `${Boards.isWhite(piece) ? "white" : "black"} ${NAMES[piece.toLowerCase()]}` : "empty";
    return `${Boards.squareName(square)}, ${man}`;
  };

  const step = (right, up) => {
    const sign = state.flipped ? -1 : 1;
    if (cursor < 0) cursor = selected >= 0 ? selected : state.flipped ? 59 : 4;
    const file = (cursor % 8) + sign * right;
    const rank = (cursor >> 3) + sign * up;
    if (file >= 0 && file < 8 && rank >= 0 && rank < 8) cursor = 8 * rank + file;
    onCursor(nameOf(cursor) + (targets().has(cursor) ? ", can go here" : ""));
    draw();
  };

  const press = () => {
    if (cursor < 0) step(0, 0);
    else if (!choose(cursor)) {
      select(canLift(cursor) && cursor !== selected ? cursor : -1);
      onCursor(selected >= 0 ? `${nameOf(selected)}, taken` : nameOf(cursor));
    }
  };

  const KEYS = {
    ArrowLeft: () => step(-1, 0),
    ArrowRight: () => step(1, 0),
    ArrowUp: () => step(0, 1),
    ArrowDown: () => step(0, -1),
    Enter: press,
    " ": press,
    Escape: () => { cursor = -1; letGo(); },
  };

  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !KEYS[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    KEYS[event.key]();
  });

  svg.addEventListener("blur", () => {
    cursor = -1;
    draw();
  });

  // What is shown; what is not named stays as it is.
  const show = (changes) => {
    if (changes.position && changes.position !== state.position) {
      selected = -1;
      drag = null;
    }
    Object.assign(state, changes);
    draw();
  };

  return { show, draw, shape, isFlipped: () => state.flipped };
};
