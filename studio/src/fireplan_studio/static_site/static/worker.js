// Python in a worker: it starts, unpacks the studio, and answers the page's requests with the studio's own application.

let base, python, answer, mounted = false;
let journals; // their folder; the browser's store is named after it, so it contains the path of this site
const ENDING = ".journal";

// The largest files are stored compressed.
const plainFetch = self.fetch.bind(self);
const KINDS = { wasm: "application/wasm", zip: "application/zip", mjs: "text/javascript" };
const unpacked = async (url) => {
  const packed = await plainFetch(`${url}.packed`);
  if (!packed.ok) throw new Error(`${url} could not be loaded (${packed.status})`);
  const headers = { "content-type": KINDS[String(url).split(".").pop()] };
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers });
};
self.fetch = (resource, ...more) => {
  const url = String(resource.url ?? resource);
  return /\.(wasm|zip)$/.test(url) ? unpacked(url) : plainFetch(resource, ...more);
};
const machine = async () => {
  const script = await (await unpacked(new URL("runtime/pyodide.asm.mjs", base))).blob();
  return (await import(URL.createObjectURL(script))).default;
};

// A library that few questions need is loaded when it is first imported.
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

// A snapshot of Python's memory, taken once it has read the rules, is kept in this browser to speed up the next start. It
// holds none of the visitor's questions, and is valid only for this build and this browser.
const memory = {
  cache: async () => (self.caches ? caches.open(`fireplan ${new URL(base).pathname} {{BUILD}}`) : null),
  url: () => new URL(`memory?${encodeURIComponent(navigator.userAgent)}`, base),
  read: async () => {
    const snapshot = await (await memory.cache())?.match(memory.url());
    return snapshot && new Uint8Array(await snapshot.arrayBuffer());
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

// The number of steps of an answer done so far, and of all its steps.
self.tell = (done, steps) => postMessage({ steps: [done, steps] });

const unpack = async (packages) => {
  postMessage({ progress: "Unpacking the games." });
  python.unpackArchive(await packages, "zip", { extractDir: FOLDER });
  python.FS.mkdir(journals);
};

const restore = async (snapshot, packages) => {
  const header = new Uint32Array(snapshot.buffer, 0, 2)[1];
  await booted({ _loadSnapshot: snapshot }, snapshot.length - header);
  await unpack(packages);
  python.runPython("import random; random.seed()");
};

const build = async (packages) => {
  await booted({ _makeSnapshot: true });
  await unpack(packages);
  python.runPython(LATER);
  postMessage({ progress: "Reading the rules." });
  python.runPython(`from pathlib import Path; from fireplan_studio import without_server
def told(done, steps):
    from js import tell
    tell(done, steps)
answer = without_server(Path("${journals}"), told)`);
  try {
    // If this is refused or there is no room, the next start takes as long as this one.
    memory.keep(python.makeMemorySnapshot()).catch(() => memory.drop()).catch(() => {});
  } catch (error) {
    console.info(`The next start will not be faster: ${error.message}`);
  }
};

const start = async (from) => {
  base = from;
  journals = `/tables ${encodeURIComponent(new URL(base).pathname)}`;
  const packages = unpacked(new URL("packages.zip", base)).then((response) => response.arrayBuffer());
  const snapshot = await memory.read().catch(() => null);
  try {
    if (snapshot) await restore(snapshot, packages); else await build(packages);
  } catch (error) {
    if (!snapshot) throw error;
    await memory.drop();
    await build(packages);
  }
  answer = python.globals.get("answer");
};

// Read the journals of this browser; return the error if the browser refuses, else an empty string. The page holds their
// lock, and says with each change whether it may be stored.
const keep = async () => {
  try {
    if (!mounted) python.FS.mount(python.FS.filesystems.IDBFS, {}, journals);
    const error = await stored(true);
    mounted = !error;
    if (error) python.FS.unmount(journals);
    return error;
  } catch (error) {
    return String(error);
  }
};

const ask = async ({ method, address, body, store, seconds }) => {
  const [status, headers, sent] = await answer(method, address, python.pyimport("builtins").bytes(body), seconds ?? Infinity);
  const lost = store ? await stored(false) : "";
  return { status, headers: headers.toJs({ dict_converter: Object.fromEntries }), body: sent.toJs(), lost };
};

const ACTIONS = {
  start: ({ from }) => start(from),
  ask,
  keep,
  journals: () => python.FS.readdir(journals).filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length)),
  save: ({ name }) => python.FS.readFile(`${journals}/${name}${ENDING}`),
  adopt: async ({ title, content, store }) => {
    const [name, wrong] = answer.adopt(title, python.pyimport("builtins").bytes(content)).toJs();
    return { wrong, lost: store && name ? await stored(false) : "" };
  },
};

let last = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  last = last.then(async () => {
    try {
      postMessage({ id: data.id, value: await ACTIONS[data.what](data) });
    } catch (error) {
      postMessage({ id: data.id, error: String(error.message ?? error) });
    }
  });
});
