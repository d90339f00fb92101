// The analysed games: replayed with their curves, their turning points, listed.
"use strict";

(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { judgements, turns: mostTurns } = read("legend");
  const games = read("records");
  const PAGE = 50;
  const { make, scoreText, MATE } = Boards;
  const find = (id) => document.getElementById(id);
  let opened = null;
  let first = 0;

  const say = (score) => (Math.abs(score) === MATE ? "checkmate" : scoreText(score));
  // A move's judgement by its letter, or nothing.
  const judged = (game, index) => judgements[game.judged[index]];
  const percent = (value) => `${value.toFixed(1)}%`;
  const whiteMoves = (game, index) => (index % 2 === 0) === (game.fen.split(" ")[1] !== "b");
  const moveName = (game, index) => {
    const [, turn, , , , number] = game.fen.split(" ");
    const count = Number(number) + Math.floor((index + (turn === "b" ? 1 : 0)) / 2);
    return `${count}${whiteMoves(game, index) ? "." : "…"} ${game.san.split(" ")[index]}`;
  };
  // Of the side that moves: its chances before and after.
  const chances = (game, index) => [game.percents[index], game.percents[index + 1]].map((value) =>
    (whiteMoves(game, index) ? value : 100 - value));
  const seconds = (value) => (value < 60 ? `${value.toFixed(1)} s`
    : `${Math.floor(value / 60)}:${String(Math.floor(value % 60)).padStart(2, "0")} min`);

  const describe = (game, ply) => {
    if (game.percents[ply] === undefined) return "the best line";
    const parts = [say(game.scores[ply]),
      `White's chances ${percent(game.percents[ply])}`];
    if (game.depths[ply]) parts.push(`depth ${game.depths[ply]}`);
    const index = ply - 1;
    if (ply > 0 && game.clocks[index] !== null) parts.push(`clock ${seconds(game.clocks[index])}`);
    if (ply > 0 && game.spent[index] !== null) parts.push(`took ${seconds(game.spent[index])}`);
    const said = `${parts.join(", ")}.`;
    const judgement = ply > 0 && judged(game, index);
    if (!judgement) return said;
    const [before, after] = chances(game, index);
    return `${judgement.name}: from ${percent(before)} to ${percent(after)}; better was ` +
      `${game.better[index][0]}. ${said}`;
  };

  // The pictures, on 400 by 100

  const up = (share) => 98 - 0.96 * share;

  const curve = (game, across) => {
    const points = game.percents.map((value, ply) => `${across(ply).toFixed(1)},` +
      `${up(value).toFixed(1)}`);
    const parts = [make("svg:line", { x1: 4, x2: 396, y1: 50, y2: 50, class: "grid" })];
    if (points.length > 1) {
      const corners = [`${across(points.length - 1)},98`, `${across(0)},98`];
      parts.push(make("svg:polygon", { class: "chances", points: [...points, ...corners].join(" ") }),
        make("svg:polyline", { class: "line c0", points: points.join(" ") }));
    }
    [...game.judged].forEach((letter, index) => {
      const judgement = judgements[letter];
      if (!judgement) return;
      parts.push(make("svg:circle", { cx: across(index + 1), cy: up(game.percents[index + 1]), r: 3,
        class: judgement.name.toLowerCase() }));
    });
    return parts;
  };

  const MOST_PAWNS = 10;
  const pawns = (score) => Math.max(-MOST_PAWNS, Math.min(MOST_PAWNS, score / 100));
  const height = (value) => 50 - (48 * Math.asinh(value)) / Math.asinh(MOST_PAWNS);

  const evaluation = (game, across) => {
    const parts = [];
    for (const value of [-8, -2, 0, 2, 8]) {
      const y = height(value).toFixed(1);
      parts.push(make("svg:line", { x1: 4, x2: 396, y1: y, y2: y, class: "grid" }),
        make("svg:text", { x: 5, y: Number(y) + 7, class: "label small" },
          value > 0 ? `+${value}` : String(value).replace("-", "−")));
    }
    const points = game.scores.map((score, ply) => `${across(ply).toFixed(1)},` +
      `${height(pawns(score)).toFixed(1)}`);
    parts.push(make("svg:polyline", { class: "line c2", points: points.join(" ") }));
    return parts;
  };

  // White's time goes up from the middle, Black's down.
  const clock = (game, across) => {
    const most = Math.max(1, ...game.spent.map((value) => value || 0));
    const width = Math.max(0.8, 300 / Math.max(1, game.spent.length));
    const parts = [make("svg:line", { x1: 4, x2: 396, y1: 50, y2: 50, class: "grid" }),
      make("svg:text", { x: 5, y: 8, class: "label small" }, `${seconds(most)}`)];
    game.spent.forEach((value, index) => {
      if (!value) return;
      const long = (46 * value) / most;
      const white = whiteMoves(game, index);
      parts.push(make("svg:rect", { x: across(index + 1) - width / 2, y: white ? 50 - long : 50,
        width, height: long, class: white ? "spent" : "spent black" }));
    });
    return parts;
  };

  const dress = (game, index, word) => {
    const judgement = judged(game, index);
    if (!judgement) return;
    word.classList.add(judgement.name.toLowerCase());
    word.textContent += judgement.sign;
    word.title = judgement.name;
  };

  const moveSquares = (text) => [Boards.ALPHABET.indexOf(text[0]), Boards.ALPHABET.indexOf(text[1])];

  // What would have been better is shown where the move has just been made.
  const arrows = (game, ply) => {
    if (ply === 0 || !judged(game, ply - 1)) return [];
    const [from, to] = moveSquares(game.better[ply - 1][1]);
    return [{ from, to, kind: "good" }];
  };

  // Turning points: a small board with the position before the move, and the better line to walk

  const markCards = (ply) => {
    for (const card of find("turns").children) {
      card.classList.toggle("now", Number(card.dataset.ply) === ply);
    }
  };

  const replay = makeReplay({ describe, curve, pictures: { evaluation, clock }, dress, arrows,
    hear: (ply) => {
      markCards(ply);
      if (opened) history.replaceState(null, "", `#game-${opened.number}-${ply}`);
    },
    keys: { n: "later-mistake", p: "earlier-mistake" } });

  const turningPoints = (game) => [...game.judged].map((letter, index) => ({ letter, index }))
    .filter(({ letter }) => judgements[letter])
    .map(({ index }) => {
      const [before, after] = chances(game, index);
      return { index, loss: before - after, judgement: judged(game, index), before, after };
    });

  const makeLine = (svg, positions, text, flipped, before) => {
    const line = make("p", { class: "line" }, "Better: ");
    const words = text.split(" ").map((san, index) => {
      const word = make("button", { title: "show this position" }, san);
      word.addEventListener("click", () => {
        const again = word.classList.contains("now");
        words.forEach((other) => other.classList.remove("now"));
        if (again) return before();
        word.classList.add("now");
        return Boards.draw(svg, positions[index + 1], { flipped });
      });
      return word;
    });
    line.append(...words);
    return line;
  };

  const makeCard = (game, { index, loss, judgement, before, after }) => {
    const card = make("article", { class: "turn", "data-ply": index + 1 });
    const head = make("h3");
    const name = moveName(game, index);
    const button = make("button", { title: "show it in the game" }, `${name}${judgement.sign}`);
    button.addEventListener("click", () => {
      replay.goTo(index + 1);
      find("replay").scrollIntoView({ block: "nearest" });
    });
    head.append(button);
    const svg = make("svg:svg", { viewBox: "0 0 80 80", class: "board", role: "img",
      "aria-label": `before ${name}` });
    const start = replay.positionAt(index);
    const played = replay.positionAt(index + 1);
    const [text, squares] = game.better[index];
    const [from, to] = moveSquares(squares);
    const flipped = !whiteMoves(game, index);
    const showBefore = () => Boards.draw(svg, start, { flipped, arrows: [
      { from: played.from, to: played.to, kind: "bad" }, { from, to, kind: "good" }] });
    showBefore();
    const scores = [say(game.scores[index]), say(game.scores[index + 1])];
    card.append(head, svg, make("p", { class: judgement.name.toLowerCase() },
      `${judgement.name}: ${percent(before)} → ${percent(after)}, ${percent(loss)} lost`),
      make("p", { class: "note" }, `White's evaluation ${scores[0]} → ${scores[1]}`),
      makeLine(svg, Boards.follow(start, squares), text, flipped, showBefore));
    return card;
  };

  const showTurns = (game) => {
    const points = turningPoints(game);
    const worst = points.slice().sort((one, other) => other.loss - one.loss).slice(0, mostTurns);
    const cards = points.filter((point) => worst.includes(point)).map((point) =>
      makeCard(game, point));
    find("turns").replaceChildren(...cards);
    find("no-turns").hidden = cards.length > 0;
  };

  const stepMistake = (step) => () => {
    const places = turningPoints(opened).map(({ index }) => index + 1);
    const now = shownPly();
    const ahead = step > 0 ? places.find((ply) => ply > now)
      : places.reverse().find((ply) => ply < now);
    if (ahead !== undefined) replay.goTo(ahead);
  };

  const shownPly = () => Number(find("moves").querySelector(".now")?.dataset.ply || 0);

  // Both sides of the opened game

  const showSides = (game) => {
    const rows = [0, 1].map((side) => {
      const row = make("tr");
      const total = game.spent.reduce((sum, value, index) =>
        sum + (whiteMoves(game, index) === (side === 0) && value ? value : 0), 0);
      const accuracy = game.accuracies[side];
      const loss = game.losses[side];
      const cells = [game.players[side] || (side ? "Black" : "White"),
        accuracy === null ? "-" : percent(accuracy), ...game.counts[side],
        loss === null ? "-" : loss.toFixed(0), total ? seconds(total) : "-"];
      cells.forEach((cell, index) =>
        row.append(make("td", index ? {} : { class: "name" }, String(cell))));
      return row;
    });
    find("sides").tBodies[0].replaceChildren(...rows);
    find("sides").hidden = game.is_position;
    find("clock-part").hidden = !game.spent.some((value) => value !== null);
  };

  const open = (game, ply = 0) => {
    opened = null; // while it is being opened there is nothing to link to
    replay.open(game, game.title, ply);
    opened = game;
    showSides(game);
    showTurns(game);
    markCards(ply);
    for (const row of find("games").querySelectorAll("tbody tr")) {
      row.classList.toggle("now", Number(row.dataset.number) === game.number);
    }
    history.replaceState(null, "", `#game-${game.number}-${ply}`);
  };

  // The list of games, a page at a time

  let shown = games;
  const rowCells = (game) => [game.number, game.players[0], game.players[1], game.result,
    ...game.accuracies.map((value) => (value === null ? "-" : percent(value))),
    ...game.counts.map((side) => side.join("/")), game.opening];
  const KEYS_OF_COLUMNS = [(game) => game.number, (game) => game.players[0],
    (game) => game.players[1], (game) => game.result, (game) => game.accuracies[0] ?? -1,
    (game) => game.accuracies[1] ?? -1, (game) => game.weights[0], (game) => game.weights[1],
    (game) => game.opening];

  const listGames = () => {
    const rows = shown.slice(first, first + PAGE).map((game) => {
      const row = make("tr", { "data-number": game.number, tabindex: 0 });
      rowCells(game).forEach((cell, index) => row.append(
        make("td", [1, 2, 3, 8].includes(index) ? { class: "name" } : {}, String(cell))));
      row.classList.toggle("now", game === opened);
      return row;
    });
    find("games").tBodies[0].replaceChildren(...rows);
    const last = Math.min(first + PAGE, shown.length);
    find("range").textContent = `${first + 1}–${last} of ${shown.length}`;
  };

  let sorted = [0, 1];
  const sortBy = (column) => {
    const way = sorted[0] === column ? -sorted[1] : 1;
    sorted = [column, way];
    const key = KEYS_OF_COLUMNS[column];
    shown = games.slice().sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      return way * (a < b ? -1 : a > b ? 1 : one.number - other.number);
    });
    first = 0;
    listGames();
  };

  // Who listens to what

  const turnPage = (step) => () => {
    first = Math.max(0, Math.min(first + step, PAGE * Math.floor((shown.length - 1) / PAGE)));
    listGames();
  };
  find("earlier").addEventListener("click", turnPage(-PAGE));
  find("later").addEventListener("click", turnPage(PAGE));
  find("later-mistake").addEventListener("click", stepMistake(1));
  find("earlier-mistake").addEventListener("click", stepMistake(-1));
  find("games").querySelectorAll("th button").forEach((button, column) =>
    button.addEventListener("click", () => sortBy(column)));
  makeChoice(find("games"), (row) =>
    open(games.find((game) => game.number === Number(row.dataset.number))));
  const [, wanted, half] = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash) || [];
  const named = games.find((game) => game.number === Number(wanted));
  find("list").hidden = games.length < 2;
  listGames();
  if (games.length) open(named || games[0], Number(half) || 0);
})();
