// The page of the static site: it passes every request of the studio's pages to Python in a worker, and shows the answer.
// The studio's paths follow the # of this page's URL, so that any file server will do.

const BASE = new URL(".", location.href.split("#")[0]);
const BUILD = document.documentElement.dataset.build;
const PARTS = ["", "compare", "whatif", "dial", "tables", "rules", "ask", "jobs", "design"];
const TABLES = `fireplan journals ${BASE.pathname}`; // two sites of one origin share nothing
const state = document.getElementById("state");
const said = document.getElementById("said");
const here = () => (location.hash.startsWith("#/") ? location.hash.slice(1) : "/");
const outside = (address) => `${BASE.pathname}#${address}`;
const say = (text) => { state.textContent = text; };
const warn = (text) => { said.textContent = text; said.hidden = !text; };

// --- Python in its worker: started from a blob, so that the security policy of this page applies to it, too ----------
const plainFetch = window.fetch.bind(window);
const waiting = new Map();
const work = document.getElementById("work"), bar = work.querySelector("progress");
let worker, number = 0, ready = false;

const call = (what, fields = {}) => new Promise((resolve, reject) => {
  waiting.set(++number, { resolve, reject });
  worker.postMessage({ id: number, what, ...fields });
});

const begin = () => {
  const script = new URL(`worker.js?${BUILD}`, BASE);
  worker = new Worker(URL.createObjectURL(new Blob([`import ${JSON.stringify(script.href)};`], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.progress) { say(data.progress); return; }
    if (data.steps) { [bar.value, bar.max] = data.steps; return; }
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error)); else resolve(data.value);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    failAll(event.message || "Python could not be started");
  };
  const start = call("start", { from: BASE.href }).then(() => { ready = true; });
  start.catch(() => {}); // whatever waits for the start reports a failure
  return start;
};
const failAll = (reason) => {
  for (const { reject } of waiting.values()) reject(new Error(reason));
  waiting.clear();
};
let started = begin();

