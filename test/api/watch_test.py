#!/usr/bin/env python3
"""example/watch tells each block once, in order, and the coins that `lode scantxoutset` finds on the same chain.

Run in the build folder; makes its chain with lode-genchain.
"""
import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

BUILD = os.getcwd()
failures = 0


def check(what, got, want):
    global failures
    if got != want:
        failures += 1
        print("FAIL %s: %s, expected %s" % (what, str(got)[:300], str(want)[:300]))


def run(*command):
    return subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], capture_output=True, text=True)


def lode(room, *command):
    p = run("lode", "-regtest", "-datadir=" + os.path.join(room, "imported"), *command)
    if p.returncode:
        sys.exit("lode %s: status %d: %s" % (command[0], p.returncode, p.stderr))
    return p.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="lode-watch.") as room:
        chain = os.path.join(room, "chain.dat")
        p = run("lode-genchain", "--mix=2024", "--size=300K", "--out=" + chain)
        check("chain made", p.returncode, 0)
        os.mkdir(os.path.join(room, "imported"))
        lode(room, "import", chain)
        height, best = int(lode(room, "getblockcount")), lode(room, "getbestblockhash").strip()
        first = json.loads(lode(room, "getblock", lode(room, "getblockhash", str(height)).strip(), "2"))
        script = first["tx"][0]["vout"][0]["scriptPubKey"]["hex"]
        scan = json.loads(lode(room, "scantxoutset", "start", '["raw(%s)"]' % script), parse_float=Decimal)
        wanted = sorted("%s:%d %d satoshis" % (u["txid"], u["vout"], u["amount"] * 100000000) for u in scan["unspents"])

        p = run("example/watch", os.path.join(room, "watched"), "regtest", script, chain)
        check("status", (p.returncode, p.stderr), (0, ""))
        lines = p.stdout.splitlines()
        events = [line.split() for line in lines if line.startswith(("+ ", "- "))]
        check("one event for each block, in order", [(e[0], int(e[1])) for e in events],
              [("+", h) for h in range(1, height + 1)])
        check("the last is the best block", events[-1][2] if events else None, best)
        coins = sorted(line.split(",")[0] for line in lines if " satoshis, height " in line)
        check("coins", coins, wanted)
        check("some coins", len(wanted) > 0, True)
        check("sum", lines[-1], "%d coins, %d satoshis, at height %d" %
              (len(wanted), scan["total_amount"] * 100000000, height))

        p = run("example/watch", os.path.join(room, "watched"), "regtest", script, chain)
        check("nothing changes when it is read again", "0 changes of the best chain" in p.stdout.splitlines(), True)
        check("usage", run("example/watch", room, "regtest", "zz", chain).returncode, 2)
        check("a missing file", run("example/watch", os.path.join(room, "w"), "regtest", script, "/nonexistent").returncode, 1)
    sys.exit(1 if failures else 0)


main()
