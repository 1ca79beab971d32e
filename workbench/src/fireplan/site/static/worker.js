// Python in a worker: it starts, unpacks the studio, and answers the page's requests with the studio's own application.

let base, python, answer, keeping = false;
const JOURNALS = "/tables", ENDING = ".journal";

const fetched = async (name) => {
  const found = await fetch(new URL(name, base));
  if (!found.ok) throw new Error(`${name} cannot be had (${found.status})`);
  return found.arrayBuffer();
};

// The largest files are served packed.
const plainly = self.fetch.bind(self);
const unpacked = async (url, kind) => {
  const packed = await plainly(`${url}.packed`);
  if (!packed.ok) throw new Error(`${url} cannot be had (${packed.status})`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "content-type": kind } });
};
self.fetch = (what, ...more) => {
  const url = String(what.url ?? what);
  return url.endsWith(".wasm") ? unpacked(url, "application/wasm") : plainly(what, ...more);
};
const machine = async () => {
  const script = await (await unpacked(new URL("runtime/pyodide.asm.mjs", base), "text/javascript")).blob();
  return (await import(URL.createObjectURL(script))).default;
};

// A library that few questions need is brought when it is first imported.
const LATER = `
import sys, importlib
class Later:
    def find_spec(self, name, path=None, target=None):
        if name == "networkx":
            sys.meta_path.remove(self)
            bring()
            importlib.invalidate_caches()
sys.meta_path.insert(0, Later())
`;
const bringLater = (folder) => () => {
  const request = new XMLHttpRequest();
  request.open("GET", new URL("later.zip", base), false);
  request.responseType = "arraybuffer";
  request.send();
  python.unpackArchive(request.response, "zip", { extractDir: folder });
};

const stored = (load) => new Promise((done) => python.FS.syncfs(load, (error) => done(error ? String(error) : "")));

const start = async (from) => {
  base = from;
  const packages = fetched("packages.zip");
  const { loadPyodide } = await import(new URL("runtime/pyodide.mjs", base));
  python = await loadPyodide({ indexURL: new URL("runtime/", base).href, createPyodideModule: await machine() });
  postMessage({ progress: "The games are being unpacked." });
  const folder = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await packages, "zip", { extractDir: folder });
  python.runPython(LATER, { globals: python.toPy({ bring: bringLater(folder) }) });
  python.FS.mkdir(JOURNALS);
  postMessage({ progress: "The rules are being read." });
  const { Path } = python.pyimport("pathlib");
  answer = python.pyimport("fireplan.studio").alone(Path(JOURNALS));
};

// From now on journals are kept in this browser; says why not, where it refuses.
const keep = async () => {
  try {
    if (!keeping) python.FS.mount(python.FS.filesystems.IDBFS, {}, JOURNALS);
    const lost = await stored(true);
    keeping = !lost;
    if (lost) python.FS.unmount(JOURNALS);
    return lost;
  } catch (error) {
    return String(error);
  }
};

const ask = async ({ method, address, body }) => {
  const [status, headers, sent] = await answer(method, address, python.pyimport("builtins").bytes(body));
  const lost = keeping && method === "POST" ? await stored(false) : "";
  return { status, headers: headers.toJs({ dict_converter: Object.fromEntries }), body: sent.toJs(), lost };
};

const DO = {
  start: ({ from }) => start(from),
  ask,
  keep,
  journals: () => python.FS.readdir(JOURNALS).filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length)),
  save: ({ name }) => python.FS.readFile(`${JOURNALS}/${name}${ENDING}`),
  open: async ({ name, content }) => {
    python.FS.writeFile(`${JOURNALS}/${name}${ENDING}`, content); 
    return keeping ? stored(false) : "";
  },
};

let last = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  last = last.then(async () => {
    try {
      postMessage({ id: data.id, value: await DO[data.what](data) });
    } catch (error) {
      postMessage({ id: data.id, error: String(error.message ?? error) });
    }
  });
});
