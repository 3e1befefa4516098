#!/usr/bin/env python3
"""Asks lode and bitcoin-cli the same questions about one chain and compares the answers byte for byte.

Usage: beside_core.py FILE [lode option...]      $BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped.
The chain is imported by lode; a copy of the directory is opened by bitcoind, which must not reindex. Run in the build
folder. $LODE_TEST_SAMPLES (default 60) blocks and as many transactions are asked for.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import LODE, Node, are_absent  # noqa: E402

SAMPLES = int(os.environ.get("LODE_TEST_SAMPLES", "60"))
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("LODE_DATA") or os.path.join(HERE, "../../../shared/data")
# What may differ, and why: the clock; the node's own warnings; an estimate made from each store's own tables.
MAY_DIFFER = re.compile(r'^ *"(verificationprogress|initialblockdownload|disk_size|warnings)": .*$', re.M)


class Pair:
    def __init__(self, work, chain):
        self.lode = [LODE, *chain, "-datadir=" + os.path.join(work, "lode")]
        self.core_dir = os.path.join(work, "core")
        self.chain = chain
        self.asked = self.different = 0
        self.node = None

    def start_node(self):
        self.node = Node(self.core_dir, "-txindex", chain=self.chain)

    def stop_node(self):
        if self.node:
            self.node.run("stop")
            self.node.process.wait()

    def ask(self, *command):
        a = subprocess.run(self.lode + list(command), capture_output=True, text=True)
        b = self.node.run(*command)
        self.asked += 1
        x, y = a.stdout, b.stdout
        if command[0] in ("getblockchaininfo", "gettxoutsetinfo"):
            x, y = (MAY_DIFFER.sub("", re.sub(r"\[[^\]]*\]", "[]", t)) for t in (x, y))
        same = x == y
        if b.returncode and "\nArguments:\n" not in b.stderr and "\nResult:\n" not in b.stderr:  # help texts are each program's own
            same = same and a.stderr == b.stderr and a.returncode != 0
        if not same:
            self.different += 1
            if self.different <= 5:
                print("DIFFERENT: %s" % " ".join(command))
                for name, p in (("lode", a), ("core", b)):
                    print("  %s (%d): %s" % (name, p.returncode, (p.stdout + p.stderr)[:1500]))
        return b.stdout.strip()


def wrong_questions(pair, block, txid):
    one = "00" * 31 + "01"
    for command in (["getblockhash", "-1"], ["getblockhash", "99999999"], ["getblockhash", "1.5"], ["getblockhash", "a"], ["getblockhash", "null"], ["getblockhash", "true"],
                    ["getblockhash", "99999999999"], ["getblockheader", "xx"], ["getblockheader", "z" * 64], ["getblockheader", one], ["getblockheader", block, "0"], ["getblockheader", block, "false"],
                    ["getblockheader", block, "[1]"], ["getblock", one], ["getblock", block, "{}"], ["getblock", block, "1.5"], ["getblock", block, '"1"'], ["getblock", block, "null"], ["getblock", block, "true"],
                    ["getblock", block, "false"], ["getblock", block, "-1"], ["gettxout", txid, "-1"], ["gettxout", txid, "4294967296"], ["gettxout", txid, "0", "1"], ["gettxout", txid, "99999"],
                    ["gettxout", one, "0"], ["gettxout", "ab", "0"], ["gettxoutsetinfo", "x"], ["gettxoutsetinfo", "none", "5"], ["gettxoutsetinfo", "none"], ["getrawtransaction", one], ["getrawtransaction", "ab"],
                    ["getrawtransaction", one, "1", block], ["getrawtransaction", txid, "1", one], ["getrawtransaction", txid, "true"], ["getrawtransaction", txid, "1", "xx"], ["getindexinfo", "txindex"],
                    ["getindexinfo", "no"], ["getdifficulty"], ["getblockcount"], ["getbestblockhash"]):
        pair.ask(*command)


def compare(pair, rng):
    info = json.loads(pair.ask("getblockchaininfo"))
    for command in (["gettxoutsetinfo"], ["gettxoutsetinfo", "muhash"], ["getchaintips"], ["getindexinfo"]):
        pair.ask(*command)
    top = info["blocks"]
    txid = block = None
    for height in sorted({0, 1, top, *rng.sample(range(top + 1), min(SAMPLES, top + 1))}):
        block = pair.ask("getblockhash", str(height))
        pair.ask("getblockheader", block)
        for verbosity in "0123":
            answer = pair.ask("getblock", block, verbosity)
            if verbosity == "1":
                txids = json.loads(answer)["tx"]
        for txid in rng.sample(txids, min(len(txids), 2)):
            for verbosity in "012":
                pair.ask("getrawtransaction", txid, verbosity)
            told = json.loads(pair.ask("getrawtransaction", txid, "1", block) or "{}")
            pair.ask("getrawtransaction", txid, "2", block)
            for n in range(min(6, len(told.get("vout", [])))):
                pair.ask("gettxout", txid, str(n))
    genesis = json.loads(pair.ask("getblock", pair.ask("getblockhash", "0"), "1"))
    pair.ask("getrawtransaction", genesis["tx"][0])
    wrong_questions(pair, block, txid)
    for tip in json.loads(pair.ask("getchaintips")):
        pair.ask("getblockheader", tip["hash"])
        pair.ask("getblock", tip["hash"], "2")


def main():
    if are_absent("comparison with a running node"):
        return 77
    file = sys.argv[1] if len(sys.argv) > 1 else os.path.join(DATA, "blocks/regtest-all.dat")
    chain = sys.argv[2:] or ["-regtest"]
    if not os.path.exists(file):
        print("given data is absent, skipped: " + file)
        return 77
    work = tempfile.mkdtemp(prefix="lode-beside-")
    pair = Pair(work, chain)
    try:
        os.mkdir(os.path.join(work, "lode"))
        subprocess.run(pair.lode + ["-txindex", "import", file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.copytree(os.path.join(work, "lode"), pair.core_dir)
        pair.start_node()
        seed = int(os.environ.get("LODE_TEST_SEED", "1"))
        print("seed %d" % seed)
        compare(pair, random.Random(seed))
    finally:
        pair.stop_node()
        shutil.rmtree(work, ignore_errors=True)
    print("%d questions, %d answered differently" % (pair.asked, pair.different))
    return 1 if pair.different or not pair.asked else 0


if __name__ == "__main__":
    sys.exit(main())
