#!/usr/bin/env python3
"""verifychain, dumptxoutset and scantxoutset of lode and of bitcoind over one directory: same answers, same bytes.

$BITCOIND and $BITCOIN_CLI name Core's programs; absent: skipped. Run in the build folder. lode imports given chains; a
copy of the directory is opened by bitcoind. No command of lode's may change the directory it reads.
"""
import filecmp
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

from core_node import LODE, Node, are_absent, folder_print  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("LODE_DATA") or os.path.join(HERE, "../../../shared/data")


class Pair:
    def __init__(self, work, name, chain, blocks):
        self.work, self.chain = work, chain
        self.datadir = os.path.join(work, name)
        subprocess.run([LODE, *chain, "-datadir=" + self.datadir, "import", blocks], check=True, capture_output=True)
        core = os.path.join(work, name + "-core")
        shutil.copytree(self.datadir, core)
        self.before = folder_print(self.datadir)
        self.node = Node(core, chain=chain)
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


def gather(pair, height):
    """Output scripts, addresses and keys of some blocks."""
    scripts, addresses, keys = set(), set(), set()
    for h in sorted(random.sample(range(1, height + 1), min(height, 40))):
        block = json.loads(pair.lode("getblock", pair.lode("getblockhash", str(h)).stdout.strip(), "2").stdout)
        for tx in block["tx"]:
            for output in tx["vout"]:
                script = output["scriptPubKey"]
                scripts.add(script["hex"])
                if "address" in script:
                    addresses.add(script["address"])
                if script["type"] == "pubkey":
                    keys.add(script["asm"].split()[0])
                if script["type"] == "multisig":
                    keys.update(script["asm"].split()[1:-2])
            for source in tx["vin"]:
                keys.update(w for w in source.get("txinwitness", []) if len(w) == 66 and w[:2] in ("02", "03"))
                keys.update(w for w in source.get("scriptSig", {}).get("asm", "").split() if len(w) in (66, 130) and w[:2] in ("02", "03", "04"))
    return [random.sample(sorted(part), min(len(part), 25)) for part in (scripts, addresses, keys)]


def check_scan(pair, height):
    scripts, addresses, keys = gather(pair, height)
    short = [k for k in keys if len(k) == 66]
    start = lambda *objects: pair.compare("scantxoutset", "start", json.dumps(objects))
    pair.compare("scantxoutset", "status")
    pair.compare("scantxoutset", "abort")
    start()
    start(*("raw(%s)" % s for s in scripts))
    start(*("addr(%s)" % a for a in addresses))
    start(*({"desc": "addr(%s)" % a, "range": 5} for a in addresses[:3]))
    start(*("addr(%s)" % a for a in addresses), *("raw(%s)" % s for s in scripts), *("combo(%s)" % k for k in keys))
    for name in ("pk", "pkh", "combo", "sh(pk", "sh(pkh"):
        start(*("%s(%s)%s" % (name, k, ")" * name.count("(")) for k in keys))
    for name in ("wpkh", "sh(wpkh", "wsh(pk", "wsh(pkh", "sh(wsh(pk", "tr", "rawtr"):
        start(*("%s(%s)%s" % (name, k, ")" * name.count("(")) for k in short))
    start(*("%s(%s)" % (name, k[2:]) for name in ("tr", "rawtr") for k in short))
    start(*("pkh([d34db33f/44'/0h/7]%s)" % k for k in keys))
    for i in range(0, len(short) - 3, 3):
        three = ",".join(short[i:i + 3])
        start("multi(2,%s)" % three, "sortedmulti(2,%s)" % three, "sh(multi(2,%s))" % three, "wsh(sortedmulti(1,%s))" % three, "sh(wsh(multi(3,%s)))" % three)
    key = short[0] if short else "02" + "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    for wrong in ("", "foo", "foo(1)", "raw(0)", "raw(xy)", "addr(x)", "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5)", "pk()", "pk(%s" % key, "pk(%s)x" % key, "pkh(00)",
                  "pk(05%s)" % key[2:], "wpkh(04%s)" % ("11" * 64), "tr(%s)" % ("ff" * 32), "wsh(wsh(pk(%s)))" % key, "wsh(wpkh(%s))" % key, "sh(sh(pk(%s)))" % key, "sh(addr(x))",
                  "wsh(combo(%s))" % key, "sh(tr(%s))" % key, "sh(%s)" % key, "multi(3,%s)" % key, "multi(0,%s)" % key, "multi(x,%s)" % key, "multi(1)", "multi(1,%s,%s,%s,%s)" % ((key,) * 4),
                  "multi(1,zz)", "raw(51)#abcdefgh", "raw(51)#abc", "raw(51)#a#b", "raw(5\u00e91)", "pk([d34db33]%s)" % key, "pk([d34db33f/x]%s)" % key, "pk(]%s)" % key, "pk([zzzzzzzz]%s)" % key):
        pair.compare_refusal("scantxoutset", "start", json.dumps([wrong]))
    pair.compare_refusal("scantxoutset", "start", "[1]")
    pair.compare_refusal("scantxoutset", "start", "[{}]")
    pair.compare_refusal("scantxoutset", "start", "{}")
    pair.compare_refusal("scantxoutset", "start", "x")
    pair.compare_refusal("scantxoutset", "start")
    pair.compare_refusal("scantxoutset", "stop")
    for address in addresses[:5]:  # ours alone: a bare address
        bare, full = (pair.lode("scantxoutset", "start", json.dumps([form % address])).stdout for form in ("%s", "addr(%s)"))
        if bare != full:
            pair.say(("scantxoutset", address), bare, full)


def check(pair):
    height = int(pair.compare("getblockcount"))
    for level in range(5):
        pair.compare("verifychain", str(level), "0")
    pair.compare("verifychain")
    pair.compare("verifychain", "4", "10")
    pair.compare_refusal("verifychain", "x")
    pair.compare_refusal("verifychain", '"3"')
    check_scan(pair, height)
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
    if are_absent("snapshots beside bitcoind"):
        return 77
    if not os.path.exists(os.path.join(DATA, "blocks/regtest-all.dat")):
        print("given data is absent, skipped")
        return 77
    random.seed(7)
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
