#!/usr/bin/env python3
"""verifychain, dumptxoutset and scantxoutset of lode and of bitcoind over one directory: same answers, same bytes.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. lode imports given chains; a
copy of the directory is opened by bitcoind. No command of lode's may change the directory it reads.
"""
import filecmp
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

LODE = os.environ.get("LODE") or os.path.join(os.getcwd(), "lode")
BITCOIND, CLI = os.environ.get("BITCOIND"), os.environ.get("BITCOIN_CLI")
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("LODE_DATA") or os.path.join(HERE, "../../../shared/data")
PORT = 21000 + os.getpid() % 11000


def folder_print(path):
    """Names and contents of all files, those of lode's own folder too."""
    sums = {}
    for folder, _, files in os.walk(path):
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                sums[os.path.join(folder, name)] = hashlib.sha256(file.read()).hexdigest()
    return sums


class Node:
    def __init__(self, datadir, chain):
        self.command = [CLI, *chain, "-datadir=" + datadir, "-rpcport=%d" % PORT, "-rpcclienttimeout=0"]
        self.process = subprocess.Popen([BITCOIND, *chain, "-datadir=" + datadir, "-connect=0", "-listen=0", "-dnsseed=0", "-fixedseeds=0", "-disablewallet",
                                         "-rpcport=%d" % PORT, "-printtoconsole=0", "-persistmempool=0"])
        for _ in range(600):
            if self.run("getblockcount").returncode == 0:
                return
            if self.process.poll() is not None:
                sys.exit("bitcoind does not start on the directory")
            time.sleep(0.1)
        sys.exit("bitcoind does not answer")

    def run(self, *command):
        return subprocess.run(self.command + list(command), capture_output=True, text=True)

    def stop(self):
        self.run("stop")
        self.process.wait()


class Pair:
    def __init__(self, work, name, chain, blocks):
        self.work, self.chain = work, chain
        self.datadir = os.path.join(work, name)
        subprocess.run([LODE, *chain, "-datadir=" + self.datadir, "import", blocks], check=True, capture_output=True)
        core = os.path.join(work, name + "-core")
        shutil.copytree(self.datadir, core)
        self.before = folder_print(self.datadir)
        self.node = Node(core, chain)
        self.different = self.asked = 0

    def lode(self, *command):
        return subprocess.run([LODE, *self.chain, "-datadir=" + self.datadir, *command], capture_output=True, text=True)

    def say(self, command, ours, theirs):
        self.different += 1
        print("DIFFERENT: %s\n  lode: %s\n  core: %s" % (" ".join(command)[:200], ours[:1500], theirs[:1500]))

    def compare(self, *command):
        a, b = self.lode(*command), self.node.run(*command)
        self.asked += 1
        if a.stdout != b.stdout or (a.returncode == 0) != (b.returncode == 0):
            self.say(command, a.stdout + a.stderr, b.stdout + b.stderr)
        return b.stdout

    def compare_refusal(self, *command):
        a, b = self.lode(*command), self.node.run(*command)
        self.asked += 1
        if a.stderr != b.stderr or b.returncode == 0:
            self.say(command, a.stdout + a.stderr, b.stdout + b.stderr)

    def compare_dump(self, *how):
        ours, theirs = os.path.join(self.work, "ours.dat"), os.path.join(self.work, "theirs.dat")
        a, b = self.lode("dumptxoutset", ours, *how), self.node.run("-named", "dumptxoutset", theirs, *how)
        self.asked += 1
        strip = lambda text: re.sub(r'"path": "[^"]*"', '"path"', text)
        if a.returncode or b.returncode or strip(a.stdout) != strip(b.stdout) or not filecmp.cmp(ours, theirs, shallow=False):
            self.say(("dumptxoutset", *how), a.stdout + a.stderr, b.stdout + b.stderr)
        for path in (ours, theirs):
            if os.path.exists(path):
                os.remove(path)

    def end(self):
        self.node.stop()
        if folder_print(self.datadir) != self.before:
            self.different += 1
            print("DIFFERENT: a reading command changed the directory")
        return self.different


def check(pair):
    height = int(pair.compare("getblockcount"))
    for level in range(5):
        pair.compare("verifychain", str(level), "0")
    pair.compare("verifychain")
    pair.compare("verifychain", "4", "10")
    pair.compare_refusal("verifychain", "x")
    pair.compare_refusal("verifychain", '"3"')
    pair.compare_dump("latest")
    for back in (1, 7, height // 2, height - 1, height):
        pair.compare_dump("rollback=%d" % (height - back))
    pair.compare_dump("rollback=" + pair.compare("getblockhash", str(height // 3)).strip())
    pair.compare_refusal("dumptxoutset", "x", "sideways")
    pair.compare_refusal("dumptxoutset", "x")
    pair.compare_refusal("dumptxoutset", "x", "latest", '{"rollback": 5}')
    pair.compare_refusal("dumptxoutset", "x", "rollback", '{"rollback": -1}')
    pair.compare_refusal("dumptxoutset", "x", "rollback", '{"rollback": 1000000}')
    pair.compare_refusal("dumptxoutset", "x", "rollback", '{"rollback": "%s"}' % ("ab" * 32))


def main():
    if not BITCOIND or not CLI:
        print("$BITCOIND and $BITCOIN_CLI are not set, skipped: snapshots beside bitcoind")
        return 77
    if not os.path.exists(os.path.join(DATA, "blocks/regtest-all.dat")):
        print("given data is absent, skipped")
        return 77
    failed = 0
    work = tempfile.mkdtemp(prefix="lode-snapshot-")
    try:
        for name, chain, blocks in (("all", ["-regtest"], "regtest-all"), ("forks", ["-regtest"], "regtest-forks"), ("main", ["-chain=main"], "mainnet-0-2100")):
            pair = Pair(work, name, chain, os.path.join(DATA, "blocks/%s.dat" % blocks))
            try:
                check(pair)
            finally:
                failed += pair.end()
            print("%s: %d questions, %d differences" % (name, pair.asked, pair.different))
    finally:
        shutil.rmtree(work)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
