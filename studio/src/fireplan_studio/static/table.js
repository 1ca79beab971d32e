// Single keys at a table.

const open = () => document.getElementById("keys").showModal();
document.addEventListener("click", (event) => { if (event.target.closest("[data-help]")) open(); });

// Single keys are off while somebody types. A closed dialog keeps the focus until the next frame.
const typing = (element) => element.matches("input, select, textarea, [contenteditable]") || element.closest("dialog[open]");
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
  const target = event.key === "Enter"
    ? !event.target.closest("a, button, summary, [tabindex]:not(main)") && document.querySelector("section.now button.standard, section.now [data-key=r]")
    : document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("button")) target.click();
  else target.focus();
});

// After an order or a throw, the focus is on the next thing to do, not at the top of the page.
// While the answer to a form is loading, the stream may already have put the same view into the old page, so the mark is
// kept for the page that replaces it. The static site never replaces its page.
const ACTED = "fireplan-acted";
let leaving = false;
document.addEventListener("submit", ({ target }) => {
  const now = target.closest("section.now");
  if (!now) return;
  leaving = !location.hash.startsWith("#/");
  try { sessionStorage.setItem(ACTED, now.dataset.seat); } catch { /* the browser stores nothing */ }
});
addEventListener("pageshow", () => { leaving = false; });
const goOn = () => {
  const now = document.querySelector("section.now");
  try {
    if (!now || sessionStorage.getItem(ACTED) !== now.dataset.seat) return;
    if (!leaving) sessionStorage.removeItem(ACTED);
  } catch { return; }
  now.querySelector(".orders button, [data-key=r]")?.focus({ preventScroll: true });
};
document.addEventListener("fireplan:swapped", goOn);
goOn();
