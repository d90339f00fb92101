"use strict";

/* Trees: {player, children, label} or {utility, label}. A solution hangs on every node: visited,
   alpha and beta on entering, value on leaving, and how many children were searched. */

const exercises = JSON.parse(document.getElementById("exercises").textContent);
const byId = (id) => document.getElementById(id);
const GAP = 80, LEVEL = 96, TOP = 46, SIDE = 40, RADIUS = 22;

/* ---- exercises */

function randomSource(seed) {
  let state = (seed >>> 0) + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function randomTree(seed) {
  const random = randomSource(seed);
  const whole = (low, high) => low + Math.floor(random() * (high - low + 1));
  const grow = (depth, player) => {
    if (depth === 0) return { label: "", utility: whole(0, 20) };
    const children = [];
    for (let left = whole(2, 3); left > 0; left -= 1) {
      children.push(grow(depth - 1, player === "MAX" ? "MIN" : "MAX"));
    }
    return { label: "", player, children };
  };
  return grow(whole(2, 3), "MAX");
}

function makeTree(kind, seed) {
  return kind === "random" ? randomTree(seed) : structuredClone(exercises.trees[kind].tree);
}

/* ---- the solution */

function solve(node, mode, alpha = -Infinity, beta = Infinity) {
  node.visited = true;
  node.alpha = alpha;
  node.beta = beta;
  node.searched = 0;
  if (!node.children) {
    node.value = node.utility;
    return node.value;
  }
  const maximising = node.player === "MAX";
  node.value = maximising ? -Infinity : Infinity;
  for (const child of node.children) {
    const reply = mode === "minimax" ? solve(child, mode) : solve(child, mode, alpha, beta);
    node.searched += 1;
    node.value = maximising ? Math.max(node.value, reply) : Math.min(node.value, reply);
    if (maximising) alpha = Math.max(alpha, node.value);
    else beta = Math.min(beta, node.value);
    if (mode === "alphabeta" && alpha >= beta) {
      node.last = [alpha, beta];
      break;
    }
  }
  return node.value;
}

const show = (value) =>
  value === Infinity ? "∞" : value === -Infinity ? "−∞" : String(value).replace("-", "−");

function read(text) {
  const plain = text.trim().toLowerCase().replace("−", "-").replace("∞", "inf").replace(",", ".");
  if (/^-inf(inity)?$/.test(plain)) return -Infinity;
  if (/^\+?inf(inity)?$/.test(plain)) return Infinity;
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}

/* ---- why */

function whyValue(node) {
  const seen = node.children.slice(0, node.searched).map((child) => show(child.value)).join(", ");
  const side = node.player === "MAX" ? "MAX takes the largest" : "MIN takes the smallest";
  const rest = node.last
    ? ` Then α = ${show(node.last[0])} ≥ β = ${show(node.last[1])}: the rest is cut off.` : "";
  return `${side} of ${seen}, which is ${show(node.value)}.${rest}`;
}

function whyWindow(node, name) {
  if (!node.parent) return "At the root nobody has anything yet: α = −∞, β = ∞.";
  const what = name === "alpha"
    ? "the best value that MAX has found on the way down to here"
    : "the best value that MIN has found on the way down to here";
  return `${name === "alpha" ? "α" : "β"} is ${what}: ${show(node[name])}.`;
}

function whyCut(child) {
  const parent = child.parent;
  if (!parent.visited) return "It lies in a branch that is cut off already, higher up.";
  if (!child.visited) {
    return `After the branch before it α = ${show(parent.last[0])} ≥ β = ${show(parent.last[1])}: `
      + "the other side has something better elsewhere and never comes here.";
  }
  return `It must be searched: on entering it α = ${show(child.alpha)} < β = ${show(child.beta)}.`;
}

/* ---- the desk */

let tree, mode, entries, cuts;

function prepare(node, parent = null, level = 0, state = { leaves: 0, all: [] }) {
  Object.assign(node, { parent, level, number: state.all.length });
  state.all.push(node);
  if (node.children) {
    node.children.forEach((child) => prepare(child, node, level + 1, state));
    node.x = (node.children[0].x + node.children[node.children.length - 1].x) / 2;
  } else {
    node.x = SIDE + GAP / 2 + GAP * state.leaves;
    state.leaves += 1;
  }
  node.y = TOP + LEVEL * level;
  return state;
}

function begin() {
  mode = byId("mode").value;
  tree = makeTree(byId("kind").value, Number(byId("seed").value) || 1);
  const state = prepare(tree);
  solve(tree, mode);
  entries = new Map();
  cuts = new Set();
  draw(state);
  say("", "Begin at the lower left: the search goes down the leftmost branch first.");
  count();
}

function draw(state) {
  const deepest = Math.max(...state.all.map((node) => node.level));
  const width = SIDE * 2 + GAP * state.leaves, height = TOP + LEVEL * deepest + 44;
  const parts = [];
  for (const node of state.all) {
    for (const child of node.children || []) parts.push(edge(node, child));
  }
  for (const node of state.all) parts.push(shape(node));
  byId("tree").innerHTML = `<svg width="${width}" height="${height}" role="img"`
    + ` aria-label="the tree">${parts.join("")}</svg>`;
  byId("tree").style.width = `${width}px`;
  for (const node of state.all) if (node.children) addInputs(node);
  for (const grip of byId("tree").querySelectorAll(".grip")) {
    const toggle = () => toggleCut(state.all[Number(grip.dataset.node)]);
    grip.addEventListener("click", toggle);
    grip.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault(); // a space would scroll the page
      toggle();
    });
  }
}

