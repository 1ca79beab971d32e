// The map of a seat. A click, a tap or Enter on a lit place lists the orders that name it; pressing one gives it.
// Distances are measured from the place chosen last, and stacks fan out under the pointer. Wheel, pinch and buttons
// zoom, dragging pans. Without this script the map is a picture, and orders are in the list beside it.

const page = (id) => document.getElementById(id);
const cellAt = (row, column) => document.querySelector(`#cells [data-row="${row}"][data-column="${column}"]`);
const cellOf = (element) => element && element.closest && element.closest("#cells [role=gridcell]");
const middle = (cell) => {
  const box = cell.querySelector(".cell").getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

let board = null;      // the SVG element
let whole = null;      // its full extent: x, y, width, height
let ground = 0;        // the height down to the lower edge of the cells; the scale lies below it
let seen = null;       // the extent shown now
let offers = [];       // the places that orders can name: label, x, y, cell, orders
let chosen = null;     // the cell chosen last
let step = 60;         // pixels from one cell to the next

// --- the extent shown ----------------------------------------------------------------------------
const storageKey = () => `fireplan map ${location.pathname}${location.hash}`;
const shape = () => board.clientHeight / board.clientWidth || whole[3] / whole[2];
const most = () => Math.max(whole[2], whole[3] / shape());
const show = (extent) => {
  const width = Math.min(most(), Math.max(2.2 * step, extent[2]));
  const height = width * shape();
  const within = (at, from, room, size) => from + (size >= room ? (room - size) / 2 : Math.min(Math.max(at - from, 0), room - size));
  const fits = width >= most(), room = fits ? whole[3] : ground;
  seen = [within(extent[0], whole[0], whole[2], width), within(extent[1], whole[1], room, height), width, height];
  board.setAttribute("viewBox", seen.join(" "));
  board.classList.toggle("near", !fits);
  document.querySelector("[data-map=fit]")?.setAttribute("aria-pressed", String(fits));
  sessionStorage.setItem(storageKey(), JSON.stringify(fits ? null : seen));
};
const point = (event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
  return [at.x, at.y];
};
const zoom = (factor, [x, y] = [seen[0] + seen[2] / 2, seen[1] + seen[3] / 2]) =>
  show([x - (x - seen[0]) * factor, y - (y - seen[1]) * factor, seen[2] * factor]);
const READABLE = 56;
const home = () => {
  if (!board.dataset.home) return null;
  const [x, y] = board.dataset.home.split(" ").map(Number);
  const far = (cell) => { const [a, b] = middle(cell); return Math.hypot(a - x, b - y); };
  return [...document.querySelectorAll("#cells [role=gridcell]")].reduce((nearest, cell) => (far(cell) < far(nearest) ? cell : nearest));
};
const around = ([x, y], width) => show([x - width / 2, y - (width * shape()) / 2, width]);
const bring = (cell) => {
  const [x, y] = middle(cell);
  const inside = x > seen[0] + step / 2 && x < seen[0] + seen[2] - step / 2 &&
    y > seen[1] + step / 2 && y < seen[1] + seen[3] - step / 2;
  if (!inside) around([x, y], seen[2]);
};

// --- the description of a place ------------------------------------------------------------------
const distance = (a, b) => {
  const metres = Math.hypot(a.dataset.east - b.dataset.east, a.dataset.south - b.dataset.south);
  let words = `${Math.round(metres)} m`;
  if (board.dataset.unit === "hexes") {
    const [p, q] = [a, b].map(({ dataset }) => [Number(dataset.column), dataset.row - Math.floor(dataset.column / 2)]);
    const [dq, dr] = [p[0] - q[0], p[1] - q[1]];
    const hexes = Math.max(Math.abs(dq), Math.abs(dr), Math.abs(dq + dr));
    words = `${hexes} ${hexes === 1 ? "hex" : "hexes"}, ${words}`;
  } else {
    words = `${Math.round((100 * metres) / Number(board.dataset.step))} yd, ${words}`;
  }
  return `${a.dataset.label} to ${b.dataset.label}: ${words}`;
};
const near = ([x, y], reach) => offers
  .map((offer) => ({ ...offer, far: Math.hypot(offer.x - x, offer.y - y) }))
  .filter((offer) => offer.far <= reach)
  .sort((a, b) => a.far - b.far);
const offeredAt = (cell, at) => {
  const nearby = near(middle(cell), step * 0.62);
  const exact = at ? near(at, step * 0.3) : nearby.filter((offer) => offer.label === cell.dataset.label);
  return exact.length ? exact : nearby;
};
const look = (cell, at) => {
  for (const each of board.querySelectorAll(".fanned")) each.classList.remove("fanned");
  for (const [line, cells] of lines) line.classList.toggle("spoken", cells.has(cell));
  if (!cell) return;
  for (const fan of board.querySelectorAll(`.fan[data-at="${CSS.escape(cell.dataset.label)}"]`)) fan.classList.add("fanned");
  spread();
  const words = chosen && chosen !== cell ? [distance(chosen, cell)] : [];
  words.push(cell.getAttribute("aria-label").replace(/; order here:.*/s, ""));
  const [offer] = offeredAt(cell, at);
  if (offer) words.push(`${offer.label === cell.dataset.label ? "" : `${offer.label}: `}${offer.orders[0][1]}`);
  page("measured").textContent = words.join(". ");
  const line = page("measure");
  if (chosen && chosen !== cell) line.setAttribute("d", `M${middle(chosen).join()}L${middle(cell).join()}`);
  else line.removeAttribute("d");
};
// If both sides have units at a place, their lists are placed one below the other.
const spread = () => {
  let below = null;
  for (const fan of board.querySelectorAll(".fanned")) {
    fan.removeAttribute("data-moved");
    const plate = fan.querySelector(".plate").getBBox();
    fan.style.translate = below === null ? "" : `0 ${below}px`;
    below = (below ?? 0) + plate.height + 3;
  }
};

// A point is labelled by its distances east and south, or on a map grid by kilometres, as in E12.3/N8.2.
const GRID = /^([EW])([\d.]+)\/([NS])([\d.]+)$/;
const pointOf = (label) => {
  const [, across, east, up, north] = GRID.exec(label) ?? [];
  if (!across) return label.split(",").map(Number);
  return [(across === "E" ? 1 : -1) * Math.round(1000 * east), (up === "S" ? 1 : -1) * Math.round(1000 * north)];
};
const labelled = (x, y, like) =>
  GRID.test(like) ? `${x < 0 ? "W" : "E"}${Math.abs(x) / 1000}/${y > 0 ? "S" : "N"}${Math.abs(y) / 1000}` : `${x},${y}`;

// --- the log -------------------------------------------------------------------------------------
// A line lights the places it names, and the places of the units it names; a place lights its lines.
let lines = new Map(); // the cells that each line of the log mentions
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const read = () => {
  const cells = [...document.querySelectorAll("#cells [role=gridcell]")];
  const named = new Map(cells.map((cell) => [cell.dataset.label, cell]));
  const yards = board.dataset.unit === "yards";
  // Without hexes, a point belongs to the hundred-yard square with the nearest middle.
  const around = (label) => cells.find(({ dataset }) => pointOf(dataset.label).every((at, n) => Math.abs(at - pointOf(label)[n]) <= 50));
  const homes = new Map();
  for (const name of board.querySelectorAll(".fan .name"))
    homes.set(name.textContent.trim().replace(/, \w+$/, "").toLowerCase(), named.get(name.closest(".fan").dataset.at));
  const units = homes.size ? new RegExp(`\\b(?:${[...homes.keys()].map(escaped).join("|")})\\b`, "gi") : null;
  lines = new Map();
  for (const line of document.querySelectorAll("ol.log li")) {
    const text = line.textContent.slice(line.querySelector(".hint")?.textContent.length ?? 0).replace(/\([^()]*\)$/, "");
    const spoken = new Set(yards
      ? [...text.matchAll(/-?\d+,-?\d+|[EW][\d.]*\d\/[NS][\d.]*\d/g)].map(([label]) => around(label))
      : text.split(/[^\w.-]+/).map((word) => named.get(word.replace(/\.$/, ""))));
    for (const [unit] of units ? text.matchAll(units) : []) spoken.add(homes.get(unit.toLowerCase()));
    spoken.delete(undefined);
    if (!spoken.size) continue;
    lines.set(line, spoken);
    line.tabIndex = -1;
  }
};
const speak = (line) => {
  const cells = [...(lines.get(line) ?? [])];
  const outline = (cell) => `M${cell.querySelector(".cell").getAttribute("points").trim().split(/\s+/).join("L")}Z`;
  page("spoken")?.setAttribute("d", cells.map(outline).join(""));
  return cells;
};
const lineOf = (element) => element.closest?.("ol.log li[tabindex]");
for (const kind of ["mouseover", "focusin"])
  document.addEventListener(kind, ({ target }) => {
    const line = lineOf(target);
    if (!board || (!line && kind === "focusin")) return;
    const [cell] = line ? speak(line) : speak(lineOf(document.activeElement));
    if (line && kind === "focusin") { bring(cell); page("measured").textContent = cell.getAttribute("aria-label").replace(/; order here:.*/s, ""); }
  });
// The log is one stop of the Tab key; the arrow keys move between the lines that name a place.
document.addEventListener("keydown", (event) => {
  const log = event.target.closest("div.log");
  if (!log || !["ArrowUp", "ArrowDown"].includes(event.key) || !lines.size) return;
  event.preventDefault();
  const all = [...lines.keys()], at = all.indexOf(event.target);
  all[Math.min(all.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))].focus();
});

