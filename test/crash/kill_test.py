#!/usr/bin/env python3
"""The program is killed, on a real disk, at random moments of an import and of rebuilds, and started again.

Now and then it dies of a limit on the size of files instead. So it is with files of coins that it writes. After each
run of kills the same command must end with the coins, tips and transaction index of an import that nobody disturbed.
Where $BITCOIND and $BITCOIN_CLI name Core's programs, bitcoind opens what was gone on with; and it opens copies of what
was killed and never touched again, which it may go on with by itself, but must not misread.

Run in the build folder. LODE_TEST_SEED chooses the moments, LODE_TEST_ROUNDS how many directories are tried (default 8;
with LODE_LONG=1 120).
"""
import filecmp
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
sys.dont_write_bytecode = True

from core_node import BITCOIND, CLI, LODE, Node, folder_print  # noqa: E402

GENCHAIN = os.environ.get("GENCHAIN") or os.path.join(os.getcwd(), "lode-genchain")
SEED = int(os.environ.get("LODE_TEST_SEED") or 1)
LONG = (os.environ.get("LODE_LONG") or "0") != "0"
ROUNDS = int(os.environ.get("LODE_TEST_ROUNDS") or (120 if LONG else 8))
COMMON = ["-regtest", "-dbcache=4", "-par=2"]


def fail(*text):
    sys.exit("kill_test: LODE_TEST_SEED=%d: %s" % (SEED, " ".join(str(t) for t in text)))


def lode(datadir, *arguments, descriptors=None):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) if descriptors else None
    p = subprocess.run([LODE, *COMMON, "-datadir=" + datadir, *arguments], capture_output=True, text=True, preexec_fn=limit)
    if p.returncode:
        fail("lode", " ".join(arguments), "ended with", p.returncode, p.stdout, p.stderr)
    return p.stdout.strip()


