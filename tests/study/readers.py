"""Reads documents with other people's libraries and programs: what the studies compare with.

Usage: readers.py [--only FORMAT,…] [--seconds N], one path per line on stdin. Answers one JSON
object per line:

    {"type": "missing", "tool": "…"}            a library or program that is not installed
    {"type": "reading", "path", "format", "reader", "opens", "text", "error"}

`format` is found in the bytes, by rules of our own, and by the name where texts look alike; files
of a format that is not listed give no line. A reader that `opens` a file and gives no text (null)
found a container. Every file is read in a process of its own with limits on time and memory, so a
bad file costs one reading. Which parts of a document are text follows the policies of the studies:
body, headers, footers, notes, comments, text boxes, hidden sheets and tracked insertions are in,
tracked deletions are out.
"""

import argparse
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import warnings

import kinds
import markup
import mail
import office
import packed
import plain

MEMORY = 3 << 30
LONGEST_TEXT = 64 << 20
# Readers of each format, the first is the reference: name, what must be installed, function.
READERS = {
    **plain.READERS,
    **markup.READERS,
    **mail.READERS,
    **office.READERS,
    **packed.READERS,
}


def installed(need):
    """Whether a library (`py:NAME`) or a program is there; a library is loaded here, once for all
    the processes that will use it."""
    if not need.startswith("py:"):
        return shutil.which(need) is not None
    try:
        importlib.import_module(need[3:])
    except ImportError:
        return False
    return True


def read(path, reader, seconds):
    """The answer of one reader, from a process of its own."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        answer(path, reader, seconds, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) or not said:
        return {"opens": False, "text": None, "error": f"died of status {status}"}
    return json.loads(said)


def answer(path, reader, seconds, pipe):
    """In the child: reads, writes the answer, ends, whatever happens."""
    os.setsid()
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    try:
        text = reader(path)
        said = {"opens": True, "text": None if text is None else clean(text), "error": None}
    except BaseException as error:  # Libraries raise whatever they like.
        error = clean(f"{type(error).__name__}: {error}")[:200]
        said = {"opens": False, "text": None, "error": error}
    with os.fdopen(pipe, "wb") as out:
        out.write(json.dumps(said).encode())
    os._exit(0)


def clean(text):
    """A bounded text without unpaired surrogates, which stand in no UTF-8."""
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode()


def answers():
    """Where answers go. Libraries print what they like, some as they are imported: whatever they print
    on standard output goes to standard error from here on."""
    out = os.fdopen(os.dup(1), "w")
    sys.stdout.flush()
    os.dup2(2, 1)
    return out


def main():
    out = answers()
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    only = {name for name in arguments.only.split(",") if name}
    warnings.simplefilter("ignore")
    needs = {need for readers in READERS.values() for _, need, _ in readers if need}
    missing = sorted(need for need in needs | {kinds.NEED} if not installed(need))
    for tool in missing:
        missed = {"type": "missing", "tool": tool.removeprefix("py:")}
        print(json.dumps(missed), file=out, flush=True)
    for line in sys.stdin:
        path = line.rstrip("\n")
        format = kinds.of(path)
        if format is None or only and format not in only:
            continue
        for name, need, reader in READERS.get(format, []):
            if need in missing:
                continue
            said = read(path, reader, arguments.seconds)
            said = {"type": "reading", "path": path, "format": format, "reader": name, **said}
            print(json.dumps(said), file=out, flush=True)


if __name__ == "__main__":
    main()