// --- choosing ------------------------------------------------------------------------------------
const MOST = 12;
// Without hexes a place is a point: the point under the pointer, to ten yards, not the middle of its square.
const exact = (offer, at) => {
  if (board.dataset.unit !== "yards" || !offer.cell || !at) return offer.label;
  const [x, y] = pointOf(offer.label);
  const yards = (far) => Math.round((10 * far) / step) * 10;
  return labelled(x + yards(at[0] - offer.x), y + yards(at[1] - offer.y), offer.label);
};
const choose = (cell, at, focus) => {
  const form = page("chosen");
  for (const each of board.querySelectorAll(".start")) each.classList.remove("start");
  const same = chosen === cell && !at;
  chosen = same ? null : cell;
  page("chosen-spot").setAttribute("visibility", "hidden");
  if (form) form.hidden = true;
  if (!chosen) { look(cell, at); return; }
  cell.classList.add("start");
  look(cell, at);
  const offered = offeredAt(cell, at);
  if (!form || !offered.length) return;
  const list = form.querySelector("ul");
  list.replaceChildren();
  const orders = offered.flatMap((offer) => offer.orders.map((words) => words.map((text) => text.replace(offer.label, exact(offer, at)))));
  for (const [text, words] of orders.slice(0, MOST)) {
    const button = Object.assign(document.createElement("button"), { name: "order", value: text, textContent: words });
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  if (orders.length > MOST)
    list.append(Object.assign(document.createElement("li"), { textContent: `${orders.length - MOST} more in the list of orders` }));
  form.querySelector("h3").textContent = offered.length === 1 ? exact(offered[0], at) : `At ${cell.dataset.label}`;
  if (!offered[0].cell) {
    page("chosen-spot").setAttribute("cx", offered[0].x);
    page("chosen-spot").setAttribute("cy", offered[0].y);
    page("chosen-spot").setAttribute("visibility", "visible");
  }
  form.hidden = false;
  if (focus) list.querySelector("button").focus();
};

// --- keys ----------------------------------------------------------------------------------------
const go = (from, to) => {
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
  bring(to);
};
const walk = (from, rows, columns) => {
  const row = Number(from.dataset.row) + rows, column = Number(from.dataset.column) + columns;
  // In columns of hexes the neighbour to the side may be in the row above or below.
  go(from, cellAt(row, column) || (columns && (cellAt(row + 1, column) || cellAt(row - 1, column))));
};
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape" && chosen && event.target.closest("#chosen")) {
    const back = chosen;
    page("chosen").hidden = true;
    back.focus();
    return;
  }
  const cell = cellOf(event.target);
  if (!cell) return;
  if (MOVES[event.key]) {
    event.preventDefault();
    walk(cell, ...MOVES[event.key]);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(cell, null, true);
  } else if (event.key === "Home" || event.key === "n") {
    event.preventDefault();
    const lit = event.key === "n" ? [...document.querySelectorAll("#cells [role=gridcell]")].filter((each) => offeredAt(each).length) : [];
    go(cell, event.key === "n"
      ? lit[lit.indexOf(cell) + 1] || lit[0]
      : home() || document.querySelector("#cells [role=gridcell]"));
  } else if (event.key === "+" || event.key === "-") {
    zoom(event.key === "+" ? 0.8 : 1.25, middle(cell));
  }
});
document.addEventListener("focusin", (event) => {
  const cell = cellOf(event.target);
  if (cell) look(cell);
});

