// The design page: a change of a field or of the text is sent at once, and the answer replaces the cards, the faults and
// the figures in place. The text is authoritative: it is sent with the fields changed since it was written.
// Without this script every card has a button.

import { fold, followed } from "./studio.js";

const WAIT = 400;
const PAUSE = 600; // milliseconds without a change before the life of a mission is requested
const LARGEST = 64000; // bytes of a sheet
const find = (id) => document.getElementById(id);
let newest = 0;
let timer = 0;
let later = 0;
let changes = new Map(); // texts by the name of their field; a list for the ready parts of a part

const bodyOf = (more = []) => {
  const body = new URLSearchParams([...new FormData(find("settings"))].filter(([name]) => name !== "text"));
  body.set("text", find("sheet-text").value);
  body.set("seed", find("text-form").elements.seed.value);
  for (const [name, value] of changes) for (const each of [value].flat()) body.append(name, each);
  for (const [name, value] of more) body.set(name, value);
  return body;
};

const openIds = () => [...document.querySelectorAll("#main details[open][id]")].map(({ id }) => id);

// A field in use keeps what is typed in it while the cards around it are replaced.
const put = (fresh) => {
  const active = document.activeElement;
  const typing = active?.name && active.closest("#cards") ? { id: active.id, name: active.name, value: active.value, dirty: active.value !== active.defaultValue && "defaultValue" in active, from: active.selectionStart } : null;
  const opened = openIds();
  const told = fresh.getElementById("cards").children.length > 0;
  const answered = fresh.getElementById("answer").children.length > 0;
  const parts = ["faults", "design-status", ...(told ? ["cards"] : []), ...(answered ? ["answer", "below"] : [])];
  for (const id of parts) find(id).replaceChildren(...fresh.getElementById(id).childNodes);
  const lived = fresh.getElementById("mission").children.length > 0;
  if (lived) find("mission").replaceChildren(...fresh.getElementById("mission").childNodes);
  find("mission").classList.toggle("stale", !lived);
  for (const id of ["answer", "below"]) find(id).classList.toggle("stale", !answered);
  find("cards").classList.toggle("stale", !told);
  if (!answered && find("answer").children.length) find("design-status").append(" The figures shown are those of the last sheet without faults.");
  const text = fresh.getElementById("sheet-text").value;
  if (active !== find("sheet-text")) find("sheet-text").value = text;
  find("text-form").elements.seed.value = fresh.querySelector("#text-form [name=seed]").value;
  fold();
  for (const id of opened) if (find(id)) find(id).open = true;
  if (typing) {
    const field = (typing.id && find(typing.id)) || document.querySelector(`#cards [name="${CSS.escape(typing.name)}"]`);
    if (field) {
      if (typing.dirty) field.value = typing.value;
      field.focus();
      if (typing.from !== null && typing.from !== undefined && field.setSelectionRange && field.type !== "number") field.setSelectionRange(typing.from, typing.from);
    }
  }
  const link = fresh.getElementById("here").getAttribute("href");
  if (link) history.replaceState({}, "", new URL(link, document.baseURI));
  find("here").href = link;
  ready();
  document.dispatchEvent(new Event("fireplan:answered"));
  if (answered && !lived) afterwards();
};

// The figures come first: the life of a mission, which takes longer, is requested once nothing has changed for a moment.
const afterwards = () => {
  clearTimeout(later);
  const mine = newest;
  later = setTimeout(async () => {
    if (mine !== newest) return;
    try {
      const body = bodyOf([["mission", "1"]]);
      const response = await followed(new URL("/design", location.href), { method: "POST", body }, () => mine === newest);
      if (!response || mine !== newest) return;
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("mission");
      if (!fresh || mine !== newest) return;
      const opened = openIds();
      const shown = find("of-mission");
      find("mission").replaceChildren(...fresh.childNodes);
      find("mission").classList.remove("stale");
      fold();
      if (shown && find("of-mission")) find("of-mission").open = opened.includes("of-mission");
    } catch (error) {
      if (mine === newest) find("design-status").textContent = `The life of a mission cannot be shown: ${error.message}`;
    }
  }, PAUSE);
};

