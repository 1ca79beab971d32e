// A film: the pictures of a game, played back on its map. Space plays and pauses, the arrow keys step, Page Up and Page
// Down step by turns, Home and End go to the ends. Without this script the page has the list of events and the last map.

const page = (id) => document.getElementById(id);
const layers = [];
for (const changed of JSON.parse(page("film-layers").textContent)) layers.push({ ...layers.at(-1), ...changed });
const turns = JSON.parse(page("film-turns").textContent);
const pictures = [...page("film-pictures").children];
const slider = page("film-at"), speed = page("film-speed"), button = document.querySelector("[data-film=play]");
const last = pictures.length - 1;
let at = -1, timer = 0;

const show = (number) => {
  const before = at;
  at = Math.min(Math.max(number, 0), last);
  if (at === before) return;
  pictures[before]?.classList.remove("shown");
  pictures[at].classList.add("shown");
  for (const [name, drawn] of Object.entries(layers[at])) if (layers[before]?.[name] !== drawn) page(name).innerHTML = drawn;
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${at + 1} of ${pictures.length}, ${pictures[at].querySelector("p").textContent}`);
  page("film-now")?.setAttribute("transform", `translate(${60 + (570 * at) / Math.max(last, 1)})`);
};
const byTurn = (direction) => (direction > 0 ? turns.find((turn) => turn > at) ?? last : turns.findLast((turn) => turn < at) ?? 0);
const stop = () => {
  clearTimeout(timer);
  timer = 0;
  button.textContent = "\u25b6";
  button.setAttribute("aria-label", "Play");
};
const advance = () => {
  const turn = speed.value === "turn";
  show(turn ? byTurn(1) : at + 1);
  if (at === last) stop();
  else timer = setTimeout(advance, turn ? 2500 : Number(speed.value));
};
const play = () => {
  if (timer) { stop(); return; }
  if (at === last) show(0);
  button.textContent = "\u275a\u275a";
  button.setAttribute("aria-label", "Pause");
  timer = setTimeout(advance, 400);
};
const step = (number) => { stop(); show(number); };

const KEYS = {
  " ": play,
  ArrowRight: () => step(at + 1),
  ArrowLeft: () => step(at - 1),
  PageDown: () => step(byTurn(1)),
  PageUp: () => step(byTurn(-1)),
  Home: () => step(0),
  End: () => step(last),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
  if (event.target.closest("#cells, input, select, summary, a") || (event.key === " " && event.target.closest("button"))) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.addEventListener("click", (event) => {
  const action = event.target.closest("[data-film]")?.dataset.film;
  if (action === "play") play();
  else if (action) step(action.endsWith("turn") ? byTurn(action === "turn" ? 1 : -1) : at + Number(action));
});
slider.addEventListener("input", () => step(Number(slider.value)));
document.querySelector(".film-curve svg")?.addEventListener("click", ({ clientX, currentTarget }) => {
  const box = currentTarget.getBoundingClientRect();
  step(Math.round((((clientX - box.left) * 640) / box.width - 60) / 570 * last));
});
document.querySelector(".film").classList.add("live");
document.querySelector(".film-keys").hidden = false;
show(0);
