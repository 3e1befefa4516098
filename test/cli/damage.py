#!/usr/bin/env python3
"""Databases of a data directory are damaged, and the program run on it: what it says, and what its advice is worth.

Damage is told with its file, and with what rebuilds that database; no total is told of a set that cannot be read whole;
the advice works, touches nothing else, and the end is as before. Run in the build folder.
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

LODE = os.environ.get("LODE") or os.path.join(os.getcwd(), "lode")
GENCHAIN = os.environ.get("GENCHAIN") or os.path.join(os.getcwd(), "lode-genchain")
failures = 0


def check(name, is_right, *text):
    global failures
    print(("ok   " if is_right else "FAIL ") + name, *([] if is_right else text))
    failures += not is_right


def lode(datadir, *arguments):
    return subprocess.run([LODE, "-regtest", "-datadir=" + datadir, *arguments], capture_output=True, text=True)


def digest(folder):
    sums = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                sums[os.path.join(path, name)] = hashlib.sha256(file.read()).hexdigest()
    return sums


def coins(datadir):
    p = lode(datadir, "gettxoutsetinfo", "muhash")
    return json.loads(p.stdout)["muhash"] if p.returncode == 0 else p


class Directory:
    """A copy of the sound one, gone at the end."""

    def __init__(self, work, sound):
        self.path = os.path.join(work, "copy")
        shutil.copytree(sound, self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def at(self, *parts):
        return os.path.join(self.path, "regtest", *parts)

    def victim(self, part):
        """The largest table; the manifest where all is in the log still."""
        return max(glob.glob(self.at(part, "*.ldb")) or glob.glob(self.at(part, "MANIFEST-*")), key=os.path.getsize)


def flip_bytes(path):
    """One in every KiB, the first near the start: no block of a table is sound, and no manifest."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        for at in range(20, len(data), 1024):
            data[at] ^= 1
        file.seek(0)
        file.write(data)


def remove(path):
    os.remove(path)


DATABASES = {
    # folder: (a command that reads it all or fails, words of the advice, the advice)
    "chainstate": (["gettxoutsetinfo"], "-reindex-chainstate", ["-reindex-chainstate", "import"]),
    "indexes/txindex": (["check"], "remove its folder and import with -txindex", ["-txindex", "import"]),
    "blocks/index": (["getblockcount"], "-reindex", ["-reindex", "-txindex", "import"]),
}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def block_kinds(table):
    """How each block of a LevelDB table is stored: 0 is plain, 1 snappy."""
    with open(table, "rb") as file:
        data = file.read()
    _, at = varint(data, len(data) - 48)
    _, at = varint(data, at)
    offset, at = varint(data, at)
    size, at = varint(data, at)
    kinds, end = {data[offset + size]}, offset + size
    end -= 4 + 4 * int.from_bytes(data[end - 4 : end], "little")
    while offset < end:
        _, offset = varint(data, offset)
        own, offset = varint(data, offset)
        length, offset = varint(data, offset)
        first, at = varint(data, offset + own)
        many, _ = varint(data, at)
        kinds.add(data[first + many])
        offset += own + length
    return kinds


def cores_leveldb_has_no_snappy(sound):
    tables = glob.glob(os.path.join(sound, "regtest", "**", "*.ldb"), recursive=True)
    check("blocks_of_%d_tables_are_plain" % len(tables), tables and all(block_kinds(t) == {0} for t in tables))


