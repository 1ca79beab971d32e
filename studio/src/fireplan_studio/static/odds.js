// The odds beside the orders: fetched when a page with orders is shown, so the page does not wait for them. Which goal they
// are for is chosen once and kept for every table.

const KEY = "fireplan-goal";
const now = () => document.querySelector("section[data-seen]");
const kept = () => { try { return localStorage.getItem(KEY) ?? "target"; } catch { return "target"; } };

const choose = (goal) => {
  if (now()) now().dataset.goal = goal;
  const select = document.getElementById("goal");
  if (!select) return;
  select.value = goal;
  select.form.hidden = false;
};
document.addEventListener("change", ({ target }) => {
  if (target.id !== "goal") return;
  try { localStorage.setItem(KEY, target.value); } catch { /* not kept */ }
  choose(target.value);
});

// Put what was worked out for the same view into the page, which keeps its focus and all that was typed.
const put = (page) => {
  const fresh = page.querySelector("section[data-seen]");
  if (!fresh || fresh.dataset.seen !== now()?.dataset.seen) return;
  const weights = new Map([...fresh.querySelectorAll(".weight")].map((each) => [each.dataset.order, each]));
  for (const each of document.querySelectorAll(".weight")) each.replaceChildren(...(weights.get(each.dataset.order)?.childNodes ?? []));
  document.getElementById("weighing").replaceWith(fresh.querySelector("#weighing"));
  choose(kept());
  document.dispatchEvent(new Event("fireplan:weighed"));
};

const AGAIN = 1000;
const weigh = async () => {
  choose(kept());
  const link = document.getElementById("weigh"), seen = now()?.dataset.seen;
  if (!link || !kept()) return;
  try {
    const answer = await fetch(link.href, { headers: { accept: "text/html" } });
    if (now()?.dataset.seen !== seen) return;
    if (answer.status === 202) { setTimeout(() => { if (now()?.dataset.seen === seen) weigh(); }, AGAIN); return; }
    if (answer.ok) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the link is still there */ }
};
document.addEventListener("fireplan:swapped", weigh);
weigh();
