#!/usr/bin/env python3
"""What `lode loadtxoutset` writes, bitcoind opens, goes on from, and validates in the background.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. The chain is the one that
Core's own parameters vouch for on regtest at height 200: coinbases alone, each block one second after the last, the
lowest nonce. It is made here, and its hash shows that it was made right.
"""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import LODE, MINE_TO, Node, are_absent, fail, folder_print  # noqa: E402

BASE, BASE_HASH = 200, "385901ccbd69dff6bbd00065d01fb8a9e464dede7cfe0372443884f9b1dcf6b9"
SET_HASH = "17dcc016d188d16068907cdeb38b75691a118d43053b8cd6a25969419381d13a"
GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"


# ---- the chain ----

def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def push_number(n):
    if n <= 16:
        return bytes([0x50 + n])
    data = n.to_bytes((n.bit_length() + 8) // 8, "little")
    return bytes([len(data)]) + data


def coinbase(height):
    script = push_number(height) + b"\0"
    output = b"\0\x20" + hashlib.sha256(b"\x51").digest()
    return (struct.pack("<iB", 2, 1) + bytes(32) + b"\xff" * 4 + bytes([len(script)]) + script + struct.pack("<I", 0xfffffffe) + b"\1" +
            struct.pack("<q", 5000000000 >> height // 150) + bytes([len(output)]) + output + struct.pack("<I", height - 1))


def make_blocks(count):
    blocks, prev, target = [], bytes.fromhex(GENESIS)[::-1], 0x7fffff << 232
    for height in range(1, count + 1):
        tx = coinbase(height)
        for nonce in range(1 << 32):
            header = struct.pack("<i", 4) + prev + sha256d(tx) + struct.pack("<III", 1296688602 + height, 0x207fffff, nonce)
            prev_hash = sha256d(header)
            if int.from_bytes(prev_hash, "little") <= target:
                break
        prev = prev_hash
        blocks.append(header + b"\1" + tx)
    if prev[::-1].hex() != BASE_HASH:
        fail("the chain ends at", prev[::-1].hex())
    return blocks


# ---- the programs ----

def start(datadir, must_start=True):
    return Node(datadir, "-checkblockindex=1", "-checkblocks=0", "-checklevel=4", must_start=must_start)


def run_lode(datadir, *command):
    return subprocess.run([LODE, "-regtest", "-datadir=" + datadir, *command], capture_output=True, text=True)


def lode(datadir, *command):
    p = run_lode(datadir, *command)
    if p.returncode:
        fail("lode", *command, "ended with", p.returncode, p.stderr)
    return p.stdout.strip()


def look(datadir):
    """Of what a declined load leaves: opening a store as its writer makes new logs and manifests."""
    return folder_print(datadir, unread=("index", "chainstate"))


def must_decline(datadir, word, *command):
    before = look(datadir)
    p = run_lode(datadir, *command)
    if p.returncode != 1 or word not in p.stderr:
        fail("lode", *command, "should say", word, "and ended with", p.returncode, p.stderr)
    if look(datadir) != before:
        fail("lode", *command, "changed the directory though it declined")


def coins(ask):
    said = json.loads(ask("gettxoutsetinfo"))
    return {k: said[k] for k in ("height", "bestblock", "txouts", "bogosize", "hash_serialized_3", "total_amount")}


class Trial:
    def __init__(self, work):
        self.work = work
        self.blocks = make_blocks(BASE)
        self.whole, self.snapshot = self.path("whole"), self.path("snapshot.dat")
        self.ours, self.theirs = self.path("ours"), self.path("theirs")

    def path(self, name):
        return os.path.join(self.work, name)

    def make_snapshot(self):
        with open(self.path("blocks.dat"), "wb") as file:
            for block in self.blocks:
                file.write(bytes.fromhex("fabfb5da") + struct.pack("<I", len(block)) + block)
        lode(self.whole, "import", self.path("blocks.dat"))
        said = json.loads(lode(self.whole, "dumptxoutset", self.snapshot, "latest"))
        if (said["base_hash"], said["txoutset_hash"]) != (BASE_HASH, SET_HASH):
            fail("dumptxoutset", said)

    def fetch_headers(self):
        node = start(self.ours)
        for block in self.blocks:
            node.ask("submitheader", block[:80].hex())
        node.ask("submitblock", self.blocks[0].hex())
        node.stop()
        shutil.copytree(self.ours, self.theirs)

    def load(self):
        must_decline(self.whole, "no more work", "loadtxoutset", self.snapshot)
        wrong = bytearray(open(self.snapshot, "rb").read())
        wrong[-30] ^= 1
        with open(self.path("wrong.dat"), "wb") as file:
            file.write(wrong)
        must_decline(self.ours, "hash", "loadtxoutset", self.path("wrong.dat"))
        must_decline(self.ours, "vouches for another", "-assumeutxo=" + "ab" * 32, "loadtxoutset", self.snapshot)
        said = json.loads(lode(self.ours, "loadtxoutset", self.snapshot))
        if said != {"coins_loaded": 200, "tip_hash": BASE_HASH, "base_height": BASE, "path": self.snapshot}:
            fail("loadtxoutset", said)
        if coins(lambda *c: lode(self.ours, *c)) != coins(lambda *c: lode(self.whole, *c)):
            fail("a reader does not answer from what was loaded")
        must_decline(self.ours, "bitcoind goes on", "import")
        must_decline(self.ours, "bitcoind goes on", "loadtxoutset", self.snapshot)

    def compare_with_core(self):
        node = start(self.theirs)
        node.ask("loadtxoutset", self.snapshot)
        theirs = coins(node.ask), json.loads(node.ask("getchainstates"))
        node.stop()
        node = start(self.ours)
        ours = coins(node.ask), json.loads(node.ask("getchainstates"))
        if len(ours[1]["chainstates"]) != 2 or ours[1]["chainstates"][1]["snapshot_blockhash"] != BASE_HASH:
            fail("bitcoind does not work on the snapshot:", ours)
        for said in (ours, theirs):
            for c in said[1]["chainstates"]:
                for measured in ("coins_db_cache_bytes", "coins_tip_cache_bytes", "verificationprogress"):
                    c.pop(measured)
        if ours != theirs:
            fail("after bitcoind's own loadtxoutset", theirs, "after lode's", ours)
        for name in ("base_blockhash",):
            a, b = (open(os.path.join(d, "regtest/chainstate_snapshot", name), "rb").read() for d in (self.ours, self.theirs))
            if a != b:
                fail(name, "differs")
        return node

    def go_on(self, node):
        node.ask("generatetoaddress", "3", MINE_TO)
        node.stop()
        if lode(self.ours, "getblockcount") != "203":
            fail("lode does not follow bitcoind's snapshot chainstate")
        p = run_lode(self.ours, "check")
        if p.returncode != 3:
            fail("lode check of blocks upon a snapshot", p.returncode, p.stderr)
        node = start(self.ours)
        for block in self.blocks[1:]:
            node.ask("submitblock", block.hex())
        if not json.loads(node.ask("getchainstates"))["chainstates"][-1]["validated"]:
            fail("the background validation did not end:", node.ask("getchainstates"))
        node.stop()
        node = start(self.ours)  # moves the loaded chainstate to its place
        said = coins(node.ask)
        if said["height"] != 203 or node.ask("verifychain", "4", "0") != "true":
            fail("after validation", said)
        node.stop()
        if os.path.exists(os.path.join(self.ours, "regtest/chainstate_snapshot")) or coins(lambda *c: lode(self.ours, *c)) != said:
            fail("lode after validation")
        lode(self.ours, "import", self.path("blocks.dat"))  # and writes again
        if lode(self.ours, "verifychain", "4", "0") != "true":
            fail("verifychain after an import")
        node = start(self.ours)
        if coins(node.ask) != said:
            fail("bitcoind after lode's import")
        node.stop()

    def trusted_by_hash(self):
        other, file = self.path("other"), self.path("other.dat")
        node = start(other)
        for block in self.blocks:
            node.ask("submitheader", block[:80].hex())
        node.stop()
        said = json.loads(lode(self.whole, "dumptxoutset", file, "rollback=160"))
        must_decline(other, "-assumeutxo", "loadtxoutset", file)
        must_decline(other, "hash", "-assumeutxo=" + "ab" * 32, "loadtxoutset", file)
        p = run_lode(other, "-assumeutxo=" + said["txoutset_hash"], "loadtxoutset", file)
        if p.returncode or "does not vouch" not in p.stderr:
            fail("loadtxoutset -assumeutxo:", p.returncode, p.stderr)
        told = json.loads(lode(other, "gettxoutsetinfo"))
        if (told["height"], told["hash_serialized_3"]) != (160, said["txoutset_hash"]):
            fail("a reader of a set trusted by hash:", told)
        node = start(other, must_start=False)
        if node.started or "snapshot" not in node.told.lower() and "assumeutxo" not in node.told.lower():
            print("bitcoind on a set it does not vouch for:", node.started, getattr(node, "told", ""))
            if node.started:
                node.stop()
                fail("bitcoind starts on a set that it does not vouch for: say so in loadtxoutset")
        shutil.rmtree(os.path.join(other, "regtest/chainstate_snapshot"))
        start(other).stop()


def main():
    if are_absent("bitcoind on loaded snapshots"):
        return 77
    work = tempfile.mkdtemp(prefix="lode-load-")
    try:
        trial = Trial(work)
        trial.make_snapshot()
        trial.fetch_headers()
        trial.load()
        trial.go_on(trial.compare_with_core())
        trial.trusted_by_hash()
    finally:
        shutil.rmtree(work)
    print("a loaded snapshot: opened by bitcoind, gone on with, validated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
