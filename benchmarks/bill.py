"""Write the bill of materials (CycloneDX) and the list of licences.

Run ``python benchmarks/bill.py`` after the lock files have changed, in an environment with all
three of them installed. ``--check`` writes nothing and ends with status 1 if the bill differs from
them. Licences of distributions that are not installed (those for another system) are kept from the
present bill.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BILL, LIST = ROOT / "bill_of_materials.cdx.json", ROOT / "THIRD_PARTY.md"
LOCKS = {
    "requirements.lock": "required",
    "requirements-dev.lock": "optional",
    "requirements-docs.lock": "optional",
}
HASHES = r"((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)[^\n]*" + HASHES, re.MULTILINE)
LONGEST = 60
"""Maximum number of characters in a licence's name; longer texts are not names."""


def locked() -> dict[str, dict[str, Any]]:
    """Return for each pinned distribution its version, its hashes, and whether fireplan or its tests need it."""
    found: dict[str, dict[str, Any]] = {}
    for lock, scope in LOCKS.items():
        for name, version, hashes in PINNED.findall((ROOT / lock).read_text(encoding="utf-8")):
            known = found.setdefault(name, {"version": version, "hashes": set(), "scope": scope})
            if known["version"] != version:
                raise SystemExit(f"{lock}: {name} {version}, elsewhere {known['version']}")
            known["hashes"] |= set(re.findall("[0-9a-f]{64}", hashes))
    return dict(sorted(found.items()))


def licence(made: Distribution) -> str:
    """Return the licence that a distribution states, as an expression, classifier, name or title of its text."""
    metadata = made.metadata
    if metadata["License-Expression"]:
        return str(metadata["License-Expression"])
    classes = [
        one.rpartition(" :: ")[2]
        for one in metadata.get_all("Classifier") or []
        if one.startswith("License ::")
    ]
    if named := [one for one in classes if one != "OSI Approved"]:
        return "; ".join(named)
    texts = [
        path.locate().read_text(encoding="utf-8")
        for path in made.files or []
        if path.stem == "LICENSE"
    ]
    for text in (str(metadata["License"] or ""), *texts):
        title, version, *_ = [*(line.strip() for line in text.splitlines() if line.strip()), "", ""]
        if title and len(title) <= LONGEST:
            return f"{title}, {version}" if version.startswith("Version") else title
    return ""


def licences(pinned: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return the licence of each distribution; exit if one is unknown."""
    before = {}
    if BILL.is_file():
        for one in json.loads(BILL.read_text(encoding="utf-8"))["components"]:
            before[one["name"]] = one["licenses"][0]["license"]["name"]
    found = {}
    for name in pinned:
        try:
            found[name] = licence(distribution(name)) or before.get(name, "")
        except PackageNotFoundError:
            found[name] = before.get(name, "")
    if unknown := [name for name, licence_found in found.items() if not licence_found]:
        raise SystemExit(
            f"no licence is known of {', '.join(unknown)}: install the lock files, then look"
        )
    return found


def component(name: str, pin: dict[str, Any], licence_name: str) -> dict[str, Any]:
    """Return a component of the bill, with the hashes of every file that the lock allows."""
    purl = f"pkg:pypi/{name}@{pin['version']}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": pin["version"],
        "scope": pin["scope"],
        "licenses": [{"license": {"name": licence_name}}],
        "purl": purl,
        "properties": [{"name": "fireplan:sha256", "value": one} for one in sorted(pin["hashes"])],
    }


def bill(pinned: dict[str, dict[str, Any]], licence_by_name: dict[str, str]) -> str:
    """Return the bill of materials as JSON; equal lock files give equal bills."""
    digest = sha256(b"".join((ROOT / lock).read_bytes() for lock in LOCKS)).hexdigest()
    data = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": "fireplan", "name": "fireplan"}
        },
        "components": [component(name, pin, licence_by_name[name]) for name, pin in pinned.items()],
    }
    return json.dumps(data, indent=1) + "\n"


def listed(pinned: dict[str, dict[str, Any]], licence_by_name: dict[str, str]) -> str:
    """Return the list of licences as a Markdown page."""
    rows = [
        f"| {name} | {pin['version']} | {licence_by_name[name]} |" for name, pin in pinned.items()
    ]
    head = [
        "# What others have made",
        "",
        "Packages that the lock files install beside fireplan, with their licences.",
    ]
    head += ["`python benchmarks/bill.py` makes this page and the bill of materials.", ""]
    rows = ["| name | version | licence |", "|---|---|---|", *rows]
    return "\n".join([*head, *rows]) + "\n"


def main() -> int:
    """Write both files, or with ``--check`` report how they differ from the lock files; return the status."""
    pinned = locked()
    if "--check" in sys.argv[1:]:
        names = {
            one["name"]: one for one in json.loads(BILL.read_text(encoding="utf-8"))["components"]
        }
        licence_by_name = {
            name: one["licenses"][0]["license"]["name"] for name, one in names.items()
        }
        if names.keys() != pinned.keys():
            print("not in both:", ", ".join(sorted(names.keys() ^ pinned.keys())))
            return 1
        same = BILL.read_text(encoding="utf-8") == bill(pinned, licence_by_name)
        same = same and LIST.read_text(encoding="utf-8") == listed(pinned, licence_by_name)
        print(
            "as the lock files say"
            if same
            else "not what the lock files say: run python benchmarks/bill.py"
        )
        return 0 if same else 1
    licence_by_name = licences(pinned)
    BILL.write_text(bill(pinned, licence_by_name), encoding="utf-8")
    LIST.write_text(listed(pinned, licence_by_name), encoding="utf-8")
    print(f"{len(pinned)} distributions: {BILL.name}, {LIST.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