def lode_until(seconds, datadir, *arguments):
    """Killed after so many seconds; True: it had ended before."""
    p = subprocess.Popen([LODE, *COMMON, "-datadir=" + datadir, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, told = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGKILL)
        p.communicate()
        return False
    if p.returncode:
        fail("lode", " ".join(arguments), "after a kill ended with", p.returncode, told)
    return True


def lode_with_short_files(most, datadir, *arguments):
    """No file may grow beyond so many bytes: the program dies, or says so. True: it came to its end."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    p = subprocess.run([LODE, *COMMON, "-datadir=" + datadir, *arguments], capture_output=True, text=True, preexec_fn=limit)
    if p.returncode not in (0, 1, -signal.SIGXFSZ):
        fail("lode", " ".join(arguments), "with files of", most, "bytes ended with", p.returncode, p.stderr)
    return p.returncode == 0


def state(ask, txids):
    coins = json.loads(ask("gettxoutsetinfo"))
    txs = [json.loads(ask("getrawtransaction", txid, "1"))["blockhash"] for txid in txids]
    return {k: coins[k] for k in ("height", "bestblock", "txouts", "hash_serialized_3", "total_amount")}, txs


def invalid_tips(ask):
    return {t["hash"] for t in json.loads(ask("getchaintips")) if t["status"] == "invalid"}


def start_node(datadir):
    """bitcoind on a directory; it must start, and ask for nothing."""
    return Node(datadir, "-txindex", "-checkblocks=0", "-checklevel=4", fail=fail)


def wait_for_txindex(node):
    while not json.loads(node.ask("getindexinfo", "txindex")).get("txindex", {}).get("synced"):
        time.sleep(0.05)


class Trial:
    def __init__(self, work):
        self.work = work
        self.random = random.Random(SEED)
        self.chain = os.path.join(work, "chain.dat")
        self.clean = os.path.join(work, "clean")
        self.kills = self.cores = 0

    def prepare(self):
        subprocess.run([GENCHAIN, "--mix=all", "--blocks=320", "--txs-per-block=15", "--keys=64", "--forks=12", "--bad-forks=5", "--fork-depth=6",
                        "--invalid=6", "--fan-out=2", "--seed=%d" % SEED, "--manifest=" + self.chain + ".json", "--out=" + self.chain], check=True, stderr=subprocess.DEVNULL)
        os.mkdir(self.clean)
        start = time.time()
        lode(self.clean, "-txindex", "import", self.chain)
        self.seconds = time.time() - start
        blocks = [lode(self.clean, "getblockhash", str(h)) for h in (1, 120, 200, 315)]
        self.txids = [txid for b in blocks for txid in json.loads(lode(self.clean, "getblock", b))["tx"]][:60]
        self.state = state(lambda *c: lode(self.clean, *c), self.txids)
        with open(self.chain + ".json") as manifest:
            self.bad = {b["hash"] for b in map(json.loads, manifest) if "reject" in b}

    def must_be_alike(self, what, ask):
        told = state(ask, self.txids)
        if told != self.state:
            fail(what, "ended with", told, "instead of", self.state)

    def core_takes_over(self, datadir):
        """A copy of what a kill left: bitcoind opens it and goes as far as the blocks stored there reach, like lode."""
        copy, ours = os.path.join(self.work, "core"), os.path.join(self.work, "ours")
        for to in (copy, ours):
            shutil.copytree(datadir, to)
        lode(ours, "-txindex", "import")
        if os.path.exists(os.path.join(copy, "regtest/blocks/index/CURRENT")):
            node = start_node(copy)
            wait_for_txindex(node)
            said = json.loads(node.ask("gettxoutsetinfo"))
            heard = json.loads(lode(ours, "gettxoutsetinfo"))
            node.stop()
            for k in ("height", "bestblock", "hash_serialized_3"):
                if said[k] != heard[k]:
                    fail("bitcoind on a killed directory has", k, said[k], "and lode, going on with it,", heard[k])
            self.cores += 1
        for to in (copy, ours):
            shutil.rmtree(to)

    def one_round(self, number):
        datadir = os.path.join(self.work, "data")
        kind = number % 4
        start, again = [(["-txindex", "import", self.chain], ["-txindex", "import", self.chain]),
                        (["-txindex", "-reindex", "import"], ["-txindex", "import"]),
                        (["-txindex", "-reindex-chainstate", "import"], ["-txindex", "import"]),
                        (["-txindex", "import"], ["-txindex", "import"])][kind]
        if kind:
            shutil.copytree(self.clean, datadir)
        else:
            os.mkdir(datadir)
        if kind == 3:
            shutil.rmtree(os.path.join(datadir, "regtest/indexes"))
        command = start
        for _ in range(self.random.randint(1, 4)):
            length = self.seconds if kind != 3 else self.seconds / 4
            if self.random.random() < 0.2:
                if lode_with_short_files(int(4000 * 1000 ** self.random.random()), datadir, *command):
                    break
            elif lode_until(length * self.random.random() ** 1.5, datadir, *command):
                break
            self.kills += 1
            if os.path.exists(os.path.join(datadir, "regtest")):
                command = again
            if BITCOIND and CLI and kind != 1 and self.random.random() < 0.5 and os.path.exists(os.path.join(datadir, "regtest/chainstate/CURRENT")):
                self.core_takes_over(datadir)
        lode(datadir, *command)
        self.must_be_alike(" ".join(start), lambda *c: lode(datadir, *c))
        if not invalid_tips(lambda *c: lode(datadir, *c)) <= self.bad:
            fail("blocks are marked as failed that are good")
        if BITCOIND and CLI:
            node = start_node(datadir)
            wait_for_txindex(node)
            self.must_be_alike("bitcoind after " + " ".join(start), node.ask)
            node.stop()
            self.cores += 1
        shutil.rmtree(datadir)

    def killed_while_exporting(self):
        """A file has its name when it is whole, and the directory stays as it was."""
        target, whole = os.path.join(self.work, "coins.out"), os.path.join(self.work, "whole.out")
        before = folder_print(self.clean)
        for command in (["dumptxoutset", target, "rollback=150"], ["export", "csv", target, "150"]):
            start = time.time()
            lode(self.clean, *[whole if c == target else c for c in command])
            seconds = time.time() - start
            for _ in range(ROUNDS):
                if not lode_until(seconds * self.random.random(), self.clean, *command):
                    self.kills += 1
                if os.path.exists(target):
                    if not filecmp.cmp(target, whole, shallow=False):
                        fail(" ".join(command), "left a file that is not whole under its name")
                    os.remove(target)
            lode(self.clean, *command)
            if not filecmp.cmp(target, whole, shallow=False):
                fail(" ".join(command), "after kills wrote another file")
            os.remove(target)
            os.remove(whole)
        if folder_print(self.clean) != before:
            fail("exports changed the directory")

    def with_few_descriptors(self):
        datadir = os.path.join(self.work, "few")
        os.mkdir(datadir)
        lode(datadir, "-txindex", "import", self.chain, descriptors=64)
        self.must_be_alike("an import with 64 descriptors", lambda *c: lode(datadir, *c))


def main():
    work = tempfile.mkdtemp(prefix="lode-kill-")
    try:
        trial = Trial(work)
        trial.prepare()
        for number in range(ROUNDS):
            trial.one_round(number)
        trial.killed_while_exporting()
        trial.with_few_descriptors()
    finally:
        shutil.rmtree(work)
    print("%d directories, %d kills, bitcoind opened %d; LODE_TEST_SEED=%d" % (ROUNDS, trial.kills, trial.cores, SEED))
    if not BITCOIND or not CLI:
        print("$BITCOIND and $BITCOIN_CLI are not set, skipped: bitcoind on these directories")
    return 0


if __name__ == "__main__":
    sys.exit(main())