const send = async (body) => {
  const mine = ++newest;
  const main = find("main");
  main.setAttribute("aria-busy", "true");
  try {
    body.set("soon", "1");
    const response = await followed(new URL("/design", location.href), { method: "POST", body }, () => mine === newest);
    if (!response) { if (mine === newest) find("design-status").textContent = "Stopped: the figures are those of the previous sheet."; return; }
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== newest) return;
    changes = new Map();
    if (fresh.getElementById("cards")) put(fresh);
    else find("faults").replaceChildren(...(fresh.querySelectorAll("#main > h1, #main > ul, #main > p")));
  } catch (error) {
    if (mine === newest) find("design-status").textContent = `No answer: ${error.message}`;
  } finally {
    if (mine === newest) main.removeAttribute("aria-busy");
  }
};
const soon = (wait) => {
  clearTimeout(timer);
  newest += 1; // an answer still on its way is older than this change
  timer = setTimeout(() => send(bodyOf()), wait);
};

const ours = (form) => form?.matches?.("form[data-design]");
document.addEventListener("change", ({ target }) => {
  if (target.id === "open-file") { openFile(target); return; }
  if (!ours(target.form) || target.id === "sheet-text") return;
  if (target.name.startsWith("part.")) changes.set(target.name, [...target.form.querySelectorAll(`[name="${CSS.escape(target.name)}"]`)].map(({ value }) => value));
  else if (target.name.startsWith("f.")) changes.set(target.name, target.value);
  soon(0);
});
document.addEventListener("input", ({ target }) => {
  if (target.id === "sheet-text") soon(WAIT);
  if (ours(target.form) && target.name.startsWith("f.") && target.tagName !== "SELECT") {
    changes.set(target.name, target.value);
    soon(WAIT);
  }
});
// Captured before the script of the static site sees the event and opens the answer as a new page.
document.addEventListener("submit", (event) => {
  if (!ours(event.target)) return;
  event.preventDefault();
  clearTimeout(timer);
  const { submitter } = event;
  send(bodyOf(submitter?.name ? [[submitter.name, submitter.value]] : []));
}, true);

document.addEventListener("click", ({ target }) => {
  if (target.id === "save-file") saveFile();
  if (!target.matches?.("[data-go]")) return;
  const { go, line } = target.dataset;
  const field = document.querySelector(`#cards [name="f.${CSS.escape(go)}"]`) ?? document.querySelector(`#cards [aria-describedby="${CSS.escape(`wrong:${go.split(/[.[]/)[0]}`)}"]`);
  if (field) {
    for (let each = field.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
    field.focus();
    return;
  }
  const text = find("sheet-text");
  find("as-text").open = true;
  const before = text.value.split("\n").slice(0, Math.max(0, Number(line || 1) - 1)).join("\n").length;
  const from = before + (before ? 1 : 0);
  text.focus();
  text.setSelectionRange(from, (text.value.indexOf("\n", from) + 1 || text.value.length + 1) - 1);
});

const openFile = async (input) => {
  const [file] = input.files;
  if (!file) return;
  if (file.size > LARGEST) { find("design-status").textContent = `${file.name} is too large to be a sheet.`; return; }
  find("sheet-text").value = await file.text();
  changes = new Map();
  input.value = "";
  send(bodyOf());
};
const saveFile = () => {
  const text = find("sheet-text").value;
  const [, key] = /^key\s*=\s*"(\w+)"/m.exec(text) ?? [];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  link.download = `${key ?? "my_game"}.toml`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

const ready = () => {
  for (const each of document.querySelectorAll(".with-script, [data-go], .copies")) each.hidden = false;
  for (const each of document.querySelectorAll(".without-script")) each.hidden = true;
};
// The sheet of a link follows the #, which no server sees.
const begin = () => {
  if (!find("sheet-text")) return;
  ready();
  const packed = /#sheet=([\w-]+)/.exec(location.hash);
  if (!packed || find("answer").dataset.begun) return;
  find("answer").dataset.begun = "1";
  const [, query = ""] = /\?([^#]*)/.exec(location.hash.startsWith("#/") ? location.hash.slice(1) : location.search) ?? [];
  const body = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => !["v", "linked", "template", "token"].includes(name)));
  body.set("sheet", packed[1]);
  send(body);
};
document.addEventListener("fireplan:swapped", begin);
begin();
