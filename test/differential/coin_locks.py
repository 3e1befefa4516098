"""Outputs and the ways to spend them, most without a signature; spoiled ways as well.

lock(kind, rng) gives a Lock: its script, and what its spender has to know. unlock(tx, at, coins, rng, spoil) writes script
and witness of one input. Nobody here decides what is valid: the oracle does.
"""
import struct

import curve
from chain_bytes import compact, data, hash160, number, sha256, tagged

KEYS = list(range(1, 9))
PUBLIC = {k: curve.public(k) for k in KEYS}
TWEAKED = {}
INTERNAL = PUBLIC[7][1:]

SAFE = ["true", "sh", "wsh", "sh_wsh", "tr_script", "multisig_0", "not_checksig", "cltv", "csv"]
SIGNED = ["p2pk", "p2pkh", "p2wpkh", "tr_key"]
ODD = ["tr_leaf_version", "tr_success", "wit_unknown", "tr_odd_size", "limits", "sigops_sh", "sigops_wsh", "raw"]


class Lock:
    def __init__(self, kind, script, **more):
        self.kind, self.script = kind, script
        self.__dict__.update(more)


def tr(leaf, version=0xc0):
    """Output script, and control block of its one leaf."""
    root = tagged("TapLeaf", bytes([version]) + compact(len(leaf)) + leaf)
    key = (leaf, version)
    if key not in TWEAKED:
        point = curve.add(curve.times(7) if PUBLIC[7][0] == 2 else curve.times(curve.N - 7),
                          curve.times(int.from_bytes(tagged("TapTweak", INTERNAL + root), "big")))
        TWEAKED[key] = (point[0].to_bytes(32, "big"), point[1] & 1)
    x, parity = TWEAKED[key]
    return b"\x51\x20" + x, bytes([version | parity]) + INTERNAL


def own_key(k):
    if ("own", k) not in TWEAKED:
        TWEAKED["own", k] = curve.tweak(k)
    return TWEAKED["own", k]


def limit_script(rng):
    """Scripts at the limits, one way or the other: all stand in P2SH, P2WSH, tapscript or bare."""
    return rng.choice([
        b"\x61" * 201 + b"\x51", b"\x61" * 202 + b"\x51", b"\x51" + b"\x00\x63" + b"\x61" * 198 + b"\x68", b"\x51" + b"\x00\x63" + b"\x61" * 199 + b"\x68",
        b"\x51\x75" * 4999 + b"\x51\x51", data(bytes(520)) + b"\x75\x51", data(bytes(521)) + b"\x75\x51", b"\x51\x00\x63" + data(bytes(521)) + b"\x68",
        b"\x51" * 1000, b"\x51" * 1001, b"\x51" * 999 + b"\x6b\x51", b"\x51" * 999 + b"\x6b\x51\x51", b"\x51" * 998 + b"\x6e",
        (data(bytes(500)) + b"\x75") * 19 + b"\x61" * 121 + b"\x51", b"\x51" + b"\x00\x63\xba\x68", b"\x51\x00\x63\x7e\x68", b"\x51\x00\x63\x65\x68",
        b"\x51\x00\x63\x50\x68", b"\x51\x4c", b"\x51\x6a", b"\xff", b"\x51\x61\x80", b"\x00", b"\x01\x80", b"\x02\x00\x80", b"\x51\x63", b"\x51\x68",
        b"\x00\x00\x00\xae", b"\x00\x00" + number(20) + b"\xae", b"\x00\x00" + number(21) + b"\xae", b"\x00" * 21 + number(20) + b"\xae",
        b"\x05" + bytes(5) + b"\x8b", b"\x04\xff\xff\xff\x7f\x8b\x92", b"\xab\x51", b"\x51\xab", number(500) + b"\xb1\xb2\x51\x6d\x51", b"\x51\xb0\xb3\xb9",
    ])


def pad(script, size):
    """The same script with data in front that is dropped, `size` bytes in all."""
    out = b""
    while size - len(script) - len(out) > 530:
        out += data(bytes(500)) + b"\x75"
    rest = size - len(script) - len(out)
    return out + (data(bytes(rest - 4)) + b"\x75" if rest > 260 else b"\x61" * rest) + script


