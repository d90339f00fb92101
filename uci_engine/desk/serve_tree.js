// A game as a tree of moves: walked through, added to, kept, and written as PGN.
"use strict";

const Tree = (() => {
  const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const GLYPHS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };
  const LINE = 80; // columns of PGN

  const makeNode = (parent, uci, san) => {
    const from = uci ? Boards.squareOf(uci) : -1;
    const to = uci ? Boards.squareOf(uci.slice(2)) : -1;
    const board = parent && Boards.move(parent.board, from, to, uci.slice(4));
    return { parent, uci, san, from, to, board, children: [], comment: "", before: "", nags: [],
      info: null, clocks: null };
  };

  const fresh = ({ fen = START, chess960 = false, headers = {} } = {}) => {
    const root = makeNode(null, "", "");
    root.board = Boards.readFen(fen);
    return { fen, chess960, headers, root, result: "*" };
  };

  // The child by this move; a new one if it was never played here.
  const add = (node, uci, san = "") => {
    const known = node.children.find((child) => child.uci === uci);
    if (known) return known;
    const child = makeNode(node, uci, san);
    node.children.push(child);
    return child;
  };

  const remove = (node) => {
    node.parent.children = node.parent.children.filter((child) => child !== node);
  };

  const path = (node) => {
    const moves = [];
    for (let here = node; here.parent; here = here.parent) moves.unshift(here.uci);
    return moves;
  };

  const last = (node) => {
    let here = node;
    while (here.children.length) here = here.children[0];
    return here;
  };

  const mainLine = (game) => {
    const nodes = [game.root];
    while (nodes[nodes.length - 1].children.length) nodes.push(nodes[nodes.length - 1].children[0]);
    return nodes;
  };

  const ply = (node) => {
    let count = 0;
    for (let here = node; here.parent; here = here.parent) count += 1;
    return count;
  };

  // Whose move it is, and the number of that move.
  const turnAt = (game, node) => {
    const fields = game.fen.split(" ");
    const passed = ply(node) + (fields[1] === "b" ? 1 : 0);
    return { white: passed % 2 === 0, number: (Number(fields[5]) || 1) + (passed >> 1) };
  };

  /* What is kept and what the server sends: a list of moves, each with the variations that
     replace it. */

  const addLine = (parent, moves) => {
    let node = parent;
    for (const move of moves) {
      const child = makeNode(node, move.uci, move.san);
      child.comment = move.comment || "";
      child.nags = move.nags || [];
      child.clocks = move.clocks || null;
      node.children.push(child);
      for (const other of move.others || []) {
        const count = node.children.length;
        addLine(node, other.moves);
        if (node.children.length > count) node.children[count].before = other.comment || "";
      }
      node = child;
    }
  };

  const listLine = (first) => {
    const moves = [];
    for (let node = first; node; node = node.children[0]) {
      const move = { uci: node.uci, san: node.san };
      if (node.comment) move.comment = node.comment;
      if (node.nags.length) move.nags = node.nags;
      if (node.clocks) move.clocks = node.clocks;
      const others = node.parent.children[0] === node ? node.parent.children.slice(1) : [];
      if (others.length) {
        move.others = others.map((other) => ({ comment: other.before, moves: listLine(other) }));
      }
      moves.push(move);
    }
    return moves;
  };

  const unpack = (told) => {
    const game = fresh(told);
    game.result = told.result;
    game.root.comment = told.comment || "";
    addLine(game.root, told.moves);
    return game;
  };

  const pack = (game) => ({ fen: game.fen, chess960: game.chess960, headers: game.headers,
    result: game.result, comment: game.root.comment,
    moves: game.root.children.length ? listLine(game.root.children[0]) : [] });

  // A place in the tree as the numbers of the children on the way to it.
  const trail = (node) => {
    const steps = [];
    for (let here = node; here.parent; here = here.parent) {
      steps.unshift(here.parent.children.indexOf(here));
    }
    return steps;
  };

  const follow = (game, steps) => {
    let node = game.root;
    for (const step of steps) {
      if (!node.children[step]) break;
      node = node.children[step];
    }
    return node;
  };

  // What comments say

  const readEval = (comment) => {
    const found = /\[%eval\s+(#)?([+-]?[\d.]+)/.exec(comment);
    if (!found) return null;
    const value = Number(found[2]);
    if (Number.isNaN(value)) return null;
    if (!found[1]) return Math.round(100 * value);
    return value < 0 || found[2].startsWith("-") ? value - Boards.MATE : value + Boards.MATE;
  };

  const plainComment = (comment) => comment.replace(/\[%[^\]]*\]/g, "").replace(/\s+/g, " ").trim();

  // PGN

  const quote = (text) => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"');

  const clockText = (milliseconds) => {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    const two = (number) => String(number).padStart(2, "0");
    return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  };

  const commentOf = (game, node) => {
    const clock = node.clocks && !node.comment.includes("[%clk")
      ? `[%clk ${clockText(node.clocks[turnAt(game, node).white ? 1 : 0])}]` : "";
    return [clock, node.comment].filter(Boolean).join(" ").replace(/[{}]/g, "");
  };

  const wordsOf = (game, node, words, needsNumber) => {
    const turn = turnAt(game, node.parent);
    if (turn.white || needsNumber) words.push(`${turn.number}${turn.white ? "." : "..."}`);
    words.push(node.san, ...node.nags.map((nag) => `$${nag}`));
    const comment = commentOf(game, node);
    // A line may end between the words of a comment, but not inside a command such as [%eval 0.3].
    if (comment) words.push(...`{${comment}}`.match(/(?:\[%[^\]]*\]|\S)+/g));
    return comment !== "";
  };

  const writeLine = (game, first, words) => {
    let broken = true; // what stands before the next move is not a move: its number is due
    for (let node = first; node; node = node.children[0]) {
      broken = wordsOf(game, node, words, broken);
      const others = node.parent.children[0] === node ? node.parent.children.slice(1) : [];
      for (const other of others) {
        const inside = other.before ? [`{${other.before.replace(/[{}]/g, "")}}`] : [];
        writeLine(game, other, inside);
        inside[0] = `(${inside[0]}`;
        inside[inside.length - 1] += ")";
        words.push(...inside);
        broken = true;
      }
    }
  };

  const fill = (words) => {
    const lines = [""];
    for (const word of words) {
      const line = lines[lines.length - 1];
      if (line && line.length + 1 + word.length > LINE) lines.push(word);
      else lines[lines.length - 1] = line ? `${line} ${word}` : word;
    }
    return lines.join("\n");
  };

  const writePgn = (game) => {
    const headers = { Event: "?", Site: "?", Date: "????.??.??", Round: "?", White: "?",
      Black: "?", ...game.headers, Result: game.result };
    if (game.chess960) headers.Variant = "Chess960";
    if (game.fen !== START || game.chess960) Object.assign(headers, { SetUp: "1", FEN: game.fen });
    const words = game.root.comment ? [`{${game.root.comment.replace(/[{}]/g, "")}}`] : [];
    if (game.root.children.length) writeLine(game, game.root.children[0], words);
    const tags = Object.entries(headers).map(([name, value]) => `[${name} "${quote(value)}"]`);
    return `${tags.join("\n")}\n\n${fill([...words, game.result])}\n`;
  };

  return { START, GLYPHS, fresh, add, remove, path, last, mainLine, ply, turnAt, unpack, pack, trail,
    follow, readEval, plainComment, clockText, writePgn };
})();
