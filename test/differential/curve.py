"""secp256k1 and the hashes that are signed, just enough to make test spends. Slow, and never for real keys."""
import struct

from chain_bytes import compact, sha256, sha256d, tagged

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(k, point=G):
    total = None
    while k:
        if k & 1:
            total = add(total, point)
        point = add(point, point)
        k >>= 1
    return total


def public(k):
    x, y = times(k)
    return bytes([2 + (y & 1)]) + x.to_bytes(32, "big")


def der_int(v, pad=0):
    b = v.to_bytes((v.bit_length() + 8) // 8 or 1, "big")
    b = bytes(pad) + b
    return b"\x02" + bytes([len(b)]) + b


def ecdsa(k, digest, high=False, pad=0):
    """DER with `pad` zero bytes too many in front of R, and S high if asked for."""
    z = int.from_bytes(digest, "big")
    nonce = int.from_bytes(sha256(digest + k.to_bytes(32, "big")), "big") % N
    r = times(nonce)[0] % N
    s = pow(nonce, -1, N) * (z + r * k) % N
    if (s > N // 2) != high:
        s = N - s
    body = der_int(r, pad) + der_int(s)
    return b"\x30" + bytes([len(body)]) + body


def schnorr(k, digest):
    point = times(k)
    if point[1] & 1:
        k = N - k
    x = point[0].to_bytes(32, "big")
    nonce = int.from_bytes(tagged("BIP0340/nonce", k.to_bytes(32, "big") + x + digest), "big") % N
    r = times(nonce)
    if r[1] & 1:
        nonce = N - nonce
    rx = r[0].to_bytes(32, "big")
    e = int.from_bytes(tagged("BIP0340/challenge", rx + x + digest), "big") % N
    return rx + ((nonce + e * k) % N).to_bytes(32, "big")


def tweak(k, root=b""):
    """Secret key and x-only public key of the output for internal key k and a tree."""
    point = times(k)
    if point[1] & 1:
        k = N - k
    x = point[0].to_bytes(32, "big")
    k = (k + int.from_bytes(tagged("TapTweak", x + root), "big")) % N
    out = times(k)
    return k, out[0].to_bytes(32, "big"), out[1] & 1, x


def sighash_legacy(tx, at, script_code, kind=1):
    ins = b"".join(i.outpoint() + (compact(len(script_code)) + script_code if j == at else b"\x00") + struct.pack("<I", i.sequence)
                   for j, i in enumerate(tx.ins))
    outs = b"".join(struct.pack("<q", v) + compact(len(s)) + s for v, s in tx.outs)
    return sha256d(struct.pack("<I", tx.version & 0xffffffff) + compact(len(tx.ins)) + ins + compact(len(tx.outs)) + outs +
                   struct.pack("<II", tx.lock_time, kind))


def sighash_v0(tx, at, script_code, value):
    prevouts = sha256d(b"".join(i.outpoint() for i in tx.ins))
    sequences = sha256d(b"".join(struct.pack("<I", i.sequence) for i in tx.ins))
    outs = sha256d(b"".join(struct.pack("<q", v) + compact(len(s)) + s for v, s in tx.outs))
    i = tx.ins[at]
    return sha256d(struct.pack("<I", tx.version & 0xffffffff) + prevouts + sequences + i.outpoint() + compact(len(script_code)) + script_code +
                   struct.pack("<qI", value, i.sequence) + outs + struct.pack("<II", tx.lock_time, 1))


def sighash_taproot(tx, at, spent):
    """Key path, SIGHASH_DEFAULT, no annex; `spent` are the coins of all inputs."""
    m = b"\x00\x00" + struct.pack("<II", tx.version & 0xffffffff, tx.lock_time)
    m += sha256(b"".join(i.outpoint() for i in tx.ins)) + sha256(b"".join(struct.pack("<q", c.value) for c in spent))
    m += sha256(b"".join(compact(len(c.script)) + c.script for c in spent)) + sha256(b"".join(struct.pack("<I", i.sequence) for i in tx.ins))
    m += sha256(b"".join(struct.pack("<q", v) + compact(len(s)) + s for v, s in tx.outs)) + b"\x00" + struct.pack("<I", at)
    return tagged("TapSighash", m)
