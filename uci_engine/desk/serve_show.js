// What stands around the board: moves, found lines, the evaluation's bar and curve, the clocks.
"use strict";

const Show = (() => {
  const find = (id) => document.getElementById(id);
  const { make } = Boards;

  const say = (text, isWrong = false) => {
    find("status").textContent = text;
    find("status").classList.toggle("wrong", isWrong);
  };

  // Lichess's published formula, for scores that come without chances; of a thousand.
  const chanceOf = (score) => {
    if (Math.abs(score) >= Boards.MATE) return score > 0 ? 1000 : 0;
    return 1000 / (1 + Math.exp(-0.00368208 * score));
  };

  // The moves

  const glyphs = (node) => node.nags.map((nag) => Tree.GLYPHS[nag] || `$${nag}`).join("");

  const drawMove = (game, node, current, needsNumber) => {
    const turn = Tree.turnAt(game, node.parent);
    const parts = [];
    if (turn.white || needsNumber) {
      parts.push(make("span", { class: "number" }, `${turn.number}${turn.white ? "." : "…"} `));
    }
    const nags = node.nags.map((nag) => `nag${nag}`).join(" ");
    const word = make("span", { class: `move ${nags}${node === current ? " now" : ""}`,
      role: "button", tabindex: "0" }, (node.san || node.uci) + glyphs(node));
    if (node === current) word.setAttribute("aria-current", "true");
    word.node = node;
    parts.push(word, document.createTextNode(" "));
    const comment = Tree.plainComment(node.comment);
    if (comment) parts.push(make("span", { class: "comment" }, `${comment} `));
    return { parts, isBroken: comment !== "" };
  };

  const drawLine = (game, first, current, place) => {
    let broken = true;
    for (let node = first; node; node = node.children[0]) {
      const { parts, isBroken } = drawMove(game, node, current, broken);
      place.append(...parts);
      broken = isBroken;
      const others = node.parent.children[0] === node ? node.parent.children.slice(1) : [];
      for (const other of others) {
        const block = make("span", { class: "other" });
        const before = Tree.plainComment(other.before);
        if (before) block.append(make("span", { class: "comment" }, `${before} `));
        drawLine(game, other, current, block);
        place.append(block);
        broken = true;
      }
    }
  };

  const drawMoves = (game, current) => {
    const list = find("moves");
    const parts = document.createDocumentFragment();
    const comment = Tree.plainComment(game.root.comment);
    if (comment) parts.append(make("span", { class: "comment" }, `${comment} `));
    if (game.root.children.length) drawLine(game, game.root.children[0], current, parts);
    if (game.result !== "*") parts.append(make("span", { class: "number" }, game.result));
    list.replaceChildren(parts);
    const word = list.querySelector(".now");
    // Only the list scrolls, never the page.
    if (word) list.scrollTop = word.offsetTop - list.clientHeight / 2;
  };

  const drawTitle = (game) => {
    const { White: white, Black: black } = game.headers;
    find("title").textContent = white || black ? `${white || "?"} – ${black || "?"}` : "Moves";
  };

  // The evaluation

  const drawBar = (score, chance, flipped) => {
    const bar = find("bar");
    bar.hidden = score === null;
    if (score === null) return;
    bar.classList.toggle("flipped", flipped);
    find("bar-white").style.height = `${(chance / 10).toFixed(1)}%`;
    find("bar-score").textContent = Boards.scoreText(score);
    find("bar-score").classList.toggle("dark", chance < 500);
    bar.setAttribute("aria-label", `the evaluation: ${Boards.scoreText(score)}`);
  };

  const thousands = (nodes) => (nodes < 10000 ? `${nodes}`
    : nodes < 1e7 ? `${Math.round(nodes / 1000)}k` : `${(nodes / 1e6).toFixed(1)}M`);

  const drawFound = (game, node, found) => {
    const depth = found.lines.length ? `depth ${found.lines[0].depth}, ` : "";
    find("effort").textContent = `${depth}${thousands(found.nodes)} nodes, ${found.time.toFixed(1)} s`
      + (found.done ? ", done" : "");
    find("found").replaceChildren(...found.lines.map((line) => {
      const item = make("li");
      item.append(make("span", { class: "score" }, Boards.scoreText(line.score)));
      const turn = Tree.turnAt(game, node);
      line.sans.forEach((san, index) => {
        const passed = index + (turn.white ? 0 : 1);
        const number = turn.number + (passed >> 1);
        if (passed % 2 === 0) item.append(`${number}. `);
        else if (index === 0) item.append(`${number}… `);
        const word = make("button", { title: "play up to here" }, san);
        word.moves = line.moves.slice(0, index + 1);
        word.sans = line.sans.slice(0, index + 1);
        item.append(word, " ");
      });
      return item;
    }));
  };

  const clearFound = () => {
    find("found").replaceChildren();
    find("effort").textContent = "";
  };

  const drawCurve = (game, current) => {
    const nodes = Tree.mainLine(game);
    const points = [];
    nodes.forEach((node, index) => {
      const score = Tree.readEval(node.comment);
      if (score === null) return;
      const x = (400 * index) / Math.max(1, nodes.length - 1);
      points.push(`${x.toFixed(1)},${(60 - 0.06 * chanceOf(score)).toFixed(1)}`);
    });
    const curve = find("curve");
    curve.toggleAttribute("hidden", points.length < 2); // of SVG there is no property of that name
    if (points.length < 2) return;
    const parts = [make("svg:line", { x1: 0, x2: 400, y1: 30, y2: 30, class: "middle" }),
      make("svg:polyline", { points: points.join(" ") })];
    const place = nodes.indexOf(current);
    if (place >= 0) {
      const x = (400 * place) / Math.max(1, nodes.length - 1);
      parts.push(make("svg:line", { x1: x, x2: x, y1: 0, y2: 60, class: "now" }));
    }
    curve.replaceChildren(...parts);
  };

  // What is known of the whole game is said where it begins.
  const describeHeaders = ({ Opening: opening, WhiteAccuracy: white, BlackAccuracy: black }) =>
    [opening, white && black && `accuracy: White ${white}%, Black ${black}%`].filter(Boolean);

  const describeNode = (game, node) => {
    const parts = node.parent ? [] : describeHeaders(game.headers);
    const score = Tree.readEval(node.comment);
    if (score !== null) parts.push(`evaluation ${Boards.scoreText(score)}`);
    const comment = Tree.plainComment(node.comment);
    if (comment) parts.push(comment);
    find("said").textContent = parts.join(" · ");
  };

  // The players

  const clockText = (milliseconds) => {
    if (milliseconds >= 20000) {
      const seconds = Math.ceil(milliseconds / 1000);
      return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    }
    return `0:${(Math.max(0, milliseconds) / 1000).toFixed(1).padStart(4, "0")}`;
  };

  const drawPlayers = (names, clocks, running, flipped) => {
    for (const [place, colour] of [["upper", flipped ? 0 : 1], ["lower", flipped ? 1 : 0]]) {
      find(`${place}-name`).textContent = names[colour];
      const clock = find(`${place}-clock`);
      clock.textContent = clocks ? clockText(clocks[colour]) : "";
      clock.classList.toggle("runs", running === colour);
      clock.classList.toggle("low", clocks !== null && clocks[colour] < 20000);
    }
  };

  // Asks for the piece that a pawn becomes; null if it stays.
  const askPromotion = (isWhite, shape) => new Promise((choose) => {
    const box = find("promotion");
    const finish = (kind) => {
      box.hidden = true;
      document.removeEventListener("keydown", onKey, true);
      choose(kind);
    };
    const onKey = (event) => {
      if (event.key === "Escape") finish(null);
      else if (["q", "r", "b", "n"].includes(event.key)) finish(event.key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    const names = { q: "queen", r: "rook", b: "bishop", n: "knight" };
    box.replaceChildren(...Object.entries(names).map(([kind, name]) => {
      const button = make("button", { "aria-label": name, title: name, "data-piece": kind });
      const picture = make("svg:svg", { viewBox: "0 0 45 45" });
      picture.append(make("svg:use", { href: shape(isWhite ? kind.toUpperCase() : kind) }));
      button.append(picture);
      button.addEventListener("click", () => finish(kind));
      return button;
    }));
    box.hidden = false;
    document.addEventListener("keydown", onKey, true);
    box.firstChild.focus();
  });

  return { find, say, chanceOf, drawMoves, drawTitle, drawBar, drawFound, clearFound, drawCurve,
    describeNode, drawPlayers, askPromotion };
})();