function edge(node, child) {
  const line = `x1="${node.x}" y1="${node.y + 18}" x2="${child.x}" y2="${child.y - 18}"`;
  const x = (node.x + child.x) / 2, y = (node.y + child.y) / 2;
  const near = 0.36; // the child's end is hidden by its window
  const label = child.label
    ? `<text class="action" x="${node.x + near * (child.x - node.x) + 6}" `
      + `y="${node.y + near * LEVEL + 4}">${child.label}</text>` : "";
  return `<line class="grip" data-node="${child.number}" tabindex="0" role="button" `
    + `aria-label="cut the branch to node ${child.number}" ${line}/>`
    + `<line class="edge" id="edge${child.number}" ${line}/>`
    + `<line class="slash" id="slash${child.number}" visibility="hidden" x1="${x - 9}" `
    + `y1="${y + 5}" x2="${x + 9}" y2="${y - 5}"/>${label}`;
}

function shape(node) {
  const { x, y } = node, r = RADIUS;
  if (!node.children) {
    return `<rect class="leaf" x="${x - 22}" y="${y - 14}" width="44" height="28" rx="4"/>`
      + `<text class="value" text-anchor="middle" x="${x}" y="${y + 5}">${show(node.utility)}</text>`;
  }
  const points = node.player === "MAX"
    ? `${x},${y - r - 4} ${x + r + 14},${y + r - 4} ${x - r - 14},${y + r - 4}`
    : `${x},${y + r + 4} ${x + r + 14},${y - r + 4} ${x - r - 14},${y - r + 4}`;
  return `<polygon class="node" points="${points}"/>`;
}

function addInputs(node) {
  const low = node.player === "MAX" ? 4 : -4;
  addInput(node, "value", node.x - 20, node.y - 12 + low, "value");
  if (mode === "alphabeta") {
    addInput(node, "alpha", node.x - 37, node.y - 46, "window");
    addInput(node, "beta", node.x + 3, node.y - 46, "window");
  }
}

function addInput(node, name, left, top, kind) {
  const input = document.createElement("input");
  input.className = kind;
  input.id = `${name}${node.number}`;
  input.autocomplete = "off";
  input.placeholder = name === "alpha" ? "α" : name === "beta" ? "β" : "";
  input.setAttribute("aria-label", `${name} of node ${node.number}, ${node.player}`);
  Object.assign(input.style, { left: `${left}px`, top: `${top}px` });
  input.addEventListener("change", () => judge(node, name, input));
  entries.set(input.id, { node, name, input });
  byId("tree").append(input);
}

