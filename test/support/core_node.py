"""What tests beside bitcoind share: where the programs are, and bitcoind on a directory.

$BITCOIND and $BITCOIN_CLI name Core's programs; a test skips itself without them (are_absent). Imported by scripts of
other folders, which put this one into sys.path.
"""
import glob
import hashlib
import os
import subprocess
import sys
import time

LODE = os.environ.get("LODE") or os.path.join(os.getcwd(), "lode")
BITCOIND, CLI = os.environ.get("BITCOIND"), os.environ.get("BITCOIN_CLI")
MINE_TO = "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202"  # version 0, twenty zero bytes


def are_absent(what):
    if BITCOIND and CLI:
        return False
    print("$BITCOIND and $BITCOIN_CLI are not set, skipped: " + what)
    return True


def fail(*text):
    sys.exit("%s: %s" % (os.path.splitext(os.path.basename(sys.argv[0]))[0], " ".join(str(t) for t in text)))


def folder_print(path, unread=()):
    """Of each file below: its name and a hash of its content; of folders with these names, that they are there."""
    sums = {}
    for folder, _, files in os.walk(path):
        if os.path.basename(folder) in unread:
            sums[folder] = b""
            continue
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                sums[os.path.join(folder, name)] = hashlib.sha256(file.read()).digest()
    return sums


class Node:
    """bitcoind, alone, on a directory. It must start and answer; else (must_start=False) `started` tells, and `told` why."""

    def __init__(self, datadir, *options, chain=("-regtest",), must_start=True, fail=fail):
        os.makedirs(datadir, exist_ok=True)
        place = [*chain, "-datadir=" + datadir, "-rpcport=%d" % (20000 + os.getpid() % 12000)]
        self.fail = fail
        self.command = [CLI, *place, "-rpcclienttimeout=0"]
        self.process = subprocess.Popen([BITCOIND, *place, "-connect=0", "-listen=0", "-dnsseed=0", "-fixedseeds=0", "-disablewallet",
                                         "-printtoconsole=0", "-persistmempool=0", *options],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.started = False
        while not self.started:
            if self.process.poll() is not None:
                self.told = self.process.stderr.read()
                if must_start:
                    fail("bitcoind does not start:", self.told, self.end_of_log(datadir))
                return
            self.started = self.run("getblockcount").returncode == 0
            time.sleep(0 if self.started else 0.05)

    @staticmethod
    def end_of_log(datadir):
        text = ""
        for path in glob.glob(os.path.join(datadir, "**/debug.log"), recursive=True):
            with open(path) as log:
                text += log.read()[-2000:]
        return text

    def run(self, *command):
        return subprocess.run([*self.command, *command], capture_output=True, text=True)

    def ask(self, *command):
        p = self.run(*command)
        if p.returncode:
            self.fail("bitcoin-cli", *(c[:200] for c in command), p.stderr)
        return p.stdout.strip()

    def stop(self):
        self.ask("stop")
        self.process.wait()
