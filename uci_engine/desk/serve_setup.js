// Setting a position up, by pieces or by FEN.
"use strict";

const SetUp = (() => {
  const { find } = Show;
  const { make } = Boards;
  const EMPTY = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
  let brush = ""; // the piece that a click puts down; "" takes one away

  const writeRows = (squares) => {
    const rows = [];
    for (let rank = 7; rank >= 0; rank -= 1) {
      let row = "";
      let empty = 0;
      for (let file = 0; file < 8; file += 1) {
        const piece = squares[8 * rank + file];
        if (!piece) empty += 1;
        else {
          row += (empty || "") + piece;
          empty = 0;
        }
      }
      rows.push(row + (empty || ""));
    }
    return rows.join("/");
  };

  // Of the rights that are asked for those whose king and rook are in their places.
  const possibleRights = (squares, rights) => {
    if (find("chess960").checked) return rights;
    const places = { K: [4, 7], Q: [4, 0], k: [60, 63], q: [60, 56] };
    const kept = [...rights].filter((right) => places[right]
      && squares[places[right][0]] === (right < "a" ? "K" : "k")
      && squares[places[right][1]] === (right < "a" ? "R" : "r"));
    return kept.join("");
  };

  const writeFen = () => {
    const { board: squares } = desk.setUp.position;
    const rights = possibleRights(squares, find("castling").value.trim()) || "-";
    find("fen").value = `${writeRows(squares)} ${find("turn").value} ${rights} - 0 1`;
  };

  const showBoard = (squares) => {
    desk.setUp.position = { board: squares, from: -1, to: -1 };
    writeFen();
    refresh();
  };

  const open = (fen) => {
    const fields = fen.split(" ");
    leaveGame();
    desk.playing = null;
    desk.setUp = { position: null };
    find("turn").value = fields[1] === "b" ? "b" : "w";
    find("castling").value = fields[2] || "-";
    find("palette").hidden = false;
    find("edit").setAttribute("aria-pressed", "true");
    showBoard(Boards.readFen(fen));
  };

  const close = () => {
    desk.setUp = null;
    find("palette").hidden = true;
    find("edit").setAttribute("aria-pressed", "false");
    refresh();
  };

  const put = (from, to) => {
    const squares = desk.setUp.position.board.slice();
    if (from >= 0) {
      const piece = squares[from];
      squares[from] = "";
      if (to >= 0) squares[to] = piece;
    } else squares[to] = squares[to] === brush ? "" : brush;
    showBoard(squares);
  };

  const use = () => {
    const fen = find("fen").value.trim();
    const chess960 = find("chess960").checked;
    talk.ask("look", { fen, chess960, moves: [] }).then((info) => {
      find("palette").hidden = true;
      find("edit").setAttribute("aria-pressed", "false");
      const game = Tree.fresh({ fen: info.fen, chess960 });
      game.root.info = info;
      openGame(game);
    }, complain);
  };

  const currentFen = () => (desk.node.info ? desk.node.info.fen : desk.game.fen);

  const shuffle = () => {
    talk.ask("start", { choice: Math.floor(960 * Math.random()) }).then((info) => {
      find("chess960").checked = true;
      open(info.fen);
    }, complain);
  };

  const fillPalette = (shape) => {
    const buttons = [..."PNBRQKpnbrqk", ""].map((piece) => {
      const button = make("button", { "data-brush": piece, "aria-pressed": String(piece === brush),
        title: piece ? "put such pieces down" : "take pieces away" });
      if (piece) {
        const picture = make("svg:svg", { viewBox: "0 0 45 45" });
        picture.append(make("svg:use", { href: shape(piece) }));
        button.append(picture);
        button.setAttribute("aria-label", shape(piece).slice(1).replace("-", " "));
      } else button.textContent = "✕";
      return button;
    });
    find("palette").replaceChildren(...buttons);
    find("palette").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      brush = button.dataset.brush;
      for (const other of buttons) {
        other.setAttribute("aria-pressed", String(other === button));
      }
    });
  };

  const listen = () => {
    find("edit").addEventListener("click", () => (desk.setUp ? close() : open(currentFen())));
    find("clear").addEventListener("click", () => open(EMPTY));
    find("start").addEventListener("click", () => open(Tree.START));
    find("shuffle").addEventListener("click", shuffle);
    find("use-fen").addEventListener("click", use);
    find("fen").addEventListener("keydown", (event) => { if (event.key === "Enter") use(); });
    for (const id of ["turn", "castling", "chess960"]) {
      find(id).addEventListener("change", () => { if (desk.setUp) writeFen(); });
    }
  };

  return { put, fillPalette, listen };
})();
