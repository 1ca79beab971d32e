// The odds beside the orders. They are fetched once a page with orders is shown, so that the page does not wait for them;
// the odds of harm, which take longest, come last. The goal is the game's until the reader chooses another, and the choice
// is remembered for every table.

const KEY = "fireplan-goal";
const now = () => document.querySelector("section[data-seen]");
const kept = () => { const first = now()?.dataset.first ?? "target"; try { return localStorage.getItem(KEY) ?? first; } catch { return first; } };

const choose = (goal) => {
  for (const each of document.querySelectorAll("section[data-seen], #chosen")) each.dataset.goal = goal;
  tint(goal);
  const select = document.getElementById("goal");
  if (!select) return;
  select.value = goal;
  select.form.hidden = false;
};
document.addEventListener("change", ({ target }) => {
  if (target.id !== "goal") return;
  try { localStorage.setItem(KEY, target.value); } catch { /* the browser stores nothing */ }
  choose(target.value);
});

// Places are tinted by the best order that names them, and the orders listed for a place show their figures.
const SHADES = 5;
const weightOf = (order) => document.querySelector(`.weight[data-order="${CSS.escape(order)}"]`);
const valueOf = (order, goal) => {
  const meter = goal && weightOf(order)?.querySelector(`[data-goal="${goal}"] meter`);
  return meter ? meter.value : null;
};
const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
const tint = (goal) => {
  const legend = document.getElementById("tint"), data = document.getElementById("offers");
  const map = document.getElementById("board");
  for (const cell of document.querySelectorAll("[data-tint]")) delete cell.dataset.tint;
  map?.removeAttribute("data-tinted");
  if (!legend || !data) return;
  const worth = new Map(), places = JSON.parse(data.textContent), several = places.length > 1;
  for (const offer of places) {
    const values = offer.orders.map(([text]) => valueOf(text, goal)).filter((value) => value !== null);
    if (values.length) worth.set(offer.label, Math.max(...values));
  }
  const low = Math.min(...worth.values()), high = Math.max(...worth.values());
  legend.textContent = "";
  if (!(high > low)) {
    const weighed = worth.size > 1, awaited = goal && !worth.size && document.getElementById("weigh");
    if (weighed) legend.textContent = "All places that were weighed have the same odds.";
    else if (awaited && several) legend.textContent = "Places are shaded by their odds as soon as these are worked out.";
    return;
  }
  map?.setAttribute("data-tinted", "");
  for (const [label, value] of worth) {
    const cell = document.querySelector(`#cells [data-label="${CSS.escape(label)}"]`);
    if (cell) cell.dataset.tint = 1 + Math.round((SHADES - 1) * (value - low) / (high - low));
  }
  legend.textContent = `Likely places are shaded by their odds: from ${percent(low)}, palest, to ${percent(high)}, darkest. Choose one to see its figure; those left clear were not weighed.`;
};
const figures = new MutationObserver((changes) => {
  for (const { target } of changes)
    for (const button of target.querySelectorAll("button[name=order]")) {
      const weight = weightOf(button.value);
      if (weight?.childNodes.length && !button.nextElementSibling?.matches(".weight")) button.after(" ", weight.cloneNode(true));
    }
});

// Insert the odds of the same view into the page, which keeps its focus and everything typed.
const put = (page) => {
  const fresh = page.querySelector("section[data-seen]");
  if (!fresh || fresh.dataset.seen !== now()?.dataset.seen) return;
  const weights = new Map([...fresh.querySelectorAll(".weight")].map((each) => [each.dataset.order, each]));
  for (const each of document.querySelectorAll(".weight")) each.replaceChildren(...(weights.get(each.dataset.order)?.childNodes ?? []));
  document.getElementById("weighing").replaceWith(fresh.querySelector("#weighing"));
  choose(kept());
};

const AGAIN = 1000;
// Return the page of a link, requesting it again until it has been worked out, or null if the table has changed meanwhile.
const promised = async (link) => {
  const seen = now()?.dataset.seen, same = () => now()?.dataset.seen === seen;
  if (!link || !kept()) return null;
  try {
    for (;;) {
      const answer = await fetch(link.href, { headers: { accept: "text/html" } });
      const text = await answer.text();
      if (!same()) return null;
      if (answer.status !== 202) return answer.ok ? new DOMParser().parseFromString(text, "text/html") : null;
      await new Promise((done) => setTimeout(done, AGAIN));
      if (!same()) return null;
    }
  } catch { return null; /* the odds remain available by their link */ }
};
const weigh = async () => {
  choose(kept());
  const list = document.querySelector("#chosen ul");
  if (list) figures.observe(list, { childList: true });
  const link = document.getElementById("weigh"), page = await promised(link);
  if (!page) return;
  put(page);
  if (document.getElementById("weigh")?.href !== link.href) weigh();
};

// The warning that the last order endangers the side's own troops is worked out after the page is shown, like the odds.
const warn = async () => {
  const seen = now()?.dataset.seen, page = await promised(document.getElementById("warn"));
  const place = document.getElementById("danger");
  if (place && page?.querySelector("section[data-seen]")?.dataset.seen === seen)
    place.replaceChildren(...(page.getElementById("danger")?.childNodes ?? []));
};
document.addEventListener("fireplan:swapped", () => { weigh(); warn(); });
weigh();
warn();
