"""Bytes of blocks and transactions, written without asking whether they are valid."""
import hashlib
import struct


def sha256(b):
    return hashlib.sha256(b).digest()


def sha256d(b):
    return sha256(sha256(b))


def hash160(b):
    return hashlib.new("ripemd160", sha256(b)).digest()


def tagged(tag, b):
    t = sha256(tag.encode())
    return sha256(t + t + b)


def compact(n, width=0):
    """CompactSize; a width of 3, 5 or 9 forces a longer form than is due."""
    if width == 3 or (not width and 253 <= n < 0x10000):
        return b"\xfd" + struct.pack("<H", n)
    if width == 5 or (not width and 0x10000 <= n < 0x100000000):
        return b"\xfe" + struct.pack("<I", n)
    if width == 9 or n >= 0x100000000:
        return b"\xff" + struct.pack("<Q", n)
    return bytes([n])


def data(b):
    """Shortest push that is not a number."""
    n = len(b)
    if n < 76:
        return bytes([n]) + b
    if n < 256:
        return b"\x4c" + bytes([n]) + b
    if n < 0x10000:
        return b"\x4d" + struct.pack("<H", n) + b
    return b"\x4e" + struct.pack("<I", n) + b


def number(n):
    """A script number, pushed as CScript << n pushes it."""
    if n == 0:
        return b"\x00"
    if n == -1 or 1 <= n <= 16:
        return bytes([0x50 + n])
    out, rest = bytearray(), abs(n)
    while rest:
        out.append(rest & 255)
        rest >>= 8
    if out[-1] & 0x80:
        out.append(0x80 if n < 0 else 0)
    elif n < 0:
        out[-1] |= 0x80
    return data(bytes(out))


class In:
    def __init__(self, txid, n, script=b"", sequence=0xffffffff, witness=()):
        self.txid, self.n, self.script, self.sequence, self.witness = txid, n, script, sequence, list(witness)

    def outpoint(self):
        return self.txid + struct.pack("<I", self.n)


class Tx:
    def __init__(self, ins, outs, version=2, lock_time=0):
        self.ins, self.outs, self.version, self.lock_time = ins, outs, version, lock_time
        self.count_width = 0    # of the number of inputs
        self.flag = None        # the byte behind the marker; None: 1 with witnesses, else no marker
        self.bare_flag = False  # marker and flag even though no input has a witness

    def has_witness(self):
        return any(i.witness for i in self.ins)

    def body(self):
        ins = b"".join(i.outpoint() + compact(len(i.script)) + i.script + struct.pack("<I", i.sequence) for i in self.ins)
        outs = b"".join(struct.pack("<q", v) + compact(len(s)) + s for v, s in self.outs)
        return compact(len(self.ins), self.count_width) + ins + compact(len(self.outs)) + outs

    def base(self):
        return struct.pack("<I", self.version & 0xffffffff) + self.body() + struct.pack("<I", self.lock_time)

    def whole(self):
        if not self.has_witness() and not self.bare_flag and self.flag is None:
            return self.base()
        stacks = b"".join(compact(len(i.witness)) + b"".join(compact(len(w)) + w for w in i.witness) for i in self.ins)
        flag = 1 if self.flag is None else self.flag
        return (struct.pack("<I", self.version & 0xffffffff) + b"\x00" + bytes([flag]) + self.body() +
                (stacks if flag & 1 else b"") + struct.pack("<I", self.lock_time))

    def txid(self):
        return sha256d(self.base())

    def wtxid(self):
        return sha256d(self.whole())


def merkle(leaves):
    if not leaves:
        return bytes(32)
    while len(leaves) > 1:
        if len(leaves) & 1:
            leaves = leaves + leaves[-1:]
        leaves = [sha256d(leaves[i] + leaves[i + 1]) for i in range(0, len(leaves), 2)]
    return leaves[0]


def is_below(h, bits):
    size, word = bits >> 24, bits & 0x7fffff
    target = word << 8 * (size - 3) if size > 3 else word >> 8 * (3 - size)
    return int.from_bytes(h, "little") <= target


COMMITMENT = bytes.fromhex("6a24aa21a9ed")


class Block:
    def __init__(self, prev, time, txs, bits=0x207fffff, version=0x20000000):
        self.prev, self.time, self.txs, self.bits, self.version = prev, time, txs, bits, version
        self.nonce = 0
        self.root = None         # None: the right one
        self.count_width = 0
        self.tail = b""
        self.shows_work = True
        self.is_cut = 0          # bytes missing at the end

    def commit(self, nonce=bytes(32), spoil=False):
        """Puts a commitment into the coinbase, and the reserved value into its witness."""
        leaves = [bytes(32)] + [t.wtxid() for t in self.txs[1:]]
        h = sha256d(merkle(leaves) + nonce)
        if spoil:
            h = bytes([h[0] ^ 1]) + h[1:]
        self.txs[0].outs.append((0, COMMITMENT + h))
        self.txs[0].ins[0].witness = [nonce]

    def header(self):
        root = self.root if self.root is not None else merkle([t.txid() for t in self.txs])
        return (struct.pack("<I", self.version & 0xffffffff) + self.prev + root + struct.pack("<II", self.time & 0xffffffff, self.bits) +
                struct.pack("<I", self.nonce))

    def mine(self):
        head = self.header()[:76]
        while is_below(sha256d(head + struct.pack("<I", self.nonce)), 0x207fffff) != self.shows_work:
            self.nonce += 1
        return self

    def hash(self):
        return sha256d(self.header())

    def raw(self):
        b = self.header() + compact(len(self.txs), self.count_width) + b"".join(t.whole() for t in self.txs) + self.tail
        return b[:len(b) - self.is_cut]

    def base_size(self):
        return 80 + len(compact(len(self.txs))) + sum(len(t.base()) for t in self.txs)

    def weight(self):
        return 3 * self.base_size() + 80 + len(compact(len(self.txs))) + sum(len(t.whole()) for t in self.txs)
