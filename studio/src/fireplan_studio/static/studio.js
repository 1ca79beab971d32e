// Conveniences; every page works without them. A form marked data-swap shows its answer in place.
// The static site, where Python answers in a worker, replaces fetch and uses place().

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

// On a phone, secondary sections are folded unless something in them is wrong; on a wider page they are open.
const phone = matchMedia("(max-width: 45rem)");
export const fold = () => {
  for (const each of document.querySelectorAll("details[data-fold]:not([data-folded])")) {
    each.dataset.folded = "";
    if (phone.matches && !each.querySelector(".wrong, [aria-invalid]")) each.open = false;
  }
};
phone.addEventListener("change", () => {
  for (const each of document.querySelectorAll("details[data-fold]")) each.open = !phone.matches;
});

export const place = (text) => {
  const main = document.getElementById("main");
  const page = parsed(text);
  const fresh = page.getElementById("main");
  const focused = document.activeElement;
  const path = focused && focused.name ? `[name="${CSS.escape(focused.name)}"]` : null;
  const opened = [...main.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
  main.replaceChildren(...fresh.childNodes);
  fold();
  for (const summary of main.querySelectorAll("details > summary"))
    if (opened.includes(summary.textContent)) summary.parentElement.open = true;
  document.title = page.title;
  const again = path && main.querySelector(path);
  if (again) again.focus();
  document.dispatchEvent(new Event("fireplan:swapped"));
};

// The studio answers 202 while it is working. Meanwhile a strip at the foot of the page has a bar and a button that stops
// the work. The static site has another strip, for every request that takes long.
const AGAIN = 400;
const stop = (action) => fetch(action, { method: "POST", body: new URLSearchParams(), keepalive: true });
let waited = null; // the URL that stops the work for which this page waits
const strip = () => {
  let whole = document.getElementById("working");
  if (whole) return whole;
  whole = Object.assign(document.createElement("aside"), { id: "working", hidden: true });
  whole.setAttribute("aria-label", "Work in progress");
  whole.innerHTML = '<p role="status">Working on the answer.</p> <progress aria-label="Progress"></progress> <button type="button">Stop</button>';
  document.body.append(whole);
  return whole;
};
const shows = (page) => {
  waited = page.getElementById("stop")?.getAttribute("action") ?? null;
  const whole = strip(), bar = page.querySelector("progress"), own = whole.querySelector("progress");
  whole.hidden = false;
  if (bar?.hasAttribute("value")) { own.max = bar.max; own.value = bar.value; } else own.removeAttribute("value");
};
const rests = () => { waited = null; if (document.getElementById("working")) strip().hidden = true; };
document.addEventListener("fireplan:swapped", rests);
// Return the answer once it is ready, or null if it was stopped or a newer one is wanted.
export const followed = async (url, options = {}, wanted = () => true) => {
  let stopped = false;
  try {
    for (;;) {
      const answer = await fetch(url, { headers: { accept: "text/html" }, ...options });
      if (stopped || !wanted()) return null;
      if (answer.status !== 202) return answer;
      shows(parsed(await answer.text()));
      strip().querySelector("button").onclick = () => { stopped = true; if (waited) stop(waited); rests(); };
      await new Promise((done) => setTimeout(done, AGAIN));
      if (stopped) return null;
      if (!wanted()) { if (waited) stop(waited); return null; }
    }
  } finally {
    if (wanted()) rests();
  }
};
addEventListener("pagehide", () => { if (waited) stop(waited); }); // stop the work for a view that the visitor leaves

fold();

let latest = 0;
const swap = async (url, push) => {
  const turn = ++latest;
  const main = document.getElementById("main");
  main.classList.add("busy");
  main.setAttribute("aria-busy", "true");
  try {
    const answer = await followed(url, {}, () => turn === latest);
    if (!answer) return;
    const text = await answer.text();
    if (turn !== latest) return;
    place(text);
    if (push) history.pushState({}, "", answer.url);
  } catch {
    location.assign(url);
  } finally {
    if (turn === latest) {
      main.classList.remove("busy");
      main.removeAttribute("aria-busy");
    }
  }
};

// A number left as printed is not sent.
const printed = (form, name) => {
  const field = form.elements.namedItem(name);
  return field && field.dataset ? field.dataset.printed : undefined;
};

const addressOf = (form) => {
  const url = new URL(form.action, location.href);
  const fields = [...new FormData(form)].filter(([name, value]) => value !== "" && value !== printed(form, name));
  url.search = new URLSearchParams(fields).toString();
  return url;
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-swap]") || form.method !== "get") return;
  event.preventDefault();
  swap(addressOf(form), true);
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && form.matches("form[data-swap]") && form.method === "get" && !event.target.closest("details:not([data-fold])"))
    swap(addressOf(form), true);
});

// The ranking of the numbers takes long: it is requested automatically, once, and the page is then replaced.
const asked = new Set();
const rank = async (wish) => {
  const holder = document.querySelector("[data-rank]"), url = holder?.dataset.rank;
  if (!url || (!wish && (asked.has(url) || !("ranksItself" in holder.dataset)))) return;
  asked.add(url);
  const wanted = () => document.querySelector("[data-rank]")?.dataset.rank === url;
  const answer = await followed(url, {}, wanted);
  if (!answer || !wanted()) return;
  if (document.getElementById("main").hasAttribute("aria-busy")) { asked.delete(url); return; } // a change is being loaded; its page requests the ranking again
  const faults = parsed(await answer.text()).querySelector(".faults");
  if (faults && wanted()) document.querySelector("[data-rank]").replaceWith(faults);
  else if (wanted()) swap(location.href, false);
};
document.addEventListener("fireplan:swapped", () => rank(false));
rank(false);
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-rank] a") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  rank(true);
});

window.addEventListener("popstate", () => swap(location.href, false));

// Sliders show their number while they are moved; the page is loaded once they are released.
document.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  const output = event.target.labels[0]?.querySelector("output");
  if (output) output.textContent = event.target.value;
});
document.addEventListener("change", (event) => {
  const { form, name } = event.target;
  if (form && form.matches("form[data-swap]") && name.startsWith("n.")) swap(addressOf(form), true);
});

// An answer is copied as a link to it, as position lines, as Markdown or as Python.
const offer = () => { for (const each of document.querySelectorAll(".copies")) each.hidden = false; };
for (const name of ["swapped", "answered"]) document.addEventListener(`fireplan:${name}`, offer);
offer();
document.addEventListener("click", async (event) => {
  const { copy, copyLink } = event.target.dataset ?? {};
  if (copy === undefined && copyLink === undefined) return;
  const link = copyLink && new URL(copyLink, document.baseURI).href;
  const text = copy === undefined ? link : copy.replaceAll("{link}", link);
  const status = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = "Copied.";
  } catch {
    status.textContent = text;  // over plain HTTP a page may not write to the clipboard
  }
});
