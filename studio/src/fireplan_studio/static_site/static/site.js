// The page of the static site: it hands every request of the studio's pages to Python in a worker, and shows the answer.
// An address of the studio stands behind the # of this page's own, so that any file server will do.

const BASE = new URL(".", location.href.split("#")[0]);
const BUILD = document.documentElement.dataset.build;
const PARTS = ["", "compare", "whatif", "dial", "tables", "rules", "ask", "jobs"];
const TABLES = "fireplan journals";
const state = document.getElementById("state");
const said = document.getElementById("said");
const here = () => (location.hash.startsWith("#/") ? location.hash.slice(1) : "/compare");
const outside = (address) => `${BASE.pathname}#${address}`;
const say = (text) => { state.textContent = text; };
const warn = (text) => { said.textContent = text; said.hidden = !text; };

// --- Python in its worker: made of a blob, so that the policy of this page holds in it as well ----------------------
const plainFetch = window.fetch.bind(window);
const waiting = new Map();
let worker, number = 0, ready = false, locked = false, keeps = false, refused = "";

const call = (what, given = {}) => new Promise((resolve, reject) => {
  waiting.set(++number, { resolve, reject });
  worker.postMessage({ id: number, what, ...given });
});

const begin = () => {
  const script = new URL(`worker.js?${BUILD}`, BASE);
  worker = new Worker(URL.createObjectURL(new Blob([`import ${JSON.stringify(script.href)};`], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.progress) { say(data.progress); return; }
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error)); else resolve(data.value);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    give(event.message || "Python could not be started");
  };
  return call("start", { from: BASE.href }).then(() => { ready = true; });
};
const give = (up) => {
  for (const { reject } of waiting.values()) reject(new Error(up));
  waiting.clear();
};
let started = begin();

// What takes long can be cancelled: Python is ended and started anew. Where journals are in its memory alone, it is not.
const work = document.getElementById("work");
const CANCELLED = "It was cancelled: go back, or ask for something smaller.";
let pages = 0;
const waited = async (answer) => {
  const begun = performance.now();
  pages += 1;
  const tick = setInterval(() => {
    work.querySelector("span").textContent = `At work for ${Math.round((performance.now() - begun) / 1000)} s.`;
    work.hidden = false;
  }, 1500);
  try {
    return await answer;
  } finally {
    clearInterval(tick);
    pages -= 1;
    work.hidden = !pages;
  }
};
document.getElementById("cancel").onclick = () => {
  worker.terminate();
  [ready, keeps] = [false, false];
  give(CANCELLED);
  started = begin();
  started.then(greet, fails);
};

// --- journals: one page at a time keeps them ------------------------------------------------------------------------
const hold = async (steal) => {
  if (!navigator.locks) return "";
  return new Promise((done) => {
    const held = (lock) => {
      if (!lock) { done("elsewhere"); return undefined; }
      done("");
      return new Promise(() => {});
    };
    navigator.locks.request(TABLES, steal ? { steal: true } : { ifAvailable: true }, held).catch((error) => {
      if (error.name === "AbortError") { [locked, keeps] = [false, false]; warn("Another page of this browser has taken the tables over: what was done here is kept there."); }
      else done("");
    });
  });
};

const keep = async (steal = false) => {
  if (keeps || refused) return true;
  if (!locked && await hold(steal)) return false;
  locked = true;
  refused = await call("keep");
  keeps = !refused;
  if (refused) refuses("This browser keeps nothing for this site.");
  return true;
};

let unkept = false;
const refuses = (why) => { unkept = true; warn(`${why} Save the journal of a table as a file before you close the page: until then it is in this page alone.`); };

const ELSEWHERE = `<main id="main"><h1>The tables are open in another page</h1>
<p>Two pages that write the same journals would lose inputs. Play on there, or bring the tables here: nothing is lost.</p>
<p><button type="button" id="bring">Bring the tables here</button></p></main>`;
document.addEventListener("click", async (event) => {
  if (event.target.id !== "bring") return;
  await keep(true);
  show(here());
});

// --- requests -------------------------------------------------------------------------------------------------------
const address = (url) => {
  const found = new URL(url, BASE);
  if (found.origin !== BASE.origin) return null;
  if (found.pathname === BASE.pathname) return found.hash.startsWith("#/") ? found.hash.slice(1) : null;
  return PARTS.includes(found.pathname.split("/")[1]) ? found.pathname + found.search : null;
};

let first = null;
const early = async (wanted) => {
  first ??= plainFetch(new URL("first/index.json", BASE)).then((found) => found.json()).catch(() => ({}));
  const name = (await first)[wanted.replace(/made=[^&]*&/g, "")];
  return name && { status: 200, headers: { "content-type": name.endsWith("svg") ? "image/svg+xml" : "text/html" }, body: await (await plainFetch(new URL(name, BASE))).arrayBuffer(), early: true };
};

