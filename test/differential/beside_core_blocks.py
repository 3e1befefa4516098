#!/usr/bin/env python3
"""Random chains of good, wrong and doubly wrong blocks, given to Lode and to Bitcoin Core one by one.

After each block: the same verdict, in the same words, and the same tip. Now and then, and at the end: the same set of coins
and the same list of tips. Usage: beside_core_blocks.py [SEED [SESSIONS]]; $BITCOIND names Core's program; without it the
answers recorded from Core are held against Lode's (recorded_answers.json; --record SEED... makes it). At the end of a
session Lode reads all blocks from a file, in order and shuffled, with 1, 2 and 8 threads: it must tell the same of each.
$LODE_PIPE is the program of that name, $LODE_TEST_STEPS the length of a session.
"""
import base64
import collections
import hashlib
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import coin_locks  # noqa: E402
import fault_list  # noqa: E402
from block_faults import GENESIS_TIME, Node, Plan, fill  # noqa: E402
from chain_bytes import COMMITMENT, sha256d  # noqa: E402

BITCOIND = os.environ.get("BITCOIND")
PIPE = os.environ.get("LODE_PIPE") or os.path.join(os.getcwd(), "test/differential/lode_pipe")
RECORD = os.path.join(HERE, "recorded_answers.json")
STEPS = int(os.environ.get("LODE_TEST_STEPS", "100"))
GENESIS = bytes.fromhex("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206")[::-1]