def many_sigops(rng, kind):
    """Never run, but counted: about `count` operations in front of a true."""
    op = rng.choice([b"\xac", b"\xae", b"\xad", b"\xaf", b"\x52\xae", b"\x60\xaf", b"\x00\xae", b"\x01\x02\xae"])
    count = rng.choice([1, 20, 100, 190])
    return b"\x00\x63" + op * min(count, 480 // len(op)) + b"\x68\x51"


def lock(kind, rng):
    k = rng.choice(KEYS)
    if kind == "true":
        return Lock(kind, b"\x51")
    if kind in ("sh", "wsh", "sh_wsh", "tr_script", "cltv", "csv", "limits", "sigops_sh", "sigops_wsh", "raw"):
        inner, where = b"\x51", kind
        lock_value = None
        if kind == "cltv":
            lock_value = rng.choice([1, 90, 110, 120, 140, 499999999, 500000000, 1296688602 + 600 * rng.randrange(90, 180)])
            inner, where = number(lock_value) + b"\xb1\x75\x51", rng.choice(["bare", "sh", "wsh", "tr_script"])
        elif kind == "csv":
            lock_value = rng.choice([1, 5, 10, 16, 0x400001, 0x400003, 0x80000001, 0x80400001])
            inner, where = number(lock_value) + b"\xb2\x75\x51", rng.choice(["bare", "sh", "wsh", "tr_script"])
        elif kind in ("limits", "raw"):
            inner, where = limit_script(rng), rng.choice(["bare", "bare", "sh", "wsh", "sh_wsh", "tr_script"])
            if rng.random() < 0.3:
                inner = pad(inner, rng.choice([520, 521, 9999, 10000, 10001, 10002]))
            if where == "tr_script" and len(inner) > 3600:
                where = "wsh"
        elif kind.startswith("sigops"):
            inner, where = many_sigops(rng, kind), rng.choice(["sh"] if kind == "sigops_sh" else ["wsh", "sh_wsh"])
        if where == "bare":
            return Lock(kind, inner, inner=inner, where=where, value_of_lock=lock_value)
        if where == "sh":
            return Lock(kind, b"\xa9\x14" + hash160(inner) + b"\x87", inner=inner, where=where, value_of_lock=lock_value)
        if where == "tr_script":
            script, control = tr(inner)
            return Lock(kind, script, inner=inner, where=where, control=control, value_of_lock=lock_value)
        program = b"\x00\x20" + sha256(inner)
        if where == "wsh":
            return Lock(kind, program, inner=inner, where=where, value_of_lock=lock_value)
        return Lock(kind, b"\xa9\x14" + hash160(program) + b"\x87", inner=inner, program=program, where=where, value_of_lock=lock_value)
    if kind == "tr_leaf_version":
        leaf = rng.choice([b"\x00", b"\x6a", b"\x4c", b""])
        version = rng.choice([0xc2, 0xc4, 0x66, 0xfe, 0x50, 0xc0])
        script, control = tr(leaf, version)
        return Lock(kind, script, inner=leaf, control=control, where="tr_script")
    if kind == "tr_success":
        leaf = rng.choice([b"\x50", b"\x50\x4c", b"\x4c\x50", b"\x6a\xbb", b"\x00\x63\xfe\x68", b"\x51\x02\x50", b"\x80" + data(bytes(600)), data(bytes(521)) + b"\xc0", b"\xff", b"\xfe"])
        script, control = tr(leaf)
        return Lock(kind, script, inner=leaf, control=control, where="tr_script")
    if kind == "wit_unknown":
        size = rng.choice([2, 3, 20, 32, 33, 40])
        return Lock(kind, bytes([rng.choice([0x52, 0x5a, 0x60]), size]) + bytes(size))
    if kind == "tr_odd_size":
        size = rng.choice([2, 4, 31, 33, 40, 41, 1])
        return Lock(kind, bytes([0x51 if rng.random() < .7 else 0, size]) + b"\x01" * size)
    if kind == "multisig_0":
        return Lock(kind, b"\x00\x00\xae")
    if kind == "not_checksig":
        return Lock(kind, data(PUBLIC[k]) + b"\xac\x91", key=k)
    if kind == "p2pk":
        return Lock(kind, data(PUBLIC[k]) + b"\xac", key=k)
    if kind == "p2pkh":
        return Lock(kind, b"\x76\xa9\x14" + hash160(PUBLIC[k]) + b"\x88\xac", key=k)
    if kind == "p2wpkh":
        return Lock(kind, b"\x00\x14" + hash160(PUBLIC[k]), key=k)
    if kind == "tr_key":
        return Lock(kind, b"\x51\x20" + own_key(k)[1], key=k)
    raise ValueError(kind)


BAD_DER = [b"\x01", b"\x30\x01", bytes.fromhex("300602010102010101"), bytes.fromhex("30080202000102010101"), bytes.fromhex("3006020101020181" + "01"),
           bytes.fromhex("3007020101020101" + "0001"), bytes.fromhex("308106020101020101" + "01"), bytes.fromhex("30060201010201ff01"), bytes(72), bytes.fromhex("3006020100020100" + "01"),
           bytes.fromhex("30060201010201010104"), bytes.fromhex("308402010102010101"), b"\x30" * 520]


def ecdsa_of(k, digest, rng, spoil):
    if spoil == "der":  # good numbers, written loosely: fine before BIP 66
        sig = rng.choice([curve.ecdsa(k, digest, pad=1), curve.ecdsa(k, digest, pad=30), curve.ecdsa(k, digest) + b"\x00\x00", curve.ecdsa(k, digest, high=True),
                          b"\x30\x81" + curve.ecdsa(k, digest)[1:], b"\x30\xff" + curve.ecdsa(k, digest)[2:], b"\x31" + curve.ecdsa(k, digest)[1:],
                          b"\x30\x00" + curve.ecdsa(k, digest)[2:], b"\x30\x82\x00" + curve.ecdsa(k, digest)[1:], curve.ecdsa(k, digest)[:-1]])
        return sig + b"\x01"
    sig = curve.ecdsa(k, digest)
    if spoil == "bad":
        sig = sig[:-1] + bytes([sig[-1] ^ 1])
    if spoil == "empty":
        return b""
    return sig + b"\x01"


def unlock(tx, at, coins, rng, spoil=None):
    i, coin = tx.ins[at], coins[at]
    want = coin.lock
    kind, inner = want.kind, getattr(want, "inner", None)
    where = getattr(want, "where", None)
    i.script, i.witness = b"", []
    extra = [rng.choice([b"", b"\x01", bytes(520)])] if spoil == "extra" else []
    if spoil == "element":
        extra = [bytes(521)]
    if where == "bare":
        i.script = b"".join(data(e) for e in extra)
    elif where == "sh" or kind == "sh":
        i.script = b"".join(data(e) for e in extra) + data(inner)
        if spoil == "push":
            i.script = b"\x61" + i.script
    elif where in ("wsh", "sh_wsh"):
        i.witness = extra + [inner]
        if where == "sh_wsh":
            i.script = data(want.program)
            if spoil == "push":
                i.script = rng.choice([b"\x51", b"\x61", b"\x4c\x22" + want.program]) + i.script
        elif spoil == "push":
            i.script = b"\x51"
    elif where == "tr_script":
        control = want.control
        if spoil == "control":
            control = rng.choice([control[:-1], control + bytes(32), bytes([control[0] ^ 1]) + control[1:], control[:1], control + b"\x00", control[:33] + bytes(32 * 129)])
        i.witness = extra + [inner, control]
        if spoil in ("annex", "extra") and rng.random() < .7:
            i.witness.append(b"\x50" + bytes(rng.choice([0, 1, 1000])))
        if spoil == "push":
            i.script = b"\x51"
    elif kind == "multisig_0":
        i.script = {"bad": b"\x51", "extra": b"\x51\x00", "empty": b"", "element": data(bytes(1)), "push": b"\x61\x00"}.get(spoil, b"\x00")
    elif kind == "not_checksig":
        i.script = data(rng.choice(BAD_DER)) if spoil in ("bad", "der") else b"" if spoil == "empty" else b"\x00"
    elif kind in ("p2pk", "p2pkh"):
        i.script = data(ecdsa_of(want.key, curve.sighash_legacy(tx, at, want.script), rng, spoil)) + (data(PUBLIC[want.key]) if kind == "p2pkh" else b"")
        if spoil == "extra":
            i.witness = [b"\x01"]
    elif kind == "p2wpkh":
        code = b"\x76\xa9\x14" + want.script[2:] + b"\x88\xac"
        i.witness = extra + [ecdsa_of(want.key, curve.sighash_v0(tx, at, code, coin.value), rng, spoil), PUBLIC[want.key]]
        if spoil == "push":
            i.script = b"\x00"
    elif kind == "tr_key":
        sig = curve.schnorr(own_key(want.key)[0], curve.sighash_taproot(tx, at, coins))
        if spoil == "bad":
            sig = sig[:-1] + bytes([sig[-1] ^ 1])
        if spoil in ("der", "extra"):
            sig += rng.choice([b"\x00", b"\x01", b"\x04"])
        i.witness = [] if spoil == "empty" else [sig]
        if spoil == "annex":
            i.witness.append(b"\x50")
        if spoil == "push":
            i.script = b"\x51"
    elif kind in ("wit_unknown", "tr_odd_size"):
        i.witness = extra
    elif spoil:
        i.script = rng.choice([b"\x00", b"\x61", b"\x51", b"\x6a", b"\x4c", data(bytes(521))])


SPOILS = ["extra", "element", "push", "control", "annex", "bad", "der", "empty"]
