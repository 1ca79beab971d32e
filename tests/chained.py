"""Files of chained lines as a malicious writer would make them: any text, with correct hashes."""

import hashlib
import json


def objects(content):
    """Return the objects of a file's lines, without their hashes."""
    found = [json.loads(line) for line in content.splitlines()]
    return [{name: value for name, value in each.items() if name != "hash"} for each in found]


def chained(lines):
    """Return the bytes of a file with these lines (objects, or a line's raw text), each with its
    correct hash.
    """
    content, digest = [], hashlib.sha256()
    for line in lines:
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        body = text.encode()[:-1] + b', "hash": "'
        digest.update(body)
        end = digest.hexdigest().encode() + b'"}\n'
        digest.update(end)
        content += [body, end]
    return b"".join(content)