const ask = async (method, wanted, body = new Uint8Array()) => {
  if (method === "GET" && (!ready || /life\.svg/.test(wanted))) {
    const found = await early(wanted);
    if (found) return { ...found, address: wanted };
  }
  await started;
  if (wanted.startsWith("/tables") && !(await keep()))
    return { status: 200, headers: { "content-type": "text/html" }, body: new TextEncoder().encode(ELSEWHERE), address: wanted };
  const asked = call("ask", { method, address: wanted, body });
  const answer = await (method === "GET" && !unkept ? waited(asked) : asked);
  if (answer.lost) refuses(`This browser could not keep what was just done (${answer.lost}).`);
  else if (method === "POST" && keeps) warn("");
  if (answer.status === 303) return ask("GET", answer.headers.location);
  return { ...answer, address: wanted };
};

// The studio's pages name their parts by absolute addresses.
const translated = (html) => html
  .replace(/ src="\/(?!static\/)/g, ' data-src="/')
  .replace(/ (href|data-copy-link)="\/(?!static\/)/g, ` $1="${BASE.pathname}#/`)
  .replace(/ (src|href)="\/static\//g, ` $1="${BASE.pathname}static/`);

// A request that fails is a page that says so: nobody is sent away from here.
const answered = (...asked) => ask(...asked).catch((error) => ({
  status: 500,
  headers: { "content-type": "text/html" },
  body: new TextEncoder().encode(`<main id="main"><h1>There is no answer</h1><p>${String(error.message).replace(/[<&]/g, "")}</p>${error.message === CANCELLED ? "" : "<p>Load the page again to start anew; journals that were kept are there.</p>"}</main>`),
  address: asked[1],
}));

window.fetch = async (what, options = {}) => {
  const wanted = address(what.url ?? what);
  if (wanted === null || wanted === undefined) return plainFetch(what, options);
  const answer = await answered((options.method ?? "GET").toUpperCase(), wanted, options.body ? new TextEncoder().encode(String(options.body)) : undefined);
  const html = (answer.headers["content-type"] ?? "").startsWith("text/html");
  const body = html ? translated(new TextDecoder().decode(answer.body)) : answer.body;
  const reply = new Response(body, { status: answer.status, headers: answer.headers });
  Object.defineProperty(reply, "url", { value: new URL(outside(answer.address), BASE).href });
  mark(answer);
  return reply;
};

const mark = (answer) => {
  document.documentElement.toggleAttribute("data-early", Boolean(answer.early));
  if (answer.early) say("These figures were worked out when this site was built. Python is being brought for your own.");
};

// --- pages ----------------------------------------------------------------------------------------------------------
const { place } = await import(new URL("static/studio.js", BASE));
let again;

const show = async (wanted, method = "GET", body = undefined) => {
  clearTimeout(again);
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true");
  try {
    const answer = await answered(method, wanted, body);
    const kind = answer.headers["content-type"] ?? "";
    if (!kind.startsWith("text/html") || answer.headers["content-disposition"]) { saved(answer, wanted); return; }
    const text = translated(new TextDecoder().decode(answer.body));
    mark(answer);
    if (here() !== answer.address) history[method === "GET" ? "replaceState" : "pushState"]({}, "", outside(answer.address));
    frame(text);
    place(text);
    const refresh = /^(\d+)(?:; url=(.+))?/.exec(answer.headers.refresh ?? "");
    if (refresh) again = setTimeout(() => show(refresh[2] ?? here()), 1000 * refresh[1]);
  } finally {
    main.removeAttribute("aria-busy");
  }
};

// The first page brings the frame that all pages share. The scripts of a page are started once; they begin anew with
// every page that is put in place.
const begun = new Set();
const scripts = (page) => {
  for (const { src } of page.querySelectorAll("script[src]")) if (!begun.has(src) && src !== import.meta.url) {
    begun.add(src);
    document.head.append(Object.assign(document.createElement("script"), { type: "module", src }));
  }
};
const frame = (text) => {
  const page = new DOMParser().parseFromString(text, "text/html");
  const holder = document.getElementById("page");
  scripts(page);
  if (!holder.querySelector("header") && page.querySelector("header")) holder.replaceChildren(...page.body.childNodes);
};
document.addEventListener("fireplan:swapped", () => scripts(document.getElementById("main")));

const saved = (answer, wanted) => {
  const named = /filename="([^"]+)"/.exec(answer.headers["content-disposition"] ?? "");
  download(new Blob([answer.body], { type: answer.headers["content-type"] }), named ? named[1] : wanted.split("?")[0].split("/").pop());
};
const download = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// A picture in pixels is made of the drawing, as fine as the program makes it.
const pixels = async (wanted) => {
  const drawing = await ask("GET", wanted.replace(/\.png(?=\?|$)/, ".svg"));
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([drawing.body], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * picture.naturalWidth, 2 * picture.naturalHeight];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(blob, wanted.split("?")[0].split("/").pop()), "image/png");
};

const fill = async () => {
  for (const link of document.querySelectorAll("nav a")) {
    const one = here().split(/[/?]/)[1] === link.getAttribute("href").split("#/")[1];
    if (one) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  for (const image of document.querySelectorAll("img[data-src]")) {
    const wanted = image.dataset.src;
    delete image.dataset.src;
    const answer = await ask("GET", wanted);
    if (image.isConnected && answer.status === 200) image.src = URL.createObjectURL(new Blob([answer.body], { type: "image/svg+xml" }));
  }
};
document.addEventListener("fireplan:swapped", fill);

// --- journals as files: the same that the program reads ---------------------------------------------------------------
const files = async () => {
  const [, part, table] = here().split(/[/?]/);
  if (part !== "tables" || !ready) return;
  const names = table ? [table] : await call("journals");
  const section = document.createElement("section");
  section.setAttribute("aria-labelledby", "files");
  section.innerHTML = '<h2 id="files">Files</h2><p>A journal that is saved is the same file that <code>fireplan resume</code> continues.</p><p class="take"></p>';
  for (const name of names) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Save ${name}`;
    button.onclick = async () => download(new Blob([await call("save", { name })]), `${name}.fireplan`);
    section.querySelector(".take").append(button, " ");
  }
  if (!table) {
    const label = document.createElement("label");
    label.textContent = "Open a journal ";
    label.append(Object.assign(document.createElement("input"), { type: "file", onchange: opened }));
    section.append(label);
  }
  document.getElementById("files")?.parentElement.remove();
  document.getElementById("main").append(section);
};
const opened = async ({ target }) => {
  const [file] = target.files;
  const taken = await call("journals");
  const stem = file.name.replace(/\.[^.]*$/, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "journal";
  const name = taken.includes(stem) ? `${stem}-${1 + taken.length}` : stem;
  const lost = await call("open", { name, content: new Uint8Array(await file.arrayBuffer()) });
  if (lost) refuses(`This browser could not keep ${name} (${lost}).`);
  show("/tables");
};
document.addEventListener("fireplan:swapped", files);

// An answer is passed on as a part of another page, too.
const plain = (text) => text.replace(/[&"<]/g, (one) => `&#${one.charCodeAt()};`);
const frames = () => {
  for (const link of document.querySelectorAll("[data-copy-link]")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: "Copy as a frame" });
    const src = new URL(link.dataset.copyLink, BASE).href;
    button.dataset.copy = `<iframe src="${plain(src)}" title="${plain(document.title)}" width="100%" height="800"></iframe>`;
    link.after(" ", button);
  }
};
document.addEventListener("fireplan:swapped", frames);

const FILES = /\.(svg|png|csv|json|html)(\?|$)/;
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.getAttribute("href") === "#main") {
    event.preventDefault();
    document.getElementById("main").focus();
    return;
  }
  const wanted = address(link.href);
  if (wanted === null || !FILES.test(wanted)) return;
  event.preventDefault();
  if (/\.png(\?|$)/.test(wanted)) pixels(wanted); else show(wanted);
});

