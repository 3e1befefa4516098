#!/usr/bin/env python3
"""bitcoind opens the block index and block files that lode wrote, works on them, and lode opens them again.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. With and without an XOR key:
forks and an invalid block are imported; bitcoind starts with -checkblockindex=1 and verifies every block at level 4; it
mines, invalidates and reconsiders; lode must give its tips and coin set each time, and then import on top of it.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import LODE, MINE_TO, Node, are_absent  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("LODE_DATA") or os.path.join(HERE, "../../../shared/data")
ELSEWHERE = "bcrt1qllllllllllllllllllllllllllllllllp8a9gq"  # twenty bytes of ones: no block is made twice


def lode(datadir, *command):
    p = subprocess.run([LODE, "-regtest", "-datadir=" + datadir, *command], capture_output=True, text=True)
    if p.returncode:
        sys.exit("lode %s: %s" % (" ".join(command), p.stderr))
    return p.stdout.strip()


def state(ask):
    coins = json.loads(ask("gettxoutsetinfo"))
    tips = sorted((t["hash"], t["height"], t["branchlen"], t["status"]) for t in json.loads(ask("getchaintips")))
    return tips, {k: coins[k] for k in ("height", "bestblock", "txouts", "hash_serialized_3", "total_amount")}


def work_on_it(datadir, steps):
    """One run of bitcoind: the given commands, then both programs must say the same."""
    node = Node(datadir, "-checkblockindex=1", "-checkblocks=0", "-checklevel=4")
    for step in steps:
        node.ask(*step)
    said = state(node.ask)
    node.stop()
    heard = state(lambda *command: lode(datadir, *command))
    if said != heard:
        sys.exit("after %s\ncore: %s\nlode: %s" % (steps, said, heard))
    return said


def check(work, key):
    datadir = os.path.join(work, "key%d" % key)
    os.mkdir(datadir)
    lode(datadir, "-blocksxor=%d" % key, "import", os.path.join(DATA, "blocks/regtest-forks.dat"))
    before = state(lambda *command: lode(datadir, *command))
    with open(os.path.join(DATA, "expected/core-forks.json")) as file:
        expected = json.load(file)
    if before[1]["hash_serialized_3"] != expected["gettxoutsetinfo"]["hash_serialized_3"]:
        sys.exit("lode's coin set: %s" % before[1])
    if work_on_it(datadir, []) != before:
        sys.exit("bitcoind changed what it found")
    best = before[1]["bestblock"]
    work_on_it(datadir, [("generatetoaddress", "20", MINE_TO)])
    middle = lode(datadir, "getblockhash", "300")
    work_on_it(datadir, [("invalidateblock", middle), ("generatetoaddress", "3", ELSEWHERE)])
    work_on_it(datadir, [("reconsiderblock", middle)])
    lode(datadir, "import", os.path.join(DATA, "blocks/regtest-forks.dat"))  # all known: nothing may change
    after = work_on_it(datadir, [("generatetoaddress", "1", MINE_TO)])
    if after[1]["height"] != before[1]["height"] + 21 or lode(datadir, "getblockhash", str(before[1]["height"])) != best:
        sys.exit("the chain is not the one that was built: %s" % after[1])


def main():
    if are_absent("bitcoind on lode's directories"):
        return 77
    if not os.path.exists(os.path.join(DATA, "blocks/regtest-forks.dat")):
        print("given data is absent, skipped")
        return 77
    work = tempfile.mkdtemp(prefix="lode-core-")
    try:
        for key in (0, 1):
            check(work, key)
    finally:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
