// The games of a tournament: listed, chosen by what they have in common, replayed.
"use strict";

(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { players, endings, start } = read("legend");
  // Number, White, Black, result, ending, detail, FEN, opening plies, SAN, squares, and by move of
  // the engines: scores from White's side, depths, milliseconds.
  const games = read("records").map((fields) => {
    const [number, white, black, result, ending, detail, fen, book, san, squares, scores, depths,
      times] = fields;
    return { number, white, black, result, ending, detail, fen: fen || start, book, san, squares,
      scores, depths, times };
  });
  games.sort((one, other) => one.number - other.number);
  const PAGE = 50;
  const { make, scoreText } = Boards;
  const find = (id) => document.getElementById(id);
  let opened = null;
  let shown = games;
  let first = 0;

  const describe = (game, ply) => {
    const index = ply - 1 - game.book;
    if (ply === 0) return "start";
    if (index < 0) return "from the opening";
    const parts = [scoreText(game.scores[index])];
    if (game.depths[index] !== null) parts.push(`depth ${game.depths[index]}`);
    parts.push(`${(game.times[index] / 1000).toFixed(2)} s`);
    return parts.filter(Boolean).join(", ");
  };

  // A pawn more matters less the more one is ahead: the curve flattens.
  const height = (score) => {
    const bounded = Math.max(-3000, Math.min(3000, score));
    return 50 - 46 * (2 / (1 + Math.exp(-bounded / 250)) - 1);
  };

  const curve = (game, across) => {
    const parts = [make("svg:line", { x1: 4, x2: 396, y1: 50, y2: 50, class: "grid" })];
    const whiteBegins = game.fen.split(" ")[1] !== "b";
    for (const side of [0, 1]) {
      const points = [];
      game.scores.forEach((score, index) => {
        const number = game.book + index;
        const byWhite = (number % 2 === 0) === whiteBegins;
        if (byWhite === (side === 0) && score !== null) {
          points.push(`${across(number + 1).toFixed(1)},${height(score).toFixed(1)}`);
        }
      });
      parts.push(make("svg:polyline", { class: `line c${side}`, points: points.join(" ") }));
    }
    return parts;
  };

  const replay = makeReplay({ describe, curve });

  const open = (game, ply = 0) => {
    opened = game;
    const detail = game.detail ? ` (${game.detail})` : "";
    replay.open(game, `Game ${game.number + 1}: ${players[game.white]} – ` +
      `${players[game.black]} ${game.result}, ${endings[game.ending]}${detail}`, ply);
    for (const row of find("games").querySelectorAll("tbody tr")) {
      row.classList.toggle("now", Number(row.dataset.number) === game.number);
    }
    history.replaceState(null, "", `#game-${game.number + 1}`); // a link to this game
  };

  // The list of games, a page at a time

  const listGames = () => {
    const rows = shown.slice(first, first + PAGE).map((record) => {
      const row = make("tr", { "data-number": record.number, tabindex: 0 });
      const cells = [record.number + 1, players[record.white], players[record.black], record.result,
        endings[record.ending], record.san ? record.san.split(" ").length : 0];
      cells.forEach((cell, index) => row.append(
        make("td", index > 0 && index < 5 ? { class: "name" } : {}, String(cell))));
      row.classList.toggle("now", record === opened);
      return row;
    });
    find("games").tBodies[0].replaceChildren(...rows);
    const last = Math.min(first + PAGE, shown.length);
    find("range").textContent = shown.length ? `${first + 1}–${last} of ${shown.length}` : "none";
  };

  const filter = () => {
    const [player, result, ending] = ["player", "result", "ending"].map((id) => find(id).value);
    shown = games.filter((record) =>
      (player === "" || record.white === Number(player) || record.black === Number(player)) &&
      (result === "" || record.result === result) &&
      (ending === "" || record.ending === Number(ending)));
    first = 0;
    listGames();
  };

  const fill = (id, values) => values.forEach((value, index) =>
    find(id).append(make("option", { value: id === "result" ? value : index }, value)));

  // Who listens to what

  fill("player", players);
  fill("result", ["1-0", "0-1", "1/2-1/2"]);
  fill("ending", endings);
  for (const id of ["player", "result", "ending"]) find(id).addEventListener("change", filter);
  const turn = (step) => () => {
    first = Math.max(0, Math.min(first + step, PAGE * Math.floor((shown.length - 1) / PAGE)));
    listGames();
  };
  find("earlier").addEventListener("click", turn(-PAGE));
  find("later").addEventListener("click", turn(PAGE));
  makeChoice(find("games"), (row) =>
    open(games.find((record) => record.number === Number(row.dataset.number))));
  const [, wanted, half] = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash) || [];
  const named = games.find((record) => record.number === Number(wanted) - 1);
  listGames();
  if (games.length) open(named || games[0], Number(half) || 0);
})();
