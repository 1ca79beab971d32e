// The dial: the figures follow a slider while it is dragged; its curve is drawn once it rests. Without this script the
// form has a button.

import { followed } from "./studio.js";

const WAIT = 150, REST = 700;
let newest = 0;
let timer = 0;

const form = () => document.querySelector("form[data-dial]");

const addressOf = (along) => {
  const url = new URL(form().action, location.href);
  const fields = [...new FormData(form())].filter(([name, value]) => {
    const field = form().elements.namedItem(name);
    return value !== "" && name !== "along" && value !== (field.dataset ? field.dataset.printed : undefined);
  });
  if (along) fields.push(["along", along]);
  url.search = new URLSearchParams(fields).toString();
  return url;
};

// The curve's slider is also in the sentence above it. While the slider is held, only the figures are replaced.
const tell = (fresh) => {
  const line = document.querySelector(".dial-now"), held = line?.querySelector("#held"), next = fresh?.querySelector("#held");
  if (!line || !fresh) return;
  if (!next || next.dataset.held === held?.dataset.held) line.querySelector(".figures").replaceWith(fresh.querySelector(".figures"));
  else line.replaceWith(fresh);
  release();
};
const release = () => { const held = document.getElementById("held"); if (held) held.hidden = false; };
const tie = (from, to) => {
  to.value = from.value;
  to.labels[0].querySelector("output").textContent = from.value;
};

// Only the newest request shows its answer.
const redraw = async (along) => {
  const mine = ++newest;
  const answer = document.getElementById("answer");
  answer.setAttribute("aria-busy", "true");
  try {
    const response = await followed(addressOf(along), {}, () => mine === newest && answer.isConnected);
    if (!response) return false;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("answer") || page.querySelector(".faults");
    if (mine !== newest || !fresh) return false;
    answer.replaceChildren(...(fresh.id ? fresh.childNodes : [fresh]));
    tell(page.querySelector(".dial-now"));
    if (response.ok) history.replaceState({}, "", response.url);
    document.dispatchEvent(new Event("fireplan:answered"));
    return true;
  } finally {
    if (mine === newest) answer.removeAttribute("aria-busy");
  }
};

document.addEventListener("input", ({ target }) => {
  if (target.type !== "range" || !form()) return;
  const held = document.getElementById("held"), slider = held?.querySelector("input");
  if (target === slider) {
    const own = form().elements.namedItem(held.dataset.held);
    tie(slider, own);
    own.dispatchEvent(new Event("input", { bubbles: true }));
    return;
  }
  if (target.form !== form()) return;
  if (held?.dataset.held === target.name) tie(target, slider);
  const along = target.name.replace(/^[en]\./, "");
  form().elements.namedItem("along").value = along;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if (await redraw("")) timer = setTimeout(() => redraw(along), REST);
  }, WAIT);
});

// Another engagement or game has other sliders, so the page is loaded again; any other choice acts like a slider.
document.addEventListener("change", ({ target }) => {
  if (target.form !== form() || target.type === "range") return;
  if (["engagement", "game", "set"].includes(target.name)) form().requestSubmit();
  else redraw(form().elements.namedItem("along").value);
});

// The dial opens with a curve: the chance of losses by guns, unless another figure was chosen.
const begin = () => {
  release();
  if (!form() || document.getElementById("along") || document.querySelector(".faults")) return;
  const { along, for: figure } = form().elements;
  along.value = "guns";
  if (figure.selectedIndex === 0) figure.value = "reduced";
  redraw(along.value);
};
document.addEventListener("fireplan:swapped", begin);
begin();
