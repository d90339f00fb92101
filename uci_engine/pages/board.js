// Boards for all pages. Text goes in as text, never as HTML; nothing is fetched.
"use strict";

const Boards = (() => {
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const SVG = "http://www.w3.org/2000/svg";
  const MATE = 100000;

  const make = (kind, attributes = {}, text = "") => {
    const element = kind.startsWith("svg:")
      ? document.createElementNS(SVG, kind.slice(4))
      : document.createElement(kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text) element.textContent = text;
    return element;
  };

  // Boards: 64 letters from a1 to h8, empty ones are "".
  const readFen = (fen) => {
    const board = Array(64).fill("");
    fen.split(" ")[0].split("/").forEach((row, index) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else board[8 * (7 - index) + file++] = letter;
      }
    });
    return board;
  };

  const isWhite = (piece) => piece === piece.toUpperCase();

  const squareName = (square) => "abcdefgh"[square % 8] + ((square >> 3) + 1);

  const squareOf = (name) => "abcdefgh".indexOf(name[0]) + 8 * (Number(name[1]) - 1);

  // The squares of a move: where a piece leaves, where it arrives, and what it becomes there.
  const move = (before, from, to, promotion) => {
    const board = before.slice();
    if (from === to) return board; // somebody passes
    const piece = board[from];
    const own = board[to] !== "" && isWhite(board[to]) === isWhite(piece);
    const isKing = piece.toLowerCase() === "k";
    board[from] = "";
    if (isKing && (own || Math.abs(to - from) === 2)) {
      // Castling is written as the king's two steps, or as the king taking its rook.
      const short = to > from;
      const row = from - (from % 8);
      const rook = own ? to : row + (short ? 7 : 0);
      board[rook] = "";
      board[row + (short ? 6 : 2)] = piece;
      board[row + (short ? 5 : 3)] = isWhite(piece) ? "R" : "r";
      return board;
    }
    if (piece.toLowerCase() === "p" && from % 8 !== to % 8 && board[to] === "") {
      board[from - (from % 8) + (to % 8)] = ""; // en passant
    }
    board[to] = promotion ? (isWhite(piece) ? promotion.toUpperCase() : promotion) : piece;
    return board;
  };

  // All positions of a line, the given one included, with the squares of the move that led there.
  const follow = (start, text) => {
    const positions = [start];
    for (let index = 0; index < text.length; ) {
      const from = ALPHABET.indexOf(text[index++]);
      const to = ALPHABET.indexOf(text[index++]);
      const promotion = text[index] === "=" ? text[(index += 2) - 1] : "";
      const { board } = positions[positions.length - 1];
      positions.push({ board: move(board, from, to, promotion), from, to });
    }
    return positions;
  };

  const unfold = (fen, text) => follow({ board: readFen(fen), from: -1, to: -1 }, text);

  const place = (square, flipped) => {
    const [file, rank] = [square % 8, square >> 3];
    return flipped ? [7 - file, rank] : [file, 7 - rank];
  };

  // The square under the pointer, or -1.
  const squareAt = (svg, event, flipped) => {
    const box = svg.getBoundingClientRect();
    const x = Math.floor((8 * (event.clientX - box.left)) / box.width);
    const y = Math.floor((8 * (event.clientY - box.top)) / box.height);
    if (x < 0 || x > 7 || y < 0 || y > 7) return -1;
    return flipped ? 8 * y + 7 - x : 8 * (7 - y) + x;
  };

  const drawArrow = ({ from, to, kind }, flipped) => {
    const [x1, y1] = place(from, flipped).map((value) => 10 * value + 5);
    const [x2, y2] = place(to, flipped).map((value) => 10 * value + 5);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [x, y] = [x2 - 3.4 * dx, y2 - 3.4 * dy]; // where the head begins
    const head = [[x2 - 0.4 * dx, y2 - 0.4 * dy], [x - 1.9 * dy, y + 1.9 * dx],
      [x + 1.9 * dy, y - 1.9 * dx]];
    const group = make("svg:g", { class: `arrow ${kind}` });
    group.append(
      make("svg:line", { x1, y1, x2: x, y2: y }),
      make("svg:polygon", { points: head.map((point) => point.map((value) =>
        value.toFixed(1)).join(",")).join(" ") }));
    return group;
  };

  // `marks` are classes by square; `arrows` have from, to and kind.
  const draw = (svg, position, { flipped = false, arrows = [], marks = new Map() } = {}) => {
    const { board, from, to } = position;
    const parts = [];
    const pieces = [];
    for (let square = 0; square < 64; square++) {
      const [x, y] = place(square, flipped);
      const shade = (square + (square >> 3)) % 2 ? "light" : "dark";
      const box = { x: 10 * x, y: 10 * y, width: 10, height: 10 };
      parts.push(make("svg:rect", { ...box, class: shade }));
      if (square === from || square === to) parts.push(make("svg:rect", { ...box, class: "last" }));
      if (marks.has(square)) parts.push(make("svg:rect", { ...box, class: marks.get(square),
        "data-square": squareName(square) }));
      if (y === 7) parts.push(make("svg:text",
        { x: 10 * x + 7.6, y: 79, class: "coordinate" }, "abcdefgh"[square % 8]));
      if (x === 0) parts.push(make("svg:text",
        { x: 0.6, y: 10 * y + 3, class: "coordinate" }, String((square >> 3) + 1)));
      const piece = board[square];
      if (piece) {
        const name = `${isWhite(piece) ? "white" : "black"}-${PIECES[piece.toLowerCase()]}`;
        pieces.push(make("svg:use", { href: `#${name}`,
          transform: `translate(${10 * x},${10 * y}) scale(${10 / 45})` }));
      }
    }
    svg.replaceChildren(...parts, ...pieces,
      ...arrows.map((arrow) => drawArrow(arrow, flipped)));
  };

  // A score from White's side in centipawns, or a mate.
  const scoreText = (score) => {
    if (score === null || score === undefined) return "";
    if (Math.abs(score) >= MATE) return `${score < 0 ? "−" : ""}#${Math.abs(score) - MATE}`;
    return `${score < 0 ? "−" : "+"}${(Math.abs(score) / 100).toFixed(2)}`;
  };

  return { ALPHABET, MATE, make, readFen, isWhite, squareName, squareOf, move, follow, unfold,
    squareAt, draw, scoreText };
})();