// Long work can be stopped by restarting Python, but not while journals exist only in its memory.
const CANCELLED = "The calculation was stopped. Go back, or ask for something smaller.";
let pages = 0, since = 0; // the answers that are waited for, and the time at which the first of them was asked for
const waited = async (answer) => {
  const begun = performance.now();
  if (!pages) since = begun;
  pages += 1;
  bar.removeAttribute("value");
  const tick = setInterval(() => {
    work.querySelector("span").textContent = `Working for ${Math.round((performance.now() - begun) / 1000)} s.`;
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
const restart = () => {
  worker.terminate();
  ready = false;
  kept = null;
  failAll(CANCELLED);
  say("Python is starting again.");
  started = begin();
  started.then(greet, fails);
};
document.getElementById("cancel").onclick = restart;
// Work for a view that the visitor has left delays the next view, so it is stopped once it has taken a while.
const LEFT = 4000; // milliseconds
const leave = () => { if (ready && pages && !writing.size && performance.now() - since > LEFT) restart(); };
addEventListener("popstate", leave, true); // runs before the pages' script requests the next view
addEventListener("popstate", (event) => {
  if (!FILES.test(here())) return;
  event.stopImmediatePropagation(); // the pages' script would show the file as a page
  show(here());
}, true);

// --- journals: the page that holds their lock writes them, the others offer nothing that writes -----------------------
// A lock is never taken from a page. A page that is asked for the lock begins no further change, waits until its changes
// are stored, and then gives the lock up.
const HANDOVER = 10000; // milliseconds that another page may take to give the tables up
const between = new BroadcastChannel(TABLES);
const writing = new Set();
let giveUp = null; // releases the lock, while this page holds it
let kept = null; // a promise of whether this page may write; asked again only when the visitor brings the tables here
let unkept = false; // true if some tables are only in this page's memory

const hold = (wait) => new Promise((done) => {
  const how = wait ? { signal: AbortSignal.timeout(HANDOVER) } : { ifAvailable: true };
  navigator.locks.request(TABLES, how, (lock) => {
    if (!lock) { done(false); return undefined; }
    return new Promise((release) => { giveUp = release; done(true); });
  }).catch(() => done(false));
});
const release = () => { giveUp?.(); giveUp = null; };

const hasTables = async (bring) => {
  if (!navigator.locks) { refuses("Without a secure connection (https) this browser cannot keep pages from overwriting each other's tables, so nothing is stored."); return true; }
  if (bring) between.postMessage("give up");
  if (!giveUp && !await hold(bring)) return false;
  if (!await call("keep")) return true;
  release();
  refuses("This browser does not store data for this site.");
  return true;
};
const keep = async (bring = false) => {
  if (unkept) return true;
  if (bring) kept = null;
  kept ??= hasTables(bring);
  return kept;
};
between.onmessage = async () => {
  if (!giveUp || unkept) return; // what this page could not store is only in its memory
  kept = Promise.resolve(false);
  while (writing.size) await Promise.allSettled([...writing]);
  release();
  warn("Another page of this browser has taken over the tables, with everything done here.");
  if (here().startsWith("/tables")) show(here());
};
// Every request that may write a journal goes through here, and is counted until its writing is done.
const write = (what, fields) => {
  const written = call(what, { ...fields, store: giveUp !== null });
  writing.add(written);
  return written.finally(() => writing.delete(written));
};

const refuses = (why) => { unkept = true; warn(`${why} Save the journal of each table as a file before you close this page, or it is lost.`); };

const elsewhere = (note = "") => html(`<h1>The tables are open in another page</h1>
<p>Two pages writing the same journals would lose inputs. Continue there, or move the tables here: nothing is lost.</p>
<p><button type="button" id="bring">Move the tables here</button></p><p role="status">${note}</p>`);
document.addEventListener("click", async (event) => {
  if (event.target.id !== "bring") return;
  event.target.disabled = true;
  if (await keep(true)) { warn(""); show(here()); return; }
  event.target.disabled = false;
  document.querySelector("#main [role=status]").textContent = "The other page does not answer, so nothing was moved. Close it, then try again.";
});

// --- requests -------------------------------------------------------------------------------------------------------
const address = (url) => {
  const target = new URL(url, BASE);
  if (target.origin !== BASE.origin) return null;
  if (target.pathname === BASE.pathname) return target.hash.startsWith("#/") ? target.hash.slice(1) : null;
  return PARTS.includes(target.pathname.split("/")[1]) ? target.pathname + target.search : null;
};

// Links made with a newer version are marked, because this site may give other figures.
const numbers = (version) => (/^[\d.]{1,15}$/.test(version) ? version.split(".").map(Number) : []);
const parted = (mark) => [mark.slice(0, mark.lastIndexOf("-")), mark.slice(mark.lastIndexOf("-") + 1)];
const VERSIONS = new Map(document.documentElement.dataset.versions.split(" ").map(parted));
const isNewer = (one, other) => {
  const place = one.findIndex((number, at) => number !== (other[at] ?? -1));
  return place >= 0 && one[place] > (other[place] ?? -1);
};
const newer = (path) => new URLSearchParams(path.split("#")[0].split("?")[1]).getAll("made").map(parted)
  .filter(([name, made]) => VERSIONS.has(name) && isNewer(numbers(made), numbers(VERSIONS.get(name))))
  .map(([name, made]) => `${name} ${made} (here ${VERSIONS.get(name)})`);

let first = null;
const early = async (path) => {
  if (newer(path).length) return undefined;
  first ??= plainFetch(new URL("first/index.json", BASE)).then((response) => response.json()).catch(() => ({}));
  const name = (await first)[path.split("#")[0].replace(/made=[^&]*&/g, "")];
  return name && { status: 200, headers: { "content-type": name.endsWith("svg") ? "image/svg+xml" : "text/html" }, body: await (await plainFetch(new URL(name, BASE))).arrayBuffer(), early: true };
};

const ask = async (method, path, body = new Uint8Array(), seconds = undefined) => {
  if (method === "GET" && (!ready || ["/", "/dial"].includes(path) || /life\.svg/.test(path))) {
    const prepared = await early(path);
    if (prepared) return { ...prepared, address: path };
  }
  await started;
  if (path.startsWith("/tables") && !(await keep())) return { ...elsewhere(), address: path };
  const request = { method, address: path.split("#")[0], body, seconds };
  const answer = await (method === "POST" && !path.startsWith("/design") ? write("ask", request) : unkept ? call("ask", request) : waited(call("ask", request)));
  if (answer.lost) refuses(`This browser could not store the last change (${answer.lost}).`);
  else if (method === "POST" && giveUp && !path.startsWith("/design")) { unkept = false; warn(""); }
  if (answer.status === 303) return ask("GET", answer.headers.location, undefined, seconds);
  return { ...answer, address: path };
};

// The studio's pages use absolute URLs.
const translated = (html) => html
  .replace(/ src="\/(?!static\/)/g, ' data-src="/')
  .replace(/ (href|data-copy-link)="\/(?!static\/)/g, ` $1="${BASE.pathname}#/`)
  .replace(/ (src|href)="\/static\//g, ` $1="${BASE.pathname}static/`);

const plain = (text) => text.replace(/[&"<]/g, (character) => `&#${character.charCodeAt()};`);
const html = (main, status = 200) => ({ status, headers: { "content-type": "text/html" }, body: new TextEncoder().encode(`<main id="main" tabindex="-1">${main}</main>`) });

// A failed or refused request becomes a page that says so: the visitor stays on this site, and no link downloads anything.
const isFile = ({ headers }) => !(headers["content-type"] ?? "").startsWith("text/html") || "content-disposition" in headers;
const answered = async (method, path, body, seconds) => {
  try {
    const answer = await ask(method, path, body, seconds);
    if (answer.status < 400 || !isFile(answer)) return answer;
    const reason = new TextDecoder().decode(answer.body).replace(/^\d+: /, "").trim();
    return { ...html(`<h1>This cannot be shown</h1><p>${plain(reason.charAt(0).toUpperCase() + reason.slice(1))}.</p><p><a href="/">Go to the front page</a></p>`, answer.status), address: path };
  } catch (error) {
    const again = error.message === CANCELLED ? "" : "<p>Reload the page to start again. Stored journals are kept.</p>";
    return { ...html(`<h1>No answer</h1><p>${plain(String(error.message))}</p>${again}`, 500), address: path };
  }
};

// A page's script keeps asking while its view is wanted, so answers are computed in parts, and only while they are wanted.
const PART = 2; // seconds
window.fetch = async (resource, options = {}) => {
  const path = address(resource.url ?? resource);
  if (path === null || path === undefined) return plainFetch(resource, options);
  const answer = await answered((options.method ?? "GET").toUpperCase(), path, options.body ? new TextEncoder().encode(String(options.body)) : undefined, PART);
  const body = !isFile(answer) ? translated(new TextDecoder().decode(answer.body)) : answer.body;
  const reply = new Response(body, { status: answer.status, headers: answer.headers });
  Object.defineProperty(reply, "url", { value: new URL(outside(answer.address), BASE).href });
  mark(answer);
  return reply;
};

const mark = (answer) => {
  document.documentElement.toggleAttribute("data-early", Boolean(answer.early));
  if (answer.early && !ready) say("These figures were worked out when this site was built. Python is being loaded for your own questions.");
};

// --- pages ----------------------------------------------------------------------------------------------------------
const { place } = await import(new URL("static/studio.js", BASE));
let again;

// The URL of a file, opened as a page, offers the file; only a click on a link of this site saves it.
const FILES = /\.(svg|png|csv|json|html)(\?|$)/;
const nameOf = (path) => path.split("?")[0].split("/").pop();
const offered = (path) => ({ ...html(`<h1>This is a file</h1><p>Nothing was saved.</p><p class="take"><a href="${plain(path)}" data-take>Save ${plain(nameOf(path))}</a></p><p><a href="/">Go to the front page</a></p>`), address: path });

// A link carries its figures: they are shown before anything is worked out, as untrusted data.
const FIGURES = /&figures=([\w-]+)/;
const MOST_FIGURES = 1e5; // bytes
const inflated = async (packed) => {
  const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt());
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST_FIGURES) { await reader.cancel(); throw new Error("no figures"); }
    text += decoder.decode(part.value, { stream: true });
  }
  const [title, rows, exact = []] = JSON.parse(text);
  if (typeof title !== "string" || !rows.length || ![rows, exact].every((table) => table.every((row) => row.every((cell) => typeof cell === "string")))) throw new Error("no figures");
  return { title, rows, exact };
};
const carried = async (path) => {
  const packed = FIGURES.exec(path);
  const figures = packed && await inflated(packed[1]).catch(() => null);
  if (!figures) return null;
  const cell = (text) => plain(text).replace(/\n/g, "<br>");
  const [heads, ...rows] = figures.rows;
  const body = rows.map(([name, ...cells], number) => `<tr><th scope="row">${cell(name)}</th>${cells.map((text, column) => `<td title="${plain(figures.exact[number]?.[column] ?? "")}">${cell(text)}</td>`).join("")}</tr>`);
  const later = newer(path);
  const made = [...new URLSearchParams(path.split("?")[1]).getAll("made")].filter((mark) => !mark.startsWith("figures-"));
  return { ...html(`<h1>${plain(figures.title)}</h1><p role="status">These figures came with the link${made.length ? plain(`, from ${made.join(", ")}`) : ""}. They have not been worked out here yet.</p>${later.length ? `<p role="status" class="newer">This link was made with a newer version: ${plain(later.join(", "))}. The results here may differ from those that its author saw; to see the same results, open it with that version.</p>` : ""}
<p><button type="button" data-recompute="${plain(path.replace(FIGURES, ""))}">Work them out here</button></p>
<div class="scroll" tabindex="0" role="group" aria-label="Figures of the link"><table class="yardsticks carried"><caption>Point at a figure for its exact value</caption><thead><tr>${heads.map((head) => `<th scope="col">${cell(head)}</th>`).join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`), address: path };
};
document.addEventListener("click", ({ target }) => {
  const path = target.dataset?.recompute;
  if (path) show(path);
});

// If several pages are requested one after another, only the last is shown, whichever answer comes first.
let latest = 0;
const show = async (path, method = "GET", body = undefined) => {
  clearTimeout(again);
  const number = (latest += 1);
  const main = document.getElementById("main");
  main.setAttribute("aria-busy", "true");
  try {
    const told = method === "GET" ? await carried(path) : null;
    let answer = told ?? (method === "GET" && FILES.test(path) ? offered(path) : await answered(method, path, body));
    if (number !== latest) return;
    if (isFile(answer)) answer = offered(path);
    const text = translated(new TextDecoder().decode(answer.body));
    mark(answer);
    // The answer to a form has no URL of its own: reloading it would not send the form.
    if (here() !== answer.address && (method === "GET" || answer.address !== path)) history[method === "GET" ? "replaceState" : "pushState"]({}, "", outside(answer.address));
    if (told && !document.querySelector("#page header")) frame(await shell());
    if (number !== latest) return;
    frame(text);
    place(text);
    const refresh = /^(\d+)(?:; url=(.+))?/.exec(answer.headers.refresh ?? "");
    if (refresh) again = setTimeout(() => show(refresh[2] ?? here()), 1000 * refresh[1]);
  } finally {
    if (number === latest) main.removeAttribute("aria-busy");
  }
};

// The first page contains the frame that all pages share. Each script is loaded once, and starts over for every page
// that is put in place.
const loaded = new Set();
const shell = async () => {
  const page = await early("/rules");
  return page ? translated(new TextDecoder().decode(page.body)) : "";
};
const scripts = (page) => {
  for (const { src } of page.querySelectorAll("script[src]")) if (!loaded.has(src) && src !== import.meta.url) {
    loaded.add(src);
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

const take = async (path) => {
  const answer = await answered("GET", path);
  if (!isFile(answer)) { place(translated(new TextDecoder().decode(answer.body))); return; }
  const named = /filename="([^"]+)"/.exec(answer.headers["content-disposition"] ?? "");
  download(new Blob([answer.body], { type: answer.headers["content-type"] }), named ? named[1] : nameOf(path));
};
const download = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

// A PNG is drawn from the SVG, at the resolution that the program uses.
const pixels = async (path) => {
  const drawing = await ask("GET", path.replace(/\.png(?=\?|$)/, ".svg"));
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([drawing.body], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * picture.naturalWidth, 2 * picture.naturalHeight];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(blob, path.split("?")[0].split("/").pop()), "image/png");
};

const fill = async () => {
  for (const link of document.querySelectorAll("nav a")) {
    const current = here().split(/[/?]/)[1] === link.getAttribute("href").split("#/")[1];
    if (current) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  for (const image of document.querySelectorAll("img[data-src]")) {
    const path = image.dataset.src;
    delete image.dataset.src;
    const answer = await ask("GET", path).catch(() => null); // Python starts again: the view was left
    if (!answer) return;
    if (image.isConnected && answer.status === 200) image.src = URL.createObjectURL(new Blob([answer.body], { type: "image/svg+xml" }));
  }
};
document.addEventListener("fireplan:swapped", fill);

// --- journals as files, in the format of the program ------------------------------------------------------------------
const files = async () => {
  const [, part, table] = here().split(/[/?]/);
  document.getElementById("files")?.parentElement.remove();
  if (part !== "tables" || !ready || document.getElementById("bring") || !(await keep())) return;
  const journals = await call("journals");
  if (table && !journals.includes(table)) return; // there is no such table
  const names = table ? [table] : journals;
  const section = document.createElement("section");
  section.setAttribute("aria-labelledby", "files");
  section.innerHTML = '<h2 id="files">Files</h2><p><code>fireplan resume</code> continues a saved journal on the command line.</p><p class="take"></p>';
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
    if (unkept) section.insertAdjacentHTML("beforeend", "<p>A journal opened here is not stored by this browser: it is gone when this page is closed.</p>");
    section.append(label);
  }
  document.getElementById("files")?.parentElement.remove();
  document.getElementById("main").append(section);
};
const LARGEST = 1e8; // bytes; a journal of 10,000 inputs is 5 million long
const opened = async ({ target }) => {
  const [file] = target.files;
  if (file.size > LARGEST) { warn(`${file.name} is too large to be a journal.`); return; }
  const content = new Uint8Array(await file.arrayBuffer());
  if (!(await keep())) { show("/tables"); return; }
  const { wrong, lost } = await write("adopt", { title: file.name, content });
  if (lost) refuses(`This browser could not store ${file.name} (${lost}).`);
  else if (!unkept) warn(wrong);
  await show("/tables");
};
document.addEventListener("fireplan:swapped", files);

// An answer can also be embedded in another page.
const frames = () => {
  for (const link of document.querySelectorAll("[data-copy-link]:not([data-copy])")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: "Copy as a frame" });
    const src = new URL(link.dataset.copyLink, BASE).href;
    button.dataset.copy = `<iframe src="${plain(src)}" title="${plain(document.title)}" width="100%" height="800"></iframe>`;
    link.after(" ", button);
  }
};
document.addEventListener("fireplan:swapped", frames);

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.getAttribute("href") === "#main") {
    event.preventDefault();
    document.getElementById("main").focus();
    return;
  }
  const path = address(link.href);
  if (path === null || !(FILES.test(path) || "take" in link.dataset)) return;
  event.preventDefault();
  if (/\.png(\?|$)/.test(path)) pixels(path); else take(path);
});

