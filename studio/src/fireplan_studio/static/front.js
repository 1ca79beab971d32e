// The film of the front page: it plays by itself unless the visitor wants no motion, and the button stops it.

const EVERY = 1600;
let timer = 0;
const begin = () => {
  clearInterval(timer);
  const button = document.getElementById("short-play");
  if (!button) return;
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
// The example of a comparison may still be worked out when the page is opened: it is put in place once it is there.
const AGAIN = 2000, MOST = 60;
const later = async () => {
  for (let turn = 0; turn < MOST && document.querySelector(".doors [data-later]"); turn += 1) {
    await new Promise((done) => setTimeout(done, AGAIN));
    const empty = [...document.querySelectorAll(".doors li")];
    const page = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
    page.querySelectorAll(".doors li").forEach((fresh, number) => {
      if (empty[number]?.matches("[data-later]") && !fresh.matches("[data-later]")) empty[number].replaceWith(fresh);
    });
  }
};
document.addEventListener("fireplan:swapped", begin);
begin();
if (!location.hash) later();