// --- mouse and fingers ---------------------------------------------------------------------------
const fingers = new Map();
let dragged = false;
const pinch = () => {
  const [a, b] = [...fingers.values()];
  return [Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 }];
};
const under = (event) => cellOf(document.elementFromPoint(event.clientX, event.clientY));
const down = (event) => {
  if (event.button !== 0) return;
  if (!fingers.size) dragged = false;
  fingers.set(event.pointerId, event);
};
const move = (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) {
    if (event.pointerType === "mouse") look(under(event), point(event));
    return;
  }
  if (fingers.size === 2) {
    const [wide] = pinch();
    fingers.set(event.pointerId, event);
    const [wider, centre] = pinch();
    if (wider) zoom(wide / wider, point(centre));
    dragged = true;
    return;
  }
  if (!dragged && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 6) return;
  dragged = true;
  const [from, to] = [point(before), point(event)];
  show([seen[0] + from[0] - to[0], seen[1] + from[1] - to[1], seen[2]]);
  fingers.set(event.pointerId, event);
};
const up = (event) => fingers.delete(event.pointerId);
// Choose a place on click, not on pointer-up: the click that follows a touch would hit whatever has opened under it.
const click = (event) => {
  const cell = under(event);
  if (cell && !dragged) choose(cell, point(event), false);
};
const wheel = (event) => {
  const closer = event.deltaY < 0;
  if (!closer && seen[2] >= most()) return; // the whole map is shown: let the page scroll
  event.preventDefault();
  zoom(closer ? 0.85 : 1 / 0.85, point(event));
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-map]");
  if (!button || !board) return;
  const { map } = button.dataset;
  if (map === "hide") button.setAttribute("aria-pressed", String(board.classList.toggle("bare")));
  else if (map === "fit") show([whole[0], whole[1], most()]);
  else zoom(map === "closer" ? 0.7 : 1 / 0.7);
});