class Core:
    def __init__(self, work, options, now, name="core", load=None):
        self.work, self.options, self.now = work, options, now
        self.dir = os.path.join(work, name)
        os.mkdir(self.dir)
        self.port = 20000 + os.getpid() % 20000
        if load:
            subprocess.run([BITCOIND, "-regtest", "-datadir=" + self.dir, "-connect=0", "-listen=0", "-disablewallet", "-printtoconsole=0", "-mocktime=%d" % now, "-dbcache=16",
                            "-rpcport=%d" % self.port, "-checkblockindex=0", "-loadblock=" + load, "-stopafterblockimport"] + options, check=True)
        self.process = subprocess.Popen([BITCOIND, "-regtest", "-datadir=" + self.dir, "-connect=0", "-listen=0", "-dnsseed=0", "-fixedseeds=0", "-disablewallet", "-server",
                                         "-rpcport=%d" % self.port, "-printtoconsole=0", "-persistmempool=0", "-checkblockindex=0", "-mocktime=%d" % now, "-dbcache=16",
                                         "-minimumchainwork=0", "-rpcthreads=2"] + options)
        cookie = os.path.join(self.dir, "regtest", ".cookie")
        self.connection = None
        for _ in range(1200):
            if self.process.poll() is not None:
                raise SystemExit("bitcoind does not start")
            try:
                with open(cookie) as f:
                    self.auth = base64.b64encode(f.read().encode()).decode()
                if self.call("getblockcount")[1] is None:
                    return
            except (OSError, http.client.HTTPException):
                self.connection = None
            time.sleep(0.1)
        raise SystemExit("bitcoind does not answer")

    def call(self, method, *params):
        if not self.connection:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        self.connection.request("POST", "/", json.dumps({"method": method, "params": params, "id": 0}), {"Authorization": "Basic " + self.auth, "Content-Type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())
        return answer.get("result"), answer.get("error")

    def load(self, path):
        """What another node makes of a file. It connects at the end only, so branches that never win are not judged."""
        other = Core(self.work, self.options, self.now, "loaded", path)
        answers = [other.tip(), other.coins()]
        other.close()
        return answers

    def submit(self, raw):
        result, error = self.call("submitblock", raw.hex())
        return "undecodable" if error and error["code"] == -22 else "error %s" % error["message"] if error else "valid" if result is None else result

    def knows(self, hash):
        return self.call("getblockheader", hash[::-1].hex())[1] is None

    def tip(self):
        return self.call("getbestblockhash")[0]

    def tips(self):
        return self.call("getchaintips")[0]

    def coins(self):
        i = self.call("gettxoutsetinfo")[0]
        return [i["height"], i["txouts"], i["hash_serialized_3"], round(i["total_amount"] * 1e8)]

    def mark(self, hash, invalid):
        self.call("invalidateblock" if invalid else "reconsiderblock", hash[::-1].hex())

    def close(self):
        self.call("stop")
        self.process.wait()


class Lode:
    def __init__(self, work, options, now, threads, name="lode"):
        self.dir = os.path.join(work, name)
        self.process = subprocess.Popen([PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.say("clock %d" % now)
        self.say(" ".join(["open", self.dir, str(threads), "regtest"] + [o.lstrip("-") for o in options]))

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer.endswith("\n") or answer.startswith("error"):
            raise SystemExit("lode: %s -> %s" % (line[:200], answer or "nothing: it ended"))
        return answer.rstrip("\n")

    def submit(self, raw):
        accepted, best, reason = self.say("submit " + raw.hex()).split(" ", 2)
        return reason or ("valid" if best == "1" else "accepted" if accepted == "1" else "refused")

    def tip(self):
        return self.say("ask getbestblockhash").strip()

    def tips(self):
        return json.loads(self.say("ask getchaintips"))

    def coins(self):
        i = json.loads(self.say("ask gettxoutsetinfo"))
        return [i["height"], i["txouts"], i["hash_serialized_3"], round(i["total_amount"] * 1e8)]

    def mark(self, hash, invalid):
        self.say("%s %s" % ("invalidate" if invalid else "reconsider", hash[::-1].hex()))

    def import_files(self, *paths):
        return self.say("import " + " ".join(paths))

    def close(self):
        self.say("close")
        self.process.stdin.close()
        self.process.wait()


def order_tips(tips):
    return sorted([t["height"], t["hash"][-16:], t["branchlen"], t["status"]] for t in tips)


SCRIPT = "block-script-verify-flag-failed"
# With one thread Core runs a transaction's scripts before it looks at the next one's coins; with more, like us, after all.
COINS_TELL = ("bad-txns-inputs-missingorspent", "bad-txns-premature-spend-of-coinbase", "bad-txns-in-belowout", "bad-txns-nonfinal", "bad-blk-sigops", "bad-cb-amount")


def is_same(core, lode, by_chance):
    """Core's answer and ours. Words that mean the same, and the one answer that Core's threads leave to chance."""
    if core == lode:
        return True
    if core == "duplicate":
        return lode in ("accepted", "valid")
    if core == "inconclusive":
        return lode in ("accepted", "bad-prevblk")  # stored; the second: a block below it was found wrong when it was tried
    if not core.startswith(SCRIPT):
        return False
    if lode.startswith(SCRIPT):
        return by_chance
    return not by_chance and lode in COINS_TELL


class World:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.seed = seed
        self.heights = {"segwit": 0, "bip34": 1, "dersig": 1, "cltv": 1, "csv": 1}
        self.base = rng.choice([101, 105, 110, 139, 147])
        self.options = []
        for name in self.heights:
            if rng.random() < (.4 if name != "segwit" else .3):
                self.heights[name] = self.base + rng.choice([1, 2, 5, 10, 20, 40, 1000])
                self.options.append("-testactivationheight=%s@%d" % (name, self.heights[name]))
        self.bip94 = rng.random() < .5
        if self.bip94:
            self.options.append("-test=bip94")
        if rng.random() < .2:
            self.options.append("-vbparams=testdummy:0:999999999999")
        self.now = GENESIS_TIME + 600 * (self.base + 70)
        self.genesis = Node(GENESIS, None, 0, GENESIS_TIME, {}, None)
        self.nodes = [self.genesis]
        self.by_hash = {self.genesis.hash: self.genesis}
        self.log = []  # (raw, faults)

    def block_on(self, parent, faults):
        plan = Plan(self, parent, self.rng)
        fill(plan)
        fault_list.apply(plan, faults)
        block = plan.build()
        node = plan.node(block) if block.txs and block.prev == parent.hash else None
        return block, node

    def random_faults(self):
        """Every third session is about what only coins can tell, with one fault at a time."""
        if self.seed % 3 == 0:
            return [self.rng.choice(fault_list.DEEP)] if self.rng.random() < .75 else []
        count = self.rng.choice([0] * 8 + [1] * 7 + [2] * 5 + [3])
        return [self.rng.choice(fault_list.OFTEN) for _ in range(count)]


class Session:
    def __init__(self, seed, work, steps, recorded=None):
        self.w, self.work, self.steps = World(seed), work, steps
        threads = self.w.rng.choice([1, 2, 8])
        # One script after the other: then Core's first failure is the first in the block. With more threads it is any, and
        # comes after what coins tell of later transactions, as ours does.
        self.par = 1 if seed % 3 == 0 else 2
        self.lode = Lode(work, self.w.options, self.w.now, threads)
        self.core = Core(work, self.w.options + ["-par=%d" % self.par], self.w.now) if recorded is None else None
        self.recorded, self.answers, self.at = recorded, [], 0
        self.different, self.compared = [], 0
        self.marked = False
        self.words = collections.Counter()

    def oracle(self, ask):
        """Core's answer, asked now or taken from the record."""
        if self.core:
            self.answers.append(ask(self.core))
            return self.answers[-1]
        self.at += 1
        return self.recorded[self.at - 1]

    def complain(self, what, core, lode, more=""):
        text = "seed %d, step %d, block %d: %s: core %s, lode %s %s (options %s)" % (self.w.seed, self.step, len(self.w.log), what, core, lode, more, " ".join(self.w.options))
        self.different.append(text)
        print("DIFFERENT " + text, flush=True)

    def as_core_sees(self, block):
        """submitblock adds the reserved value that a coinbase with a commitment lacks, when it knows the parent."""
        if not block.txs or block.txs[0].has_witness() or not any(s.startswith(COMMITMENT) and len(s) >= 38 for _, s in block.txs[0].outs):
            return block.raw()
        parent = self.w.by_hash.get(block.prev)
        known = self.oracle(lambda c: c.knows(block.prev))
        if known and parent and parent.height + 1 >= self.w.heights["segwit"] and block.is_cut == 0 and block.txs[0].flag is None and not block.txs[0].bare_flag and block.txs[0].ins:
            block.txs[0].ins[0].witness = [bytes(32)]
        return block.raw()

    def submit(self, block, faults, raw=None):
        raw = raw or self.as_core_sees(block)
        core, lode = self.oracle(lambda c: c.submit(raw)), self.lode.submit(raw)
        self.w.log.append((raw, faults, core))
        self.compared += 1
        self.words[core] += 1
        if not is_same(core, lode, self.par > 1):
            self.complain("verdict of %s" % sha256d(raw[:80])[::-1].hex()[:16], core, lode, str(faults))
        self.compare_tip(faults)
        return core

    def compare_tip(self, faults=()):
        core, lode = self.oracle(lambda c: c.tip()[-16:]), self.lode.tip()
        if core != lode[-16:]:
            self.complain("tip", core, lode, str(faults))
            raise Lost()
        self.tip = self.w.by_hash[bytes.fromhex(lode)[::-1]]

    def compare_all(self):
        core, lode = self.oracle(lambda c: c.coins()), self.lode.coins()
        if core != lode:
            self.complain("coins", core, lode)
        core, lode = self.oracle(lambda c: order_tips(c.tips())), order_tips(self.lode.tips())
        if core != lode:
            self.complain("tips", [t for t in core if t not in lode], [t for t in lode if t not in core])

    def note(self, node):
        if node and node.hash not in self.w.by_hash:
            self.w.by_hash[node.hash] = node
            self.w.nodes.append(node)

    def grow(self, parent, faults):
        block, node = self.w.block_on(parent, faults)
        self.note(node)
        return self.submit(block, faults), node

    def base_chain(self):
        rng, node = self.w.rng, self.w.genesis
        for _ in range(self.w.base):
            plan = Plan(self.w, node, rng)
            plan.commit = "none"
            plan.time = node.time + 600
            plan.coinbase_kinds = ["true"] if rng.random() < .3 else [rng.choice(coin_locks.SAFE + coin_locks.SIGNED + coin_locks.ODD) for _ in range(rng.choice([5, 20]))]
            block = plan.build()
            node = plan.node(block)
            self.note(node)
            self.w.log.append((block.raw(), [], "valid"))
            core, lode = self.oracle(lambda c: c.submit(block.raw())), self.lode.submit(block.raw())
            if (core, lode) != ("valid", "valid"):
                self.complain("base", core, lode)
                raise Lost()
        self.tip = node

    def branch(self):
        """A few blocks from an older one, in any order, with or without a wrong one."""
        rng, at = self.w.rng, self.tip
        for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
            at = at.prev if at.prev and at.height > 102 else at
        blocks = []
        for _ in range(rng.choice([2, 3, 4, 8])):
            faults = self.w.random_faults() if rng.random() < .25 else []
            block, node = self.w.block_on(at, faults)
            blocks.append((block, faults))
            if not node:
                break
            self.note(node)
            at = node
        if rng.random() < .4:
            rng.shuffle(blocks)
        for block, faults in blocks + (blocks if rng.random() < .3 else []):
            self.submit(block, faults)

    def torn_copies(self):
        """A copy that is not the header's own, the child, then the good block and the child again."""
        rng = self.w.rng
        block, node = self.w.block_on(self.tip, [])
        self.note(node)
        child, node = self.w.block_on(node, [])
        self.note(node)
        good = block.raw()
        kind = rng.choice(["strip", "twin", "nonce", "cut", "more", "order"])
        txs = list(block.txs)
        if kind == "strip":
            for t in block.txs[1:]:
                for i in t.ins:
                    i.saved, i.witness = i.witness, []
        elif kind == "twin":
            block.txs = txs + txs[len(txs) - rng.choice([1, 2]):]
        elif kind == "nonce":
            saved = block.txs[0].ins[0].witness
            block.txs[0].ins[0].witness = [rng.randbytes(32)]
        elif kind == "more":
            saved = block.txs[-1].ins[0].witness
            block.txs[-1].ins[0].witness = saved + [b"x"]
        elif kind == "order":
            block.txs = txs[:1] + txs[:0:-1]
        torn = block.raw()
        if block.root is None:
            torn = good[:80] + torn[80:]
        if kind == "cut":
            torn = torn[:-3]
        for raw in (torn, child.raw(), torn, good, torn, child.raw(), good):
            self.submit(None, [kind], raw=raw)

    def again(self):
        raw, faults, _ = self.w.rng.choice(self.w.log[-60:])
        self.submit(None, faults, raw=raw)

    def flips(self):
        """The body's bytes changed under the same header: what can be read, and what not."""
        rng = self.w.rng
        raw, faults, _ = rng.choice(self.w.log[-30:])
        if len(raw) > 20000:
            return
        for _ in range(25):
            b = bytearray(raw)
            for _ in range(rng.choice([1, 1, 1, 2, 5])):
                at = rng.randrange(min(80, len(b) - 1), len(b)) if rng.random() < .6 else min(80 + rng.randrange(60), len(b) - 1)
                kind = rng.randrange(5)
                if kind == 0:
                    b[at] ^= 1 << rng.randrange(8)
                elif kind == 1:
                    b[at] = rng.choice([0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff])
                elif kind == 2:
                    b[at:at] = rng.choice([b"\x00", b"\x00\x01", b"\xfd\xfc\x00", b"\xfe\x01\x00\x00\x00", b"\xff" + bytes(8), b"\xff" * 9, b"\xfe\x00\x00\x00\x02", b"\xfe\x01\x00\x00\x02"])
                elif kind == 3:
                    del b[at:at + rng.choice([1, 1, 2, 32])]
                else:
                    b += bytes(rng.choice([1, 4]))
                if len(b) <= 81:
                    b += bytes(2)
            self.submit(None, ["flips"], raw=bytes(b))

    def operator(self):
        rng = self.w.rng
        self.marked = True
        for _ in range(rng.choice([1, 2, 3])):
            known = self.w.nodes[max(1, len(self.w.nodes) - 25):]
            node, invalid = rng.choice(known), rng.random() < .5
            if self.oracle(lambda c: c.knows(node.hash)):
                if self.core:
                    self.core.mark(node.hash, invalid)
                self.lode.mark(node.hash, invalid)
            self.compare_tip(["operator"])

    def files(self):
        """All that was submitted, as a file: any number of threads reads the same out of it, and so does Core."""
        path, seen = os.path.join(self.work, "all.dat"), set([self.w.genesis.hash])
        frames, genesis = [], bytes.fromhex(self.genesis_raw)  # without it first, Core stumbles over a block that is refused
        genesis = bytes.fromhex("fabfb5da") + len(genesis).to_bytes(4, "little") + genesis
        for raw, faults, answer in self.w.log:
            if len(raw) >= 80 and raw[4:36] not in seen:
                continue  # Core's reader drops what comes before its parent
            if answer not in ("undecodable", "high-hash", "time-too-new"):
                seen.add(sha256d(raw[:80]))
            frames.append(bytes.fromhex("fabfb5da") + len(raw).to_bytes(4, "little") + raw)
        shuffled = os.path.join(self.work, "shuffled.dat")
        with open(path, "wb") as f:
            f.write(genesis + b"".join(frames))
        self.w.rng.shuffle(frames)
        with open(shuffled, "wb") as f:
            f.write(b"".join(frames))
        for name in (path, shuffled):
            results = []
            for threads in (1, 2, 8):
                lode = Lode(self.work, self.w.options, self.w.now, threads, "import%d%s" % (threads, os.path.basename(name)))
                said = lode.import_files(name)
                results.append([said.split("|"), lode.tip(), lode.coins()])
                lode.close()
            if results[0] != results[1] or results[0] != results[2]:
                at = next((i for i, three in enumerate(zip(*(r[0] for r in results))) if len(set(three)) > 1), 0)
                self.complain("threads", os.path.basename(name), [r[0][at:at + 3] + r[1:] for r in results])
            if name == path:
                answers = self.oracle(lambda c: c.load(path))
                if answers != results[0][1:3]:
                    self.complain("file", answers, results[0][1:3])

    def run(self):
        rng = self.w.rng
        self.step = 0
        self.genesis_raw = self.lode.say("ask getblock %s 0" % GENESIS[::-1].hex()).strip()
        try:
            self.base_chain()
            for self.step in range(1, self.steps + 1):
                x = rng.random()
                if x < .62:
                    self.grow(self.tip, self.w.random_faults())
                elif x < .76:
                    self.grow(rng.choice(self.w.nodes[-6:]), self.w.random_faults())
                elif x < .86:
                    self.branch()
                elif x < .92:
                    self.torn_copies()
                elif x < .95:
                    self.again()
                elif x < .965:
                    self.flips()
                elif self.w.seed % 2:
                    self.operator()
                if self.step % 25 == 0:
                    self.compare_all()
            self.compare_all()
        except Lost:
            pass
        finally:
            self.lode.close()
            if self.core:
                self.core.close()
        self.files()


class Lost(Exception):
    """Both went different ways; what follows would say nothing new."""


def run_session(seed, recorded=None):
    work = tempfile.mkdtemp(prefix="lode-differential-")
    session = Session(seed, work, STEPS, recorded)
    session.run()
    print("seed %d: %d blocks compared, %d different" % (seed, session.compared, len(session.different)), flush=True)
    shutil.rmtree(work, ignore_errors=True)
    return session


def digest(session):
    return hashlib.sha256(b"".join(raw for raw, _, _ in session.w.log)).hexdigest()


def record(seeds):
    kept = {}
    for seed in seeds:
        session = run_session(seed)
        if session.different:
            raise SystemExit("not recorded: there are differences")
        kept[seed] = {"steps": STEPS, "blocks": digest(session), "answers": session.answers}
    with open(RECORD, "w") as f:
        json.dump(kept, f, separators=(",", ":"))
        f.write("\n")


def replay():
    """The sessions of which Core's answers are kept, block for block."""
    global STEPS
    with open(RECORD) as f:
        kept = json.load(f)
    sessions = []
    for seed, r in kept.items():
        STEPS = r["steps"]
        sessions.append(run_session(int(seed), r["answers"]))
        if not sessions[-1].different and digest(sessions[-1]) != r["blocks"]:
            raise SystemExit("seed %s makes other blocks than when it was recorded: run with $BITCOIND and --record" % seed)
    return sessions


def main():
    words = collections.Counter()
    if BITCOIND and sys.argv[1:2] == ["--record"]:
        return record([int(a) for a in sys.argv[2:]])
    if BITCOIND:
        seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(1 << 30)
        sessions = [run_session(s) for s in range(seed, seed + (int(sys.argv[2]) if len(sys.argv) > 2 else 3))]
    else:
        print("BITCOIND is not set: the answers recorded from Core are compared instead of new ones")
        sessions = replay()
    for session in sessions:
        words += session.words
    different = sum(len(s.different) for s in sessions)
    print("%d blocks compared, %d different" % (sum(s.compared for s in sessions), different))
    print(", ".join("%s %d" % w for w in words.most_common()))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
