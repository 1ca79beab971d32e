// A waiting seat follows the table: a stream tells it when its view has changed, and it loads its own page again, with a
// chime and "(your turn)" in the title when this side is to move. It gets only what a reload would show. If there is no
// stream, it looks every two seconds.

const EVERY = 2000;
const waits = () => document.querySelector("[data-waits]");
const plain = document.title;

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

const look = async () => {
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (answer.ok && waits()) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const main = document.getElementById("main"), fresh = page.getElementById("main");
      if (waits().dataset.waits !== page.querySelector("[data-seen]")?.dataset.seen) {
        if (page.querySelector("form[data-fair]")) { location.reload(); return; }
        main.replaceChildren(...fresh.childNodes);
        document.dispatchEvent(new Event("fireplan:swapped"));
        if (!waits()) {
          document.title = `(your turn) ${plain}`;
          chime();
        }
      }
    }
  } catch { /* the server cannot be reached at the moment */ }
};
let stream = null, polling = 0;
const poll = () => {
  clearTimeout(polling);
  polling = setTimeout(async () => { if (waits()) { await look(); poll(); } }, EVERY);
};
const follow = () => {
  if (!waits()) {
    stream?.close();
    stream = null;
  } else if (location.hash.startsWith("#/")) {
    poll(); // the static site has no stream
  } else if (!stream && !polling) {
    stream = new EventSource(`${location.pathname}/news`);
    stream.onmessage = ({ data }) => { if (waits() && waits().dataset.waits !== data) look(); };
    stream.onerror = () => {
      if (stream?.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
      stream = null;
      poll();
    };
  }
};
document.addEventListener("fireplan:swapped", follow);
follow();
