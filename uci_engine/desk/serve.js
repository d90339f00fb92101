// Who listens to what: the page's buttons, keys and files.
"use strict";

const { find } = Show;
const LARGEST_FILE = 400000; // bytes of PGN

const board = makeBoard(find("board"), {
  targetsOf: targetsFrom,
  onMove: chooseMove,
  onPut: SetUp.put,
  onCursor: (text) => { find("cursor").textContent = text; },
});

const talk = makeTalk({
  onOpen: () => {
    leaveGame();
    refresh();
  },
  onClose: (reason) => {
    leaveGame();
    Show.say(reason, true);
  },
});

// ---- walking

const steps = {
  begin: () => goTo(desk.game.root),
  back: () => { if (desk.node.parent) goTo(desk.node.parent); },
  next: () => { if (desk.node.children.length) goTo(desk.node.children[0]); },
  end: () => goTo(Tree.last(desk.node)),
  flip: () => {
    desk.flipped = !desk.flipped;
    refresh();
  },
  analyse: () => {
    desk.analysing = !desk.analysing;
    if (!desk.analysing) desk.node.found = null;
    refresh();
  },
};
for (const [id, act] of Object.entries(steps)) find(id).addEventListener("click", act);

const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "begin", End: "end", f: "flip",
  a: "analyse" };
document.addEventListener("keydown", (event) => {
  const id = KEYS[event.key];
  if (!id || event.ctrlKey || event.altKey || event.metaKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  event.preventDefault();
  steps[id]();
});

const chooseWord = (event) => {
  const word = event.target.closest(".move");
  if (word && word.node) goTo(word.node);
};
find("moves").addEventListener("click", chooseWord);
find("moves").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  chooseWord(event);
});

find("curve").addEventListener("click", (event) => {
  const box = find("curve").getBoundingClientRect();
  const nodes = Tree.mainLine(desk.game);
  goTo(nodes[Math.round(((event.clientX - box.left) / box.width) * (nodes.length - 1))]);
});

find("typed").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !find("typed").value.trim()) return;
  playTyped(find("typed").value.trim()).then((played) => { if (played) find("typed").value = ""; });
});

// ---- analysis

find("lines").addEventListener("change", () => {
  desk.lines = Number(find("lines").value);
  Search.again();
});

find("found").addEventListener("click", (event) => {
  const word = event.target.closest("button");
  if (!word || isOn()) return;
  let node = desk.node;
  word.moves.forEach((uci, index) => { node = Tree.add(node, uci, word.sans[index]); });
  goTo(node);
});

// ---- playing

for (let elo = 800; elo <= 2800; elo += 100) find("level").append(new Option(`${elo} Elo`, elo));
find("level").append(new Option("full strength", ""));
find("level").value = "1500";

const readSettings = () => {
  const [base, increment] = (find("clock").value || "0+0").split("+").map((part) => 1000 * part);
  const colour = find("colour").value;
  const human = colour === "random" ? Math.round(Math.random()) : colour === "black" ? 1 : 0;
  return { human, elo: Number(find("level").value) || null, base, increment,
    atOnce: find("at-once").checked };
};

find("new-game").addEventListener("click", () => {
  const settings = readSettings();
  const from = find("from").value;
  if (from === "960") {
    talk.ask("start", { choice: Math.floor(960 * Math.random()) })
      .then((info) => beginGame(settings, info.fen, true), complain);
  } else if (from === "here" && desk.node.info) {
    beginGame(settings, desk.node.info.fen, desk.game.chess960);
  } else beginGame(settings, Tree.START, false);
});

find("continue").addEventListener("click", () => {
  if (Keeping.restore(Keeping.last())) {
    leaveGame();
    find("continue").hidden = true;
    goTo(lastNode());
  }
});

find("take-back").addEventListener("click", takeBack);
find("resign").addEventListener("click", resign);
find("offer-draw").addEventListener("click", offerDraw);
find("hint").addEventListener("click", showHint);

// ---- games of others

let source = "";

const readGames = (text, choice = 0) => {
  talk.ask("games", { games: text, choice }).then(({ titles, game }) => {
    source = text;
    find("choice").replaceChildren(...titles.map((title, index) => new Option(title, index)));
    find("choice").value = choice;
    find("choice-row").hidden = titles.length < 2;
    openGame(Tree.unpack(game));
    if (game.problem) Show.say(game.problem, true);
  }, complain);
};

const readFile = (file) => {
  if (!file) return;
  if (file.size > LARGEST_FILE) {
    Show.say(`${file.name} is too large: at most ${LARGEST_FILE / 1000} kB of games`, true);
  } else file.text().then((text) => readGames(text), complain);
};

find("read-pgn").addEventListener("click", () => readGames(find("pgn").value));
find("choice").addEventListener("change", () => readGames(source, Number(find("choice").value)));
find("file").addEventListener("change", () => readFile(find("file").files[0]));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  readFile(event.dataTransfer.files[0]);
});

// ---- copies

// Where a page may not use the clipboard, an old way may still be open.
const copyOldWay = (text) => {
  const field = Boards.make("textarea", { class: "hidden" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
};

const copy = async (text, what) => {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = copyOldWay(text);
  }
  find("copied").textContent = done ? `${what} copied` : "the browser does not allow it";
};

find("copy-fen").addEventListener("click", () => {
  const { info } = desk.node;
  if (info) copy(info.fen, "FEN");
});
find("copy-pgn").addEventListener("click", () => copy(Tree.writePgn(desk.game), "PGN"));

// ---- the beginning

SetUp.fillPalette(board.shape);
SetUp.listen();
addEventListener("pagehide", Keeping.save);
if (!Keeping.restore(Keeping.here())) find("continue").hidden = !Keeping.last();
find("lines").value = desk.lines;
refresh();