const send = (form, button) => {
  const fields = new URLSearchParams(new FormData(form, button)).toString();
  const wanted = address(button?.getAttribute("formaction") ?? form.getAttribute("action") ?? outside(here()));
  if (form.method === "post") show(wanted, "POST", new TextEncoder().encode(fields));
  else location.hash = `#${wanted.split("?")[0]}?${fields}`;
};
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "dialog") return;
  event.preventDefault();
  send(event.target, event.submitter);
});
HTMLFormElement.prototype.submit = function submit() { send(this); };

// --- without a network, and newer builds --------------------------------------------------------------------------------
let asked = false;
const offer = (fresh) => {
  if (!navigator.serviceWorker.controller) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Load it" });
  button.onclick = () => { asked = true; fresh.postMessage("take over"); };
  const words = document.createElement("p");
  words.id = "newer";
  words.append("A newer build of this site is there. ", button);
  document.getElementById("newer")?.remove();
  document.getElementById("site").append(words);
};
const offline = async () => {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (asked) location.reload(); });
  const registration = await navigator.serviceWorker.register(new URL("sw.js", BASE));
  const watch = (fresh) => fresh.addEventListener("statechange", () => { if (fresh.state === "installed") offer(fresh); });
  if (registration.waiting) offer(registration.waiting);
  if (registration.installing) watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  await navigator.serviceWorker.ready;
  say("Python is here: every figure is worked out in this browser, with or without a network.");
};

const greet = () => {
  say("Python is here: every figure is worked out in this browser.");
  files();
};
const fails = (error) => warn(`Python could not be started (${error.message}). The figures worked out beforehand can still be read.`);
show(here());
started.then(() => {
  greet();
  offline().catch(() => {});  // refused, such as in a private window: then the site needs its server again
}, fails);
