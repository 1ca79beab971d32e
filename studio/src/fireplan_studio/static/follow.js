// A seat that waits follows the table by itself: a stream tells it when what it sees has changed, and it asks for its own
// page again, with a chime and a mark in the title when it is this side's turn. It is sent what a reload would bring, and
// nothing else. Where there is no stream it looks by itself every other second.

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
  } catch { /* a browser without sound */ }
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
  } catch { /* the server is away for a moment */ }
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
    poll(); // the static site: nobody sends anything
  } else if (!stream && !polling) {
    stream = new EventSource(`${location.pathname}/news`);
    stream.onmessage = ({ data }) => { if (waits() && waits().dataset.waits !== data) look(); };
    stream.onerror = () => {
      if (stream?.readyState !== EventSource.CLOSED) return; // it asks again by itself
      stream = null;
      poll();
    };
  }
};
document.addEventListener("fireplan:swapped", follow);
follow();
