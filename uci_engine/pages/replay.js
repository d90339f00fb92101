// Walks through one game at a time: its board, its moves, its curve, by buttons and keys.
"use strict";

// A game has `fen`, `squares`, `san`, `result`, and `book` moves from an opening. What differs
// between pages is given: what is said about a ply, the lines of the curve (drawn on 400 by 100,
// `across` is where a ply is), more such pictures by the names of their elements, how a move's word
// looks, the arrows on the board, who hears of a ply that is shown, keys that press more buttons.
const makeReplay = ({ describe, curve, pictures = {}, dress = () => {}, arrows = () => [],
  hear = () => {}, keys = {} }) => {
  const find = (id) => document.getElementById(id);
  const { make } = Boards;
  const drawings = { curve, ...pictures };
  let game = null;
  let positions = [];
  let ply = 0;
  let flipped = false;
  let timer = 0;

  const across = (number) => 4 + (392 * number) / Math.max(1, positions.length - 1);

  const drawBoard = () =>
    Boards.draw(find("board"), positions[ply], { flipped, arrows: arrows(game, ply) });

  const drawPictures = () => {
    const x = across(ply);
    for (const [id, draw] of Object.entries(drawings)) {
      find(id).replaceChildren(...draw(game, across),
        make("svg:line", { x1: x, x2: x, y1: 2, y2: 98, class: "now" }));
    }
  };

  const writeMoves = () => {
    const [, turn, , , , number] = game.fen.split(" ");
    let count = Number(number) || 1;
    let white = turn !== "b";
    const parts = [];
    game.san.split(" ").filter(Boolean).forEach((text, index) => {
      if (white || index === 0) parts.push(make("span", {}, `${count}${white ? "." : "…"} `));
      const name = index < game.book ? "move book" : "move";
      const word = make("span", { class: name, "data-ply": index + 1 }, text);
      dress(game, index, word);
      parts.push(word, document.createTextNode(" "));
      if (!white) count++;
      white = !white;
    });
    parts.push(document.createTextNode(game.result));
    find("moves").replaceChildren(...parts);
  };

  const show = (number) => {
    ply = Math.max(0, Math.min(positions.length - 1, number));
    drawBoard();
    drawPictures();
    find("said").textContent = describe(game, ply);
    const list = find("moves");
    list.querySelector(".now")?.classList.remove("now");
    const word = list.querySelector(`[data-ply="${ply}"]`);
    if (word) {
      word.classList.add("now");
      // Only the list scrolls, never the page.
      list.scrollTop = word.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
    hear(ply);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    find("run").textContent = "play";
  };

  const run = () => {
    if (timer) return stop();
    if (ply === positions.length - 1) show(0);
    find("run").textContent = "pause";
    timer = setInterval(() => {
      show(ply + 1);
      if (ply === positions.length - 1) stop();
    }, 700);
    return undefined;
  };

  const open = (chosen, title, number = 0) => {
    stop();
    game = chosen;
    positions = Boards.unfold(game.fen, game.squares);
    find("title").textContent = title;
    writeMoves();
    show(number);
  };

  const goTo = (number) => {
    stop();
    show(number);
  };

  // The ply at a point of a picture.
  const plyAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = (400 * (event.clientX - box.left)) / box.width;
    return Math.round(((x - 4) / 392) * (positions.length - 1));
  };

  // Who listens to what

  find("moves").addEventListener("click", (event) => {
    const word = event.target.closest("[data-ply]");
    if (word) goTo(Number(word.dataset.ply));
  });
  for (const id of Object.keys(drawings)) {
    find(id).addEventListener("click", (event) => goTo(plyAt(event)));
  }
  const steps = {
    begin: () => show(0),
    back: () => show(ply - 1),
    run,
    next: () => show(ply + 1),
    end: () => show(positions.length - 1),
    flip: () => { flipped = !flipped; drawBoard(); },
  };
  for (const [id, act] of Object.entries(steps)) {
    find(id).addEventListener("click", () => { if (id !== "run" && id !== "flip") stop(); act(); });
  }
  const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "begin", End: "end", f: "flip",
    ...keys };
  document.addEventListener("keydown", (event) => {
    const id = KEYS[event.key];
    if (!id || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    event.preventDefault();
    find(id).click();
  });

  return { open, goTo, plyAt, positionAt: (number) => positions[number] };
};

// A table whose rows are chosen by mouse or keyboard.
const makeChoice = (table, choose) => {
  const rowOf = (event) => event.target.closest("tbody tr");
  table.addEventListener("click", (event) => { if (rowOf(event)) choose(rowOf(event)); });
  table.addEventListener("keydown", (event) => {
    if (!rowOf(event) || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choose(rowOf(event));
  });
};