/* ---- judging */

function say(kind, text) {
  byId("said").className = kind;
  byId("said").textContent = text;
}

function judge(node, name, input) {
  input.classList.remove("right", "wrong");
  if (input.value.trim() === "") return count();
  const given = read(input.value);
  let verdict = "wrong", why;
  if (!node.visited) why = "The search never comes to this node: cut its branch instead.";
  else if (Number.isNaN(given)) why = "A number is needed, or inf or -inf.";
  else {
    if (given === node[name]) verdict = "right";
    why = verdict === "right" || input.dataset.tried
      ? (name === "value" ? whyValue(node) : whyWindow(node, name))
      : name === "value"
        ? `${node.player} chooses here, among what its branches are worth. Try once more.`
        : "The window comes down from the nodes above. Try once more.";
  }
  input.dataset.tried = "yes";
  input.classList.add(verdict);
  say(verdict, `${verdict === "right" ? "Right." : "No."} ${why}`);
  return count();
}

function toggleCut(child) {
  if (cuts.has(child)) cuts.delete(child);
  else cuts.add(child);
  const isCut = cuts.has(child);
  byId(`edge${child.number}`).classList.toggle("cut", isCut);
  byId(`slash${child.number}`).setAttribute("visibility", isCut ? "visible" : "hidden");
  if (mode === "minimax" && isCut) say("wrong", "No. Minimax searches everything.");
  else if (isCut) {
    const right = !child.visited && child.parent.visited;
    say(right ? "right" : "wrong", `${right ? "Right." : "No."} ${whyCut(child)}`);
  } else say("", "");
  disableBelow(child, isCut);
  count();
}

function disableBelow(node, isCut) {
  for (const entry of entries.values()) {
    let above = entry.node;
    while (above && above !== node) above = above.parent;
    if (above) entry.input.disabled = isCut;
  }
}

function todo() {
  const fields = [...entries.values()].filter((entry) => entry.node.visited);
  const branches = allNodes().filter((node) => !node.visited && node.parent.visited);
  return { fields, branches };
}

function allNodes(node = tree) {
  return [node, ...(node.children || []).flatMap((child) => allNodes(child))];
}

function count() {
  const { fields, branches } = todo();
  const right = fields.filter((entry) => entry.input.classList.contains("right")).length
    + branches.filter((node) => cuts.has(node)).length;
  const wrong = [...cuts].filter((node) => !branches.includes(node)).length
    + [...entries.values()].filter((entry) => entry.input.classList.contains("wrong")).length;
  const total = fields.length + branches.length;
  const done = right === total && wrong === 0 ? " All of it is right." : "";
  byId("score").textContent = `${right} of ${total} right, ${wrong} wrong.${done}`;
}

function showSolution() {
  for (const entry of entries.values()) {
    if (!entry.node.visited) continue;
    entry.input.value = show(entry.node[entry.name]);
    judge(entry.node, entry.name, entry.input);
  }
  for (const node of [...cuts]) if (node.visited || !node.parent.visited) toggleCut(node);
  for (const node of todo().branches) if (!cuts.has(node)) toggleCut(node);
  say("right", `The root is worth ${show(tree.value)}.`);
}

/* ---- controls */

for (const [name, { title }] of Object.entries(exercises.trees)) {
  byId("kind").append(new Option(title, name));
}
byId("kind").append(new Option("a random tree", "random"));
byId("seed").value = exercises.seed;
byId("kind").addEventListener("change", begin);
byId("mode").addEventListener("change", begin);
byId("seed").addEventListener("change", () => {
  byId("kind").value = "random";
  begin();
});
byId("next").addEventListener("click", () => {
  if (byId("kind").value === "random") byId("seed").value = Number(byId("seed").value) + 1;
  byId("kind").value = "random";
  begin();
});
byId("again").addEventListener("click", begin);
byId("solve").addEventListener("click", showSolution);
begin();