const send = (form, button) => {
  const fields = new URLSearchParams(new FormData(form, button)).toString();
  const path = address(button?.getAttribute("formaction") ?? form.getAttribute("action") ?? outside(here()));
  if (form.method === "post") show(path, "POST", new TextEncoder().encode(fields));
  else location.hash = `#${path.split("?")[0]}?${fields}`;
};
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "dialog") return;
  event.preventDefault();
  send(event.target, event.submitter);
});
HTMLFormElement.prototype.submit = function submit() { send(this); };

// --- offline use, and newer builds --------------------------------------------------------------------------------------
let requested = false;
let stored = false; // whether every file of this build is in this browser
const offer = (fresh) => {
  if (!navigator.serviceWorker.controller) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Load it" });
  button.onclick = () => { requested = true; fresh.postMessage("take over"); };
  const words = document.createElement("p");
  words.id = "newer";
  words.append("A newer build of this site is available. ", button);
  document.getElementById("newer")?.remove();
  document.getElementById("site").append(words);
};
const offline = async () => {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.addEventListener("controllerchange", () => { if (requested) location.reload(); });
  const registration = await navigator.serviceWorker.register(new URL("sw.js", BASE));
  const watch = (fresh) => fresh.addEventListener("statechange", () => { if (fresh.state === "installed") offer(fresh); });
  if (registration.waiting) offer(registration.waiting);
  if (registration.installing) watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  await navigator.serviceWorker.ready;
  stored = true;
  if (ready) saysReady();
};

const saysReady = () => say(`Python is ready. Every figure is worked out in this browser${stored ? ", online or offline" : ""}.`);
const greet = () => {
  saysReady();
  files();
};
const fails = (error) => warn(`Python could not be started (${error.message}). The figures worked out when this site was built can still be read.`);
show(here());
started.then(() => {
  greet();
  offline().catch(() => {});  // refused, e.g. in a private window: then the site does not work offline
}, fails);