def damaged_part(work, sound, txids, part, damage):
    read, words, advice = DATABASES[part]
    name = "%s_%s" % (part.replace("/", "_"), damage.__name__)
    with Directory(work, sound) as d:
        victim = d.victim(part)
        others = {p: s for p, s in digest(d.path).items() if "/" + part + "/" not in p}
        damage(victim)
        p = lode(d.path, *read)
        said = p.stdout + p.stderr
        check(name + "_is_an_error", p.returncode != 0, p)
        check(name + "_names_the_file", os.path.basename(victim) in said, said)
        if part == "indexes/txindex":
            for txid in txids:
                p = lode(d.path, "getrawtransaction", txid)
                if p.returncode:
                    break
            check(name + "_leaves_the_coins_alone", coins(d.path) == coins(sound))
        check(name + "_tells_what_rebuilds_it", words in p.stderr, p.stderr)
        check(name + "_is_not_touched_by_readers", {q: s for q, s in digest(d.path).items() if q in others} == others)
        if part == "indexes/txindex":
            shutil.rmtree(d.at(part))
        p = lode(d.path, *advice)
        check(name + "_is_rebuilt", p.returncode == 0, p.stderr)
        check(name + "_ends_with_the_same_coins", coins(d.path) == coins(sound), coins(d.path))
        found = [lode(d.path, "getrawtransaction", t).returncode for t in txids]
        check(name + "_ends_with_every_transaction", not any(found), found)


def index_of_a_longer_chain(work, sound, chain, txids):
    """The transaction index stands at a block that the block index has never heard of."""
    short = os.path.join(work, "short.dat")
    with open(chain, "rb") as whole, open(short, "wb") as part:
        part.write(whole.read()[: os.path.getsize(chain) * 3 // 4])
    with Directory(work, sound) as d:
        shutil.rmtree(d.path)
        lode(d.path, "-txindex", "import", short)
        below = json.loads(lode(d.path, "getblockcount").stdout)
        shutil.rmtree(d.at("indexes"))
        shutil.copytree(os.path.join(sound, "regtest/indexes"), d.at("indexes"))
        p = lode(d.path, "-txindex", "import")
        check("an_index_ahead_of_its_chain_finds_its_way_back", p.returncode == 0, p.stderr)
        info = json.loads(lode(d.path, "getindexinfo").stdout)["txindex"]
        check("and_stands_at_the_tip", info["best_block_height"] == below and info["synced"], info)
        p = lode(d.path, "-txindex", "import", chain)
        check("and_goes_on", p.returncode == 0 and coins(d.path) == coins(sound), p.stderr)
        check("and_has_every_transaction", not any(lode(d.path, "getrawtransaction", t).returncode for t in txids))


def notes_of_our_own(work, sound):
    """They may be cut anywhere, or be gone."""
    with Directory(work, sound) as d:
        for path in [p for p in glob.glob(d.at("lode", "*")) if os.path.isfile(p)]:
            size = os.path.getsize(path)
            for cut in {1, 2, 7, size // 2, size} - {0}:
                os.truncate(path, max(size - cut, 0))
                p = lode(d.path, "-txindex", "import")
                check("a_note_cut_by_%d_does_no_harm" % cut, p.returncode == 0, p.stderr)
        shutil.rmtree(d.at("lode"), ignore_errors=True)
        check("without_notes_it_goes_on", lode(d.path, "-txindex", "import").returncode == 0)
        check("with_the_same_coins", coins(d.path) == coins(sound))


def main():
    if not os.access(GENCHAIN, os.X_OK):
        print("lode-genchain is not built, skipped")
        return 77
    work = tempfile.mkdtemp(prefix="lode-damage-")
    try:
        chain, sound = os.path.join(work, "chain.dat"), os.path.join(work, "sound")
        subprocess.run([GENCHAIN, "--grow=40K", "--mix=2017", "--fan-out-size=500", "--out=" + chain], check=True, stderr=subprocess.DEVNULL)
        os.mkdir(sound)
        p = lode(sound, "-txindex", "import", chain)
        check("the_chain_is_imported", p.returncode == 0, p.stderr)
        tip = json.loads(lode(sound, "getblockcount").stdout)
        blocks = [lode(sound, "getblockhash", str(h)).stdout.strip() for h in (1, tip // 2, tip)]
        txids = [t for b in blocks for t in json.loads(lode(sound, "getblock", b).stdout)["tx"]][:40]
        cores_leveldb_has_no_snappy(sound)
        for part in DATABASES:
            for damage in (flip_bytes, remove):
                damaged_part(work, sound, txids, part, damage)
        index_of_a_longer_chain(work, sound, chain, txids)
        notes_of_our_own(work, sound)
    finally:
        shutil.rmtree(work)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
