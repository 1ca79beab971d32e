// Python in a worker: it starts, unpacks the studio, and answers the page's requests with the studio's own application.

let base, python, answer, keeping = false;
const JOURNALS = "/tables", ENDING = ".journal";

// The largest files are served packed.
const plainly = self.fetch.bind(self);
const KINDS = { wasm: "application/wasm", zip: "application/zip", mjs: "text/javascript" };
const unpacked = async (url) => {
  const packed = await plainly(`${url}.packed`);
  if (!packed.ok) throw new Error(`${url} cannot be had (${packed.status})`);
  const headers = { "content-type": KINDS[String(url).split(".").pop()] };
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers });
};
self.fetch = (what, ...more) => {
  const url = String(what.url ?? what);
  return /\.(wasm|zip)$/.test(url) ? unpacked(url) : plainly(what, ...more);
};
const machine = async () => {
  const script = await (await unpacked(new URL("runtime/pyodide.asm.mjs", base))).blob();
  return (await import(URL.createObjectURL(script))).default;
};

// A library that few questions need is brought when it is first imported.
const LATER = `
import sys, importlib
class Later:
    def find_spec(self, name, path=None, target=None):
        if name == "networkx":
            from js import bringLater
            sys.meta_path.remove(self)
            bringLater()
            importlib.invalidate_caches()
sys.meta_path.insert(0, Later())
sys.dont_write_bytecode = True
`;
const FOLDER = "/lib/python3.14/site-packages";
self.bringLater = () => {
  const request = new XMLHttpRequest();
  request.open("GET", new URL("later.zip", base), false);
  request.responseType = "arraybuffer";
  request.send();
  python.unpackArchive(request.response, "zip", { extractDir: FOLDER });
};

const stored = (load) => new Promise((done) => python.FS.syncfs(load, (error) => done(error ? String(error) : "")));

// The memory of Python when it has read the rules is kept in this browser: the next start takes it from there. It holds
// nothing of what is asked, and goes with this build and this browser alone.
const memory = {
  cache: async () => (self.caches ? caches.open("fireplan-{{BUILD}}") : null),
  url: () => new URL(`memory?${encodeURIComponent(navigator.userAgent)}`, base),
  read: async () => {
    const kept = await (await memory.cache())?.match(memory.url());
    return kept && new Uint8Array(await kept.arrayBuffer());
  },
  drop: async () => (await memory.cache())?.delete(memory.url(), { ignoreSearch: true }),
  keep: async (bytes) => {
    await memory.drop();
    await (await memory.cache())?.put(memory.url(), new Response(bytes));
  },
};

const booted = async (more = {}, room = 0) => {
  const [{ loadPyodide }, create] = await Promise.all([import(new URL("runtime/pyodide.mjs", base)), machine()]);
  const createPyodideModule = async (settings) => {
    const made = await create(settings);
    if (made.HEAP8.length < room) made._emscripten_resize_heap(room);
    return made;
  };
  python = await loadPyodide({ indexURL: new URL("runtime/", base).href, createPyodideModule, ...more });
};

const unpack = async (packages) => {
  postMessage({ progress: "The games are being unpacked." });
  python.unpackArchive(await packages, "zip", { extractDir: FOLDER });
  python.FS.mkdir(JOURNALS);
};

const restore = async (kept, packages) => {
  const header = new Uint32Array(kept.buffer, 0, 2)[1];
  await booted({ _loadSnapshot: kept }, kept.length - header);
  await unpack(packages);
  python.runPython("import random; random.seed()");
};

const build = async (packages) => {
  await booted({ _makeSnapshot: true });
  await unpack(packages);
  python.runPython(LATER);
  postMessage({ progress: "The rules are being read." });
  python.runPython(`from pathlib import Path; from fireplan_studio import alone; answer = alone(Path("${JOURNALS}"))`);
  try {
    // Refused, or no room: then the next start is as this one.
    memory.keep(python.makeMemorySnapshot()).catch(() => memory.drop()).catch(() => {});
  } catch (error) {
    console.info(`The next start will not be quicker: ${error.message}`);
  }
};

const start = async (from) => {
  base = from;
  const packages = unpacked(new URL("packages.zip", base)).then((found) => found.arrayBuffer());
  const kept = await memory.read().catch(() => null);
  try {
    if (kept) await restore(kept, packages); else await build(packages);
  } catch (error) {
    if (!kept) throw error;
    await memory.drop();
    await build(packages);
  }
  answer = python.globals.get("answer");
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
