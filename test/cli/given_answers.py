#!/usr/bin/env python3
"""Imports the given chains and compares the program's answers with those that Bitcoin Core gave.

Run in the build folder. $LODE names the program, $LODE_DATA the given data (else ../shared/data beside the sources).
"""
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("LODE_DATA") or os.path.join(HERE, "../../../shared/data")
LODE = os.environ.get("LODE") or os.path.join(os.getcwd(), "lode")
CHAINS = (("mainnet-0-2100", []), ("testnet3-0-2100", ["-testnet"]), ("regtest-all", ["-regtest"]))
failures = 0


def check(what, got, want):
    global failures
    if got == want:
        return
    failures += 1
    print("FAIL %s: %s, expected %s" % (what, str(got)[:300], str(want)[:300]))


def call(args, *command):
    p = subprocess.run([LODE, *args, *command], capture_output=True, text=True)
    if p.returncode:
        return "status %d: %s" % (p.returncode, p.stderr.strip())
    try:
        return json.loads(p.stdout, parse_float=Decimal) if p.stdout.strip() else None
    except ValueError:
        return p.stdout.strip()


def compare_chain(name, args, want):
    check(name + " getblockcount", call(args, "getblockcount"), want["height"])
    check(name + " getbestblockhash", call(args, "getbestblockhash"), want["bestblockhash"])
    set_info = call(args, "gettxoutsetinfo")
    for key, value in want["gettxoutsetinfo"].items():
        value = Decimal(value) if key == "total_amount" else value
        check("%s gettxoutsetinfo %s" % (name, key), set_info.get(key) if isinstance(set_info, dict) else set_info, value)
    muhash = call(args, "gettxoutsetinfo", "muhash")
    check(name + " muhash", muhash.get("muhash") if isinstance(muhash, dict) else muhash, want["muhash"])
    info = call(args, "getblockchaininfo")
    check(name + " chainwork", info.get("chainwork") if isinstance(info, dict) else info, want["chainwork"])
    check(name + " getchaintips", call(args, "getchaintips"), want["chaintips"])
    for height, block in want["blockhashes"].items():
        check("%s getblockhash %s" % (name, height), call(args, "getblockhash", height), block)


def compare_transactions(name, args, want):
    for tx in want["transactions"]:
        txid = tx["txid"]
        raw = call(args, "getrawtransaction", txid)
        try:
            digest = hashlib.sha256(bytes.fromhex(raw)).hexdigest()
        except (TypeError, ValueError):
            digest = raw
        check("%s %s bytes" % (name, txid), digest, tx["hex_sha256"])
        told = call(args, "getrawtransaction", txid, "1")
        for key in ("blockhash", "size", "vsize", "hash"):
            check("%s %s %s" % (name, txid, key), told.get(key) if isinstance(told, dict) else told, tx[key])


def compare_coins(name, args, want):
    for row in want["coins"]:
        got = call(args, "gettxout", row["txid"], str(row["n"]))
        if isinstance(got, dict):
            got = dict(value=str(got["value"]), scriptPubKey=got["scriptPubKey"]["hex"], coinbase=got["coinbase"], confirmations=got["confirmations"])
        coin = row["coin"] and dict(row["coin"], value=str(row["coin"]["value"]))
        check("%s gettxout %s %d" % (name, row["txid"], row["n"]), got, coin)


def shuffled_copy(source, work, seed):
    """The same records in another order."""
    data = open(source, "rb").read()
    records, at = [], 0
    while at + 8 <= len(data):
        size = struct.unpack("<I", data[at + 4:at + 8])[0]
        records.append(data[at:at + 8 + size])
        at += 8 + size
    random.Random(seed).shuffle(records)
    path = os.path.join(work, "shuffled.dat")
    with open(path, "wb") as f:
        f.write(b"".join(records))
    return path


def compare_variations(name, args, want):
    """The coins do not depend on threads, cache, order of blocks, or whether scripts run."""
    source = os.path.join(DATA, "blocks", name + ".dat")
    for options in (["-par=1"], ["-par=2", "-dbcache=4"], ["-par=8", "-txindex"], ["-par=8", "-dbcache=4", "-txindex"], ["-dbcache=2000"], ["-checksigs=0"],
                    ["-blocksxor"], ["shuffled", "-par=2"], ["shuffled", "-par=8", "-dbcache=4", "-txindex"]):
        work = tempfile.mkdtemp(prefix="lode-given-")
        try:
            what = "%s %s" % (name, " ".join(options))
            file = shuffled_copy(source, work, 1) if options[0] == "shuffled" else source
            directory = args + ["-datadir=" + os.path.join(work, "d")]
            p = subprocess.run([LODE, *directory, *[o for o in options if o != "shuffled"], "import", file], capture_output=True, text=True)
            check(what, (p.returncode, p.stderr[-500:] if p.returncode else ""), (0, ""))
            stats = call(directory, "stats")
            stats = stats if isinstance(stats, dict) else {}
            check(what, [stats.get(k) for k in ("height", "bestblockhash", "hash_serialized_3", "muhash", "chainwork")],
                  [want["height"], want["bestblockhash"], want["gettxoutsetinfo"]["hash_serialized_3"], want["muhash"], want["chainwork"]])
        finally:
            shutil.rmtree(work, ignore_errors=True)


def main():
    if not os.path.isdir(os.path.join(DATA, "expected")):
        print("given data is absent, skipped: " + os.path.join(DATA, "expected"))
        return 77
    for name, args in CHAINS:
        want = json.load(open(os.path.join(DATA, "expected", name + ".json")), parse_float=Decimal)
        compare_variations(name, args, want)
        work = tempfile.mkdtemp(prefix="lode-given-")
        try:
            args = args + ["-datadir=" + work]
            p = subprocess.run([LODE, *args, "-txindex", "import", os.path.join(DATA, "blocks", name + ".dat")], capture_output=True, text=True)
            check(name + " import", (p.returncode, p.stderr[-500:] if p.returncode else ""), (0, ""))
            compare_chain(name, args, want)
            compare_transactions(name, args, want)
            compare_coins(name, args, want)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        print("%s: %d differences so far" % (name, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
