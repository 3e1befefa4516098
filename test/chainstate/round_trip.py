#!/usr/bin/env python3
"""One directory goes to and fro between bitcoind and lode, and nothing in it differs but what must.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. Every record of the block
index, the coins and the transaction index, and the used bytes of block and undo files, are compared
(print_directory.c):

- a directory that one program wrote and the other only opened says what it said before, also with forks and blocks that
  are invalid;
- three parts of a chain imported by bitcoind, lode, bitcoind or by lode, bitcoind, lode, end in what bitcoind alone ends
  in, byte for byte.

What must differ: the random keys that hide coins and block files, and into which tables and logs each program cuts a
database. Both are undone before anything is compared.
"""
import difflib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import LODE, Node, are_absent, fail  # noqa: E402

BUILD = os.getcwd()
GENCHAIN = os.environ.get("GENCHAIN") or os.path.join(BUILD, "lode-genchain")
PRINT = os.path.join(BUILD, "test/chainstate/print_directory")


def core(datadir, *files, height=None):
    """One run of bitcoind, until it has imported the files and indexed them."""
    node = Node(datadir, "-txindex", "-checkblockindex=1", *("-loadblock=" + f for f in files))
    for _ in range(1200):
        if node.process.poll() is not None:
            fail("bitcoind ended:", node.process.stderr.read())
        count, index = node.run("getblockcount"), node.run("getindexinfo", "txindex")
        if count.returncode == 0 and (height is None or count.stdout.strip() == str(height)) and '"synced": true' in index.stdout and '"best_block_height": %s' % count.stdout.strip() in index.stdout:
            break
        time.sleep(0.1)
    else:
        fail("bitcoind does not come to", height, count.stdout)
    node.stop()


def lode(datadir, *files, height=None):
    p = subprocess.run([LODE, "-regtest", "-datadir=" + datadir, "-txindex", "import", *files], capture_output=True, text=True)
    if p.returncode:
        fail("lode import", *files, p.stderr)


def look(datadir):
    p = subprocess.run([PRINT, os.path.join(datadir, "regtest")], capture_output=True, text=True)
    if p.returncode:
        fail(p.stderr)
    return p.stdout.splitlines()


def must_be_alike(what, expected, got):
    if expected == got:
        return
    lines = [l[:200] for l in difflib.unified_diff(expected, got, lineterm="", n=0)]
    fail("%s: %d lines differ\n" % (what, len(lines)) + "\n".join(lines[:20]))


def split(path, parts):
    """The file's blocks, in so many files of like count."""
    data, records, at = open(path, "rb").read(), [], 0
    while at + 8 <= len(data):
        end = at + 8 + struct.unpack("<I", data[at + 4:at + 8])[0]
        records.append(data[at:end])
        at = end
    files, heights, done = [], [], 0
    for i in range(parts):
        end = len(records) * (i + 1) // parts
        files.append("%s.%d" % (path, i))
        with open(files[-1], "wb") as out:
            out.write(b"".join(records[done:end]))
        done = end
        heights.append(done)
    return files, heights


def make(work, name, *options):
    path = os.path.join(work, name)
    subprocess.run([GENCHAIN, "--mix=all", "--blocks=240", "--txs-per-block=12", "--keys=64", "--seed=5", *options, "--out=" + path], check=True, stderr=subprocess.DEVNULL)
    return path


def to_and_fro(work):
    files, heights = split(make(work, "straight.dat"), 3)
    if open(files[0], "rb").read(84)[8 + 4:8 + 36] == bytes(32):  # genesis is the first
        heights = [h - 1 for h in heights]
    alone = os.path.join(work, "alone")
    steps = []
    for file, height in zip(files, heights):
        core(alone, file, height=height)
        steps.append(look(alone))
    for name, order in (("core-first", (core, lode, core)), ("lode-first", (lode, core, lode)), ("lode-alone", (lode, lode, lode))):
        datadir = os.path.join(work, name)
        for i, program in enumerate(order):
            program(datadir, files[i], height=heights[i])
            must_be_alike("%s, part %d, written by %s" % (name, i + 1, program.__name__), steps[i], look(datadir))
            (lode if program is core else core)(datadir)
            must_be_alike("%s, part %d, written by %s and opened by the other" % (name, i + 1, program.__name__), steps[i], look(datadir))


def with_forks(work):
    blocks, height = make(work, "forks.dat", "--forks=12", "--bad-forks=4", "--fork-depth=5", "--invalid=5"), None
    for name, program, other in (("forks-lode", lode, core), ("forks-core", core, lode)):
        datadir = os.path.join(work, name)
        program(datadir, blocks, height=height)
        height = subprocess.run([LODE, "-regtest", "-datadir=" + datadir, "getblockcount"], capture_output=True, text=True).stdout.strip()
        before = look(datadir)
        other(datadir, height=height)
        must_be_alike("forks, written by %s and opened by the other" % program.__name__, before, look(datadir))
        program(datadir, height=height)
        must_be_alike("forks, opened by both", before, look(datadir))


def main():
    if are_absent("one directory between bitcoind and lode"):
        return 77
    work = tempfile.mkdtemp(prefix="lode-trip-")
    try:
        to_and_fro(work)
        with_forks(work)
    finally:
        shutil.rmtree(work)
    print("nothing differs but what must")
    return 0


if __name__ == "__main__":
    sys.exit(main())
