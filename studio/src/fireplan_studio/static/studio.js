// Conveniences; every page works without them. A form marked data-swap shows its answer in place.
// The static site, where Python answers in a worker, replaces fetch and uses place().

export const place = (text) => {
  const main = document.getElementById("main");
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.getElementById("main");
  const focused = document.activeElement;
  const path = focused && focused.name ? `[name="${CSS.escape(focused.name)}"]` : null;
  const opened = [...main.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
  main.replaceChildren(...fresh.childNodes);
  for (const summary of main.querySelectorAll("details > summary"))
    if (opened.includes(summary.textContent)) summary.parentElement.open = true;
  document.title = page.title;
  const again = path && main.querySelector(path);
  if (again) again.focus();
  document.dispatchEvent(new Event("fireplan:swapped"));
};

let latest = 0;
const swap = async (url, push) => {
  const turn = ++latest;
  const main = document.getElementById("main");
  main.classList.add("busy");
  main.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { headers: { accept: "text/html" } });
    if (answer.status === 202) { location.assign(answer.url); return; }
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
  if (form && form.matches("form[data-swap]") && form.method === "get" && !event.target.closest("details"))
    swap(addressOf(form), true);
});

window.addEventListener("popstate", () => swap(location.href, false));

// Sliders show their number while they are moved; the page is loaded once they are released.
document.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  const output = event.target.closest("label").querySelector("output");
  if (output) output.textContent = event.target.value;
});
document.addEventListener("change", (event) => {
  const { form, name } = event.target;
  if (form && form.matches("form[data-swap]") && name.startsWith("n.")) swap(addressOf(form), true);
});

// An answer is copied as a link to it, as position lines, as Markdown or as Python.
const offer = () => { for (const each of document.querySelectorAll(".copies")) each.hidden = false; };
document.addEventListener("fireplan:swapped", offer);
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
