// Run by node when a site is built: the browser's own Python starts the studio once, compiles the modules that were used,
// and starts again with the result to check that every game loads.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

// Node itself would print the source line of the runtime, which is a whole minified file.
process.on("uncaughtException", ({ message }) => { console.error(message); process.exit(1); });

const [folder] = process.argv.slice(2);
const PACKAGES = "/lib/python3.14/site-packages";
const FOLDERS = { "python_stdlib.zip": "/lib/python314.zip", "packages.zip": PACKAGES };
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const started = async () => {
  // Positions within lines are left out of tracebacks: they would take a third of the space.
  const made = await loadPyodide({ indexURL: `${folder}/`, env: { HOME: "/home", PYTHONNODEBUGRANGES: "1" } });
  made.unpackArchive(new Uint8Array(readFileSync(`${folder}/packages.zip`)), "zip", { extractDir: PACKAGES });
  await made.runPythonAsync(`
import sys
from pathlib import Path
from fireplan_studio import without_server
from fireplan_core.play import Catalogue
answer = without_server(Path("/tables"))
`);
  return made;
};
const python = await started();
await python.runPythonAsync(`
status, _, _ = await answer("GET", "/compare?v=1")
assert status == 200, status
used = {spec.origin for module in list(sys.modules.values()) if (spec := getattr(module, "__spec__", None))}
`);
python.FS.writeFile("/bytecode.py", readFileSync(`${folder}/bytecode.py`));
for (const [name, where] of Object.entries(FOLDERS)) {
  python.FS.writeFile(`/${name}`, readFileSync(`${folder}/${name}`));
  python.runPython(`
sys.path.insert(0, "/")
from bytecode import compiled
compiled(Path("/${name}"), "${where}", used)
`);
  writeFileSync(`${folder}/${name}`, python.FS.readFile(`/${name}`));
}
(await started()).runPython(`
if problems := Catalogue.installed().problems:
    raise RuntimeError("; ".join(f"{problem.entry_point} ({problem.distribution}) does not load there: {problem.reason}" for problem in problems))
`);
