// Every open seat follows its table: a stream tells it when its view has changed, and it then loads its own page again, so
// it gets only what a reload would show. When it is this side's turn, the page chimes and says "(your turn)" in the title.
// A hidden tab gives up its stream, because a browser has few connections to one host; it looks every two seconds
// instead, as does a page that cannot have a stream.

const EVERY = 2000;
const now = () => document.querySelector("section[data-seen]");
const plain = document.title;
const onSite = () => location.hash.startsWith("#/"); // the static site has no stream, and its seats share one page
const followed = () => now() && (!onSite() || now().dataset.kind === "wait");

const chime = () => {
  try {
    const sound = new AudioContext(), tone = sound.createOscillator(), quiet = sound.createGain();
    quiet.gain.setValueAtTime(0.08, sound.currentTime);
    quiet.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + 0.6);
    tone.frequency.value = 660;
    tone.connect(quiet).connect(sound.destination);
    tone.start();
    tone.stop(sound.currentTime + 0.6);
  } catch { /* the browser has no sound */ }
};

// The focus stays on the same control, if the new page has it.
const show = (fresh) => {
  const focus = document.activeElement, before = now().dataset.kind;
  const same = focus?.id ? `#${CSS.escape(focus.id)}` : focus?.dataset.key ? `[data-key="${CSS.escape(focus.dataset.key)}"]` : "";
  document.getElementById("main").replaceChildren(...fresh.childNodes);
  if (same) document.querySelector(same)?.focus();
  document.title = plain;
  if (before !== "order" && now().dataset.kind === "order") {
    document.title = `(your turn) ${plain}`;
    chime();
  }
  document.dispatchEvent(new Event("fireplan:swapped"));
};

let looking = false, again = false;
const look = async () => {
  if (looking) { again = true; return; }
  looking = true;
  try {
    const answer = await fetch(onSite() ? location.href : now().dataset.seat, { headers: { accept: "text/html" } });
    if (answer.ok && followed()) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const seen = page.querySelector("section[data-seen]");
      if (seen && seen.dataset.seen !== now().dataset.seen) show(page.getElementById("main"));
    }
  } catch { /* the server cannot be reached at the moment */ }
  looking = false;
  if (again) { again = false; await look(); }
};

let stream = null, polling = 0;
const poll = () => {
  clearTimeout(polling);
  polling = setTimeout(async () => { if (followed() && !stream) { await look(); poll(); } }, EVERY);
};
const leave = () => { stream?.close(); stream = null; };
const follow = () => {
  if (!followed()) { leave(); return; }
  if (onSite() || document.hidden) { leave(); poll(); return; }
  if (stream) return;
  stream = new EventSource(`${now().dataset.seat}/news`);
  stream.onmessage = ({ data }) => { if (followed() && now().dataset.seen !== data) look(); };
  stream.onerror = () => {
    if (stream?.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    leave();
    poll();
  };
};
// Follow again after the tab was hidden, the machine slept, the network was lost, or the reader went back.
const back = () => { if (followed()) { if (!document.hidden) look(); follow(); } };
document.addEventListener("visibilitychange", back);
addEventListener("online", back);
addEventListener("pageshow", ({ persisted }) => { if (persisted) back(); });
addEventListener("pagehide", leave);
document.addEventListener("fireplan:swapped", follow);
follow();
