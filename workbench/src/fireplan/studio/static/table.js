// The map of a table: arrow keys walk from cell to cell, a drag or two marked cells are measured.

const cells = () => [...document.querySelectorAll("#cells [role=gridcell]")];
const at = (row, column) => document.querySelector(`#cells [data-row="${row}"][data-column="${column}"]`);

const walk = (from, rows, columns) => {
  const row = Number(from.dataset.row), column = Number(from.dataset.column);
  // In columns of hexes a neighbour sideways may lie in the row above or below.
  const to = at(row + rows, column + columns) || (columns && (at(row + 1, column + columns) || at(row - 1, column + columns)));
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
};

const distance = (a, b) => {
  const board = document.getElementById("board");
  const metres = Math.hypot(a.dataset.east - b.dataset.east, a.dataset.south - b.dataset.south);
  let words = `${Math.round(metres)} m`;
  if (board.dataset.unit === "hexes") {
    const q = [a, b].map((each) => Number(each.dataset.column));
    const r = [a, b].map((each) => Number(each.dataset.row) - Math.floor(Number(each.dataset.column) / 2));
    const dq = q[0] - q[1], dr = r[0] - r[1];
    const hexes = Math.max(Math.abs(dq), Math.abs(dr), Math.abs(dq + dr));
    words = `${hexes} ${hexes === 1 ? "hex" : "hexes"}, ${words}`;
  } else if (board.dataset.unit === "yards") {
    words = `${Math.round((100 * metres) / Number(board.dataset.step))} yd, ${words}`;
  }
  return `${a.dataset.label} to ${b.dataset.label}: ${words}`;
};

const middle = (cell) => {
  const box = cell.querySelector("polygon").getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

let start = null;
const measure = (to) => {
  if (!start || !to) return;
  const [ax, ay] = middle(start), [bx, by] = middle(to);
  document.getElementById("measure").setAttribute("d", `M${ax},${ay}L${bx},${by}`);
  document.getElementById("measured").textContent = distance(start, to);
};
const mark = (cell) => {
  for (const each of document.querySelectorAll("#cells .start")) each.classList.remove("start");
  start = cell;
  if (cell) cell.classList.add("start");
  else document.getElementById("measure").removeAttribute("d");
};

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest && event.target.closest("#cells [role=gridcell]");
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (moves[event.key]) {
    event.preventDefault();
    walk(cell, ...moves[event.key]);
    measure(document.activeElement.closest("#cells [role=gridcell]"));
  } else if (event.key === "Enter") {
    mark(start === cell ? null : cell);
    document.getElementById("measured").textContent = start ? `Measuring from ${cell.dataset.label}` : "";
  } else if (event.key === "Home") {
    event.preventDefault();
    const home = document.querySelector("#cells [data-home]") || cells()[0];
    cell.tabIndex = -1;
    home.tabIndex = 0;
    home.focus();
  }
});

const cellOf = (event) => {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return found && found.closest("#cells [role=gridcell]");
};
let dragging = false;
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("#board") || event.button !== 0) return;
  dragging = true;
  mark(cellOf(event));
});
document.addEventListener("pointermove", (event) => { if (dragging) measure(cellOf(event)); });
document.addEventListener("pointerup", () => { dragging = false; });

// Fit, magnify, hide: comforts of the map, shown only where scripts run.
for (const bar of document.querySelectorAll(".map-keys")) bar.hidden = false;

const press = (button, on) => button.setAttribute("aria-pressed", String(on));
const arrange = (button) => {
  const board = document.getElementById("board");
  const { map } = button.dataset;
  if (map === "hide") {
    press(button, board.classList.toggle("bare"));
    return;
  }
  board.classList.toggle("large", map === "magnify");
  for (const each of document.querySelectorAll("[data-map=fit], [data-map=magnify]")) press(each, each === button);
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-map]");
  if (button) arrange(button);
  if (event.target.closest("[data-help]")) document.getElementById("keys").showModal();
});

// Single keys: not while somebody types, none the only way. A closed dialog keeps the focus until the next drawing.
const typing = (element) => element.matches("input, select, textarea, [contenteditable]") || element.closest("dialog[open]");
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!found) return;
  event.preventDefault();
  if (found.matches("button")) found.click();
  else found.focus();
});

// Dice between the seats: this browser makes a secret for each throw, keeps it until all have committed, and looks
// afterwards whether the table still says what it said then.
const hex = (bytes) => [...new Uint8Array(bytes)].map((each) => each.toString(16).padStart(2, "0")).join("");
const fair = document.querySelector("form[data-fair]");
if (fair && window.crypto && crypto.subtle) {
  const { fair: name, step, committed } = fair.dataset;
  const { value } = fair.elements;
  const kept = localStorage.getItem(name);
  if (step === "tell" && kept) {
    localStorage.setItem(`${name} committed`, committed);
    value.value = kept;
    fair.submit();
  }
  if (step === "commit") fair.addEventListener("submit", (event) => {
    if (value.value) return;
    event.preventDefault();
    const secret = hex(crypto.getRandomValues(new Uint8Array(16)));
    localStorage.setItem(name, secret);
    crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret)).then((digest) => {
      value.value = hex(digest);
      fair.submit();
    });
  });
}
for (const row of document.querySelectorAll("[data-thrown]")) {
  const { thrown: name, committed, secret } = row.dataset;
  const differs = (key, now) => localStorage.getItem(key) !== null && localStorage.getItem(key) !== now;
  if (differs(name, secret) || differs(`${name} committed`, committed)) document.getElementById("unfair").hidden = false;
}
