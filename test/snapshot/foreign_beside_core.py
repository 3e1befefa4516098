#!/usr/bin/env python3
"""Directories that bitcoind keeps with settings that Lode does not share.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. A directory that bitcoind
pruned is declined by name and not a byte in it changes. One with its other indexes (coinstatsindex, txospenderindex,
blockfilterindex) is gone on with, and bitcoind then brings these up to the new blocks by itself.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import LODE, MINE_TO, Node, are_absent, fail, folder_print  # noqa: E402

INDEXES = ["-txindex=1", "-coinstatsindex=1", "-txospenderindex=1", "-blockfilterindex=1"]


def lode(datadir, *command):
    return subprocess.run([LODE, "-regtest", "-datadir=" + datadir, *command], capture_output=True, text=True)


def pruned(work):
    datadir = os.path.join(work, "pruned")
    node = Node(datadir, "-fastprune", "-prune=1")
    node.ask("generatetoaddress", "700", MINE_TO)
    node.ask("pruneblockchain", "400")
    node.stop()
    if os.path.exists(os.path.join(datadir, "regtest/blocks/blk00000.dat")):
        fail("bitcoind did not prune")
    before = folder_print(datadir)
    for command in (["getblockcount"], ["import"], ["-txindex", "import"], ["-reindex", "import"], ["-reindex-chainstate", "import"], ["check"]):
        p = lode(datadir, *command)
        if p.returncode != 1 or "pruned" not in p.stderr:
            fail("lode", *command, "on a pruned directory:", p.returncode, p.stderr)
        if folder_print(datadir) != before:
            fail("lode", *command, "changed a pruned directory")
    other = os.path.join(work, "other")
    p = lode(other, "-blocksfrom=" + os.path.join(datadir, "regtest/blocks"), "import")
    if p.returncode != 1 or "pruned" not in p.stderr or folder_print(datadir) != before:
        fail("lode -blocksfrom= a pruned node's:", p.returncode, p.stderr)
    node = Node(datadir, "-fastprune", "-prune=1")
    if node.ask("getblockcount") != "700":
        fail("bitcoind on its pruned directory")
    node.stop()


def wait_for_indexes(node, height):
    for _ in range(600):
        said = json.loads(node.ask("getindexinfo"))
        if len(said) == 4 and all(i["synced"] and i["best_block_height"] == height for i in said.values()):
            return
        time.sleep(0.05)
    fail("indexes are not at", height, said)


def more_indexes(work):
    datadir, longer = os.path.join(work, "indexes"), os.path.join(work, "longer")
    node = Node(datadir, *INDEXES)
    node.ask("generatetoaddress", "130", MINE_TO)
    wait_for_indexes(node, 130)
    node.stop()
    shutil.copytree(datadir, longer)
    node = Node(longer, *INDEXES)
    node.ask("generatetoaddress", "20", MINE_TO)
    wait_for_indexes(node, 150)
    expected = [node.ask("gettxoutsetinfo", "muhash", str(h)) for h in (100, 130, 140, 150)]
    blocks = [bytes.fromhex(node.ask("getblock", node.ask("getblockhash", str(h)), "0")) for h in range(131, 151)]
    node.stop()
    path = os.path.join(work, "more.dat")
    with open(path, "wb") as file:
        for block in blocks:
            file.write(bytes.fromhex("fabfb5da") + struct.pack("<I", len(block)) + block)
    others = [os.path.join(datadir, "regtest/indexes", n) for n in ("coinstatsindex", "txospenderindex", "blockfilter")]
    before = [folder_print(o) for o in others]
    if not all(before):
        fail("bitcoind made no", others, before)
    p = lode(datadir, "-txindex", "import", path)
    if p.returncode or lode(datadir, "getblockcount").stdout.strip() != "150":
        fail("lode beside other indexes:", p.stderr)
    if [folder_print(o) for o in others] != before:
        fail("lode changed indexes that are not its own")
    node = Node(datadir, *INDEXES)
    wait_for_indexes(node, 150)
    if [node.ask("gettxoutsetinfo", "muhash", str(h)) for h in (100, 130, 140, 150)] != expected:
        fail("bitcoind's coinstatsindex after lode's import")
    node.stop()


def main():
    if are_absent("directories that bitcoind keeps in other ways"):
        return 77
    work = tempfile.mkdtemp(prefix="lode-foreign-")
    try:
        pruned(work)
        more_indexes(work)
    finally:
        shutil.rmtree(work)
    print("pruned: declined; other indexes: left alone, and brought up by bitcoind")
    return 0


if __name__ == "__main__":
    sys.exit(main())