// --- a map that has just been loaded -------------------------------------------------------------
const arrange = () => {
  const fresh = page("board");
  if (!fresh || fresh === board) return;
  board = fresh;
  chosen = null;
  whole = board.getAttribute("viewBox").split(" ").map(Number);
  step = Number(board.dataset.pixels);
  const cells = page("cells").getBBox();
  ground = cells.y + cells.height - whole[1];
  offers = page("offers") ? JSON.parse(page("offers").textContent).map((offer) => ({ ...offer, x: offer.at[0], y: offer.at[1] })) : [];
  board.parentElement.style.setProperty("--shape", whole[2] / whole[3]);
  board.parentElement.classList.add("live");
  read();
  for (const bar of document.querySelectorAll(".map-keys")) bar.hidden = false;
  for (const [kind, handler] of [["pointerdown", down], ["pointermove", move], ["click", click]]) board.addEventListener(kind, handler);
  board.addEventListener("wheel", wheel, { passive: false });
  const before = JSON.parse(sessionStorage.getItem(storageKey()) || "null");
  // If cells are smaller than a finger, begin zoomed in on the target; a button shows the whole map.
  const close = (board.clientWidth * step) / READABLE;
  if (before) show(before);
  else if (most() > close && home()) around(middle(home()), close);
  else show([whole[0], whole[1], most()]);
};
for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, up);
document.addEventListener("fireplan:swapped", arrange);
arrange();
