// A game against the engine: whose turn it is, the clocks, and how it ends.
"use strict";

/* desk.playing: human (0 White, 1 Black), elo (null: all of its strength), increment and clocks in
   milliseconds (null without), atOnce, over. */

const TICK = 100; // milliseconds
const COLOURS = ["White", "Black"];

let thinkingAbout = null; // the node whose answer is awaited

const isOn = () => desk.playing !== null && !desk.playing.over;

const lastNode = () => Tree.last(desk.game.root);

const sideAt = (node) => (Tree.turnAt(desk.game, node).white ? 0 : 1);

const engineIsToMove = () => isOn() && !desk.setUp && sideAt(lastNode()) !== desk.playing.human
  && !(lastNode().info && lastNode().info.ending);

// In a game only its last position can be played on, by whose turn it is.
const mayMove = (node) => !desk.setUp
  && (!isOn() || (node === lastNode() && sideAt(node) === desk.playing.human));

const leaveGame = () => {
  thinkingAbout = null;
  Search.forget();
};

const today = () => {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}.${two(now.getMonth() + 1)}.${two(now.getDate())}`;
};

const engineName = (elo) => (elo ? `Cythera (${elo})` : "Cythera");

const makeHeaders = ({ human, elo, base, increment }) => {
  const names = human ? [engineName(elo), "You"] : ["You", engineName(elo)];
  return { Event: "Game against Cythera", Site: "?", Date: today(), Round: "-", White: names[0],
    Black: names[1], TimeControl: base ? `${base / 1000}+${increment / 1000}` : "-" };
};

const beginGame = (settings, fen, chess960) => {
  const { human, elo, base, increment, atOnce } = settings;
  leaveGame();
  desk.game = Tree.fresh({ fen, chess960, headers: makeHeaders(settings) });
  Object.assign(desk, { setUp: null, flipped: human === 1, hint: null, playing: { human, elo,
    increment, clocks: base ? [base, base] : null, begin: base, atOnce, over: false } });
  goTo(desk.game.root);
};

const finish = (result, reason) => {
  desk.playing.over = true;
  desk.playing.reason = reason;
  desk.game.result = result;
  desk.game.headers.Termination = reason === "time" ? "time forfeit" : "normal";
  leaveGame();
  Keeping.forget();
  refresh();
};

const win = (side) => (side ? "0-1" : "1-0");

const noteEnding = (node) => {
  if (isOn() && node === lastNode() && node.info && node.info.ending) {
    finish(node.info.result, node.info.ending);
  }
};

// The engine's turn

const think = () => {
  const node = lastNode();
  if (thinkingAbout === node) return;
  thinkingAbout = node;
  Search.end();
  const { elo, clocks, increment, atOnce } = desk.playing;
  const fields = { ...positionOf(node), at_once: atOnce };
  if (elo) fields.elo = elo;
  if (clocks) fields.clocks = [...clocks.map((left) => Math.max(0, Math.round(left))), increment];
  talk.ask("play", fields).then((info) => {
    if (thinkingAbout !== node) return;
    thinkingAbout = null;
    if (!info.last) return; // the game had ended
    const answer = Tree.add(node, info.last.uci, info.last.san);
    answer.info = info;
    pressClock(answer);
    if (desk.node === node) desk.node = answer;
    refresh();
    noteEnding(answer);
  }, () => { if (thinkingAbout === node) thinkingAbout = null; });
};

// Clocks run from the first move on.

const runningSide = () => (isOn() && desk.playing.clocks && lastNode().parent && talk.isOpen()
  ? sideAt(lastNode()) : null);

const pressClock = (node) => {
  if (!isOn() || !desk.playing.clocks) return;
  const { clocks, increment } = desk.playing;
  const mover = sideAt(node.parent);
  if (node.parent.parent) clocks[mover] += increment;
  node.clocks = clocks.map(Math.round);
};

const fallFlag = (side) => {
  const { info } = lastNode();
  const canWin = !info || info.can_win[1 - side];
  finish(canWin ? win(1 - side) : "1/2-1/2", "time");
};

let ticked = performance.now();

const tick = () => {
  const now = performance.now();
  const passed = now - ticked;
  ticked = now;
  const side = runningSide();
  if (side === null) return;
  desk.playing.clocks[side] -= passed;
  if (desk.playing.clocks[side] <= 0) {
    desk.playing.clocks[side] = 0;
    fallFlag(side);
  } else drawClocks();
};

setInterval(tick, TICK);

// What is shown

const drawClocks = () => {
  const playing = desk.playing;
  const { White = "", Black = "" } = desk.game.headers;
  Show.drawPlayers([White, Black], playing && playing.clocks, runningSide(), desk.flipped);
};

const REASONS = { time: "on time" };

const describeGame = () => {
  const { playing, node, game } = desk;
  if (desk.setUp) return "set up a position, then use it";
  if (playing && playing.over) {
    const reason = REASONS[playing.reason] || `by ${playing.reason}`;
    if (game.result === "1/2-1/2") return `drawn ${reason}`;
    return `${game.result === "1-0" ? "White" : "Black"} wins ${reason}`;
  }
  if (engineIsToMove()) return "Cythera is thinking …";
  if (isOn()) return node === lastNode() ? "your move" : "your move, at the end of the game";
  if (node.info && node.info.ending) return node.info.ending;
  return `${COLOURS[sideAt(node)]} to move`;
};

const drawGame = () => {
  if (talk.isOpen()) Show.say(describeGame());
  drawClocks();
  Show.find("game-buttons").hidden = !desk.playing;
  Show.find("take-back").disabled = !canTakeBack();
  for (const id of ["resign", "offer-draw", "hint"]) Show.find(id).disabled = !isOn();
};

// What a player may do besides moving

const pliesBack = () => (sideAt(lastNode()) === desk.playing.human ? 2 : 1);

const canTakeBack = () => desk.playing !== null && Tree.ply(lastNode()) >= pliesBack();

const takeBack = () => {
  if (!canTakeBack()) return;
  if (thinkingAbout) talk.ask("cancel").catch(() => {});
  leaveGame();
  for (let left = pliesBack(); left > 0; left -= 1) {
    const node = lastNode();
    desk.node = node.parent;
    Tree.remove(node);
  }
  const { playing } = desk;
  if (playing.clocks) playing.clocks = [...(lastNode().clocks || [playing.begin, playing.begin])];
  playing.over = false;
  desk.game.result = "*";
  delete desk.game.headers.Termination;
  goTo(lastNode());
};

const resign = () => {
  if (isOn()) finish(win(1 - desk.playing.human), "resignation");
};

const offerDraw = () => {
  const node = lastNode();
  if (!isOn() || sideAt(node) !== desk.playing.human) {
    Show.say("offer a draw when it is your move");
    return;
  }
  talk.ask("draw", positionOf(node)).then(({ agreed }) => {
    if (!isOn() || lastNode() !== node) return;
    if (agreed) finish("1/2-1/2", "agreement");
    else {
      Search.again();
      Show.say("Cythera plays on");
    }
  }, complain);
};

const showHint = () => {
  const node = lastNode();
  if (!isOn() || sideAt(node) !== desk.playing.human) return;
  talk.ask("hint", positionOf(node)).then(({ lines }) => {
    if (lastNode() !== node) return;
    desk.hint = { node, moves: lines[0].moves };
    Search.again();
    Show.say(`try ${lines[0].sans[0]}`);
  }, complain);
};
