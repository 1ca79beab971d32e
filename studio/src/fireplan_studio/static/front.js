// The film of the front page: it plays by itself unless the visitor wants no motion, and the button stops it.

const EVERY = 1600;
let timer = 0;
const begin = () => {
  const button = document.getElementById("short-play");
  if (!button?.hidden) return; // no film here, or it is already playing
  clearInterval(timer);
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const captions = read("short-captions"), layers = [];
  for (const changed of read("short-layers")) layers.push({ ...layers.at(-1), ...changed });
  let at = -1, playing = false;
  const show = (number) => {
    for (const [name, drawn] of Object.entries(layers[number])) if (layers[at]?.[name] !== drawn) document.getElementById(name).innerHTML = drawn;
    document.getElementById("caption").textContent = captions[number];
    at = number;
  };
  const step = () => {
    if (!button.isConnected) { clearInterval(timer); return; }
    show((at + 1) % layers.length);
    if (at === layers.length - 1) turn(false);
  };
  const turn = (on) => {
    playing = on;
    clearInterval(timer);
    if (on) timer = setInterval(step, EVERY);
    button.textContent = on ? "Pause" : "Play";
  };
  button.onclick = () => { turn(!playing); if (playing) step(); };
  button.hidden = false;
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) { show(0); turn(true); }
};
// The film and the example of a comparison may not be ready when the page is opened: each is inserted as soon as it is.
const AGAIN = 1000, MOST = 60, PARTS = ".front > figure, .doors li";
const later = async () => {
  for (let turn = 0; turn < MOST && document.querySelector(".front [data-later]"); turn += 1) {
    await new Promise((done) => setTimeout(done, AGAIN));
    const page = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
    const fresh = page.querySelectorAll(PARTS);
    document.querySelectorAll(PARTS).forEach((old, number) => {
      if (old.matches("[data-later]") && fresh[number] && !fresh[number].matches("[data-later]")) old.replaceWith(fresh[number]);
    });
    begin();
  }
};
document.addEventListener("fireplan:swapped", begin);
begin();
if (!location.hash) later();
