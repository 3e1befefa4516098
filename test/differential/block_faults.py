"""Blocks upon a parent: a good one, and what can be done to it.

A fault changes a plan at its stage: the transactions, their order, the coinbase, the commitment, the header, or the bytes.
Faults are put together at random, so a block is often wrong in several ways, or only looks wrong.
"""
import struct

import coin_locks
from chain_bytes import COMMITMENT, Block, In, Tx, compact, data, merkle, number, sha256d

COIN = 100000000
GENESIS_TIME = 1296688602


class Coin:
    def __init__(self, txid, n, value, lock, height, is_coinbase, clock):
        self.txid, self.n, self.value, self.lock, self.script = txid, n, value, lock, lock.script
        self.height, self.is_coinbase, self.clock = height, is_coinbase, clock  # clock: median time before its block


class Node:
    def __init__(self, hash, prev, height, time, coins, coinbase):
        self.hash, self.prev, self.height, self.time, self.coins, self.coinbase = hash, prev, height, time, coins, coinbase
        times, at = [], self
        while at and len(times) < 11:
            times.append(at.time)
            at = at.prev
        self.median = sorted(times)[len(times) // 2]


class Plan:
    def __init__(self, world, parent, rng):
        self.world, self.parent, self.rng = world, parent, rng
        self.height = parent.height + 1
        self.segwit = self.height >= world.heights["segwit"]
        self.csv = self.height >= world.heights["csv"]
        self.time = self.good_time()
        self.txs = [Tx([In(bytes(32), 0xffffffff)], [])]
        self.coinbase_script = number(self.height) + number(rng.randrange(1 << 30)) + b"\x00"
        self.locks = {}        # (id of transaction, output) -> Lock
        self.fees = 0
        self.reward = 0        # added to what is due
        self.coinbase_kinds = None
        self.commit = "due"
        self.nonce = bytes(32)
        self.version = 0x20000000
        self.bits = 0x207fffff
        self.grow = None       # called with the block before the commitment
        self.finish = []       # called with the block before mining
        self.taken = set()
        self.coinbase_copy = None

    def good_time(self):
        low, usual = self.parent.median + 1, self.parent.time + self.rng.choice([1, 600, 600, 600, 1200, 1300])
        if self.world.bip94 and self.height % 144 == 0:
            low = max(low, self.parent.time - 600)
        return self.rng.choice([low, usual, usual, usual]) if usual >= low else low

    def ripe(self, coin):
        return not coin.is_coinbase or self.height - coin.height >= 100

    def can_spend(self, coin):
        lock = coin.lock
        witness = lock.kind in ("wsh", "sh_wsh", "tr_script", "p2wpkh", "tr_key") or getattr(lock, "where", "") in ("wsh", "sh_wsh", "tr_script")
        if not self.ripe(coin) or (witness and not self.segwit) or (coin.txid, coin.n) in self.taken:
            return False
        if lock.kind == "cltv":
            now = self.parent.median if self.csv else self.time
            return lock.value_of_lock < (self.height if lock.value_of_lock < 500000000 else now)
        if lock.kind == "csv":
            v = lock.value_of_lock
            if v & 0x80000000:
                return True
            if v & 0x400000:
                return coin.clock + ((v & 0xffff) << 9) <= self.parent.median
            return coin.height + v <= self.height
        return lock.kind in coin_locks.SAFE or lock.kind in coin_locks.SIGNED

    def pick(self, count, test=None):
        coins = list(self.parent.coins.values())
        self.rng.shuffle(coins)
        out = []
        for c in coins:
            if len(out) < count and (c.txid, c.n) not in self.taken and (test or self.can_spend)(c):
                if test is None and c.lock.kind == "cltv" and any(o.lock.kind == "cltv" for o in out):
                    continue  # a height and a time do not go together
                out.append(c)
                self.taken.add((c.txid, c.n))
        return out

    def spend(self, coins, spoil=None, fee=None, outputs=None, version=2, lock_time=0, sequence=None, place=None):
        """A transaction that spends coins; locks are honoured, one input is spoiled if asked."""
        ins, rng = [], self.rng
        for c in coins:
            seq = 0xfffffffe if rng.random() < .5 else 0xffffffff
            if c.lock.kind == "cltv":
                seq = 0xfffffffe
                if lock_time == 0 or (lock_time < 500000000) == (c.lock.value_of_lock < 500000000):
                    lock_time = max(lock_time, c.lock.value_of_lock)
            if c.lock.kind == "csv":
                seq = c.lock.value_of_lock
            ins.append(In(c.txid, c.n, sequence=seq if sequence is None else sequence))
        total = sum(c.value for c in coins)
        fee = min(total, rng.choice([0, 1, 1000, 5000])) if fee is None else fee
        tx = Tx(ins, [], version, lock_time)
        if outputs is None:
            count = rng.choice([1, 1, 2, 3, 5])
            outputs = [(max(0, (total - fee)) // count + ((total - fee) % count if j == 0 else 0), self.random_lock()) for j in range(count)]
        for j, (value, lock) in enumerate(outputs):
            tx.outs.append((value, lock.script))
            self.locks[id(tx), j] = lock
        at = 0  # the one that is spoiled
        for j in range(len(ins)):
            coin_locks.unlock(tx, j, coins, rng, spoil if j == at else None)
        self.fees += total - sum(v for v, _ in tx.outs)
        self.txs.insert(len(self.txs) if place is None else place, tx)
        tx.coins = coins
        return tx

    def random_lock(self):
        r = self.rng
        x = r.random()
        return coin_locks.lock(r.choice(coin_locks.SAFE if x < .68 else coin_locks.SIGNED if x < .8 else coin_locks.ODD), r)

    def coins_of(self, tx):
        txid = tx.txid()
        return [Coin(txid, j, v, self.locks.get((id(tx), j)) or coin_locks.Lock("foreign", s), self.height, False, self.parent.median) for j, (v, s) in enumerate(tx.outs)]

    def subsidy(self):
        return 50 * COIN >> self.height // 150

    def finish_coinbase(self):
        cb = self.txs[0]
        if self.coinbase_copy:
            self.txs[0] = self.coinbase_copy[0]
            self.locks.update({(id(self.txs[0]), j): lock for j, lock in self.coinbase_copy[1].items()})
            return
        cb.ins[0].script = self.coinbase_script
        total = max(0, self.subsidy() + self.fees + self.reward)
        kinds = self.coinbase_kinds or [self.rng.choice(["true", "sh", "wsh"])]
        for j, kind in enumerate(kinds):
            lock = coin_locks.lock(kind, self.rng)
            share = total // len(kinds) + (total % len(kinds) if j == 0 else 0)
            cb.outs.append((share, lock.script))
            self.locks[id(cb), j] = lock

    def finish_commitment(self, block):
        witness = any(t.has_witness() for t in self.txs)
        kind = self.commit
        if kind == "due":
            kind = "good" if self.segwit and not self.coinbase_copy and (witness or self.rng.random() < .7) else "none"
        if self.coinbase_copy:
            kind = "none" if not self.txs[0].has_witness() else "copy"
        cb = self.txs[0]
        if kind == "good":
            block.commit(self.nonce)
        elif kind == "spoiled":
            block.commit(self.nonce, spoil=True)
        elif kind == "two":  # the last one counts
            first = (0, COMMITMENT + self.rng.randbytes(32))
            last = self.rng.random() < .5
            if not last:
                cb.outs.append(first)
            block.commit(self.nonce)
            if last:
                cb.outs.append(first)
        elif kind == "long":
            block.commit(self.nonce)
            v, s = cb.outs[-1]
            cb.outs[-1] = (v, s + self.rng.choice([b"\x00", b"\x51", bytes(100), b"\xff"]))
        elif kind == "short":
            block.commit(self.nonce)
            v, s = cb.outs[-1]
            cb.outs[-1] = (v, s[:-1])
        elif kind == "pushdata":
            block.commit(self.nonce)
            v, s = cb.outs[-1]
            cb.outs[-1] = (v, b"\x6a\x4c" + s[1:])
        elif kind == "paid":
            block.commit(self.nonce)
            cb.outs[-1] = (self.rng.choice([0, 1]), cb.outs[-1][1])
        elif kind == "stack":
            block.commit(self.nonce)
            cb.ins[0].witness = self.rng.choice([[bytes(32), b""], [bytes(31)], [bytes(33)], [b""], [bytes(32)] * 2, [bytes(64)], []])
        elif kind == "nonce":
            block.commit(self.nonce)
            cb.ins[0].witness = [self.rng.randbytes(32)]
        elif kind == "witness":
            cb.ins[0].witness = [bytes(32)]

    def build(self):
        self.finish_coinbase()
        block = Block(self.parent.hash, self.time, self.txs, self.bits, self.version)
        if self.grow:
            self.grow(block)
        self.finish_commitment(block)
        for change in self.finish:
            if block.txs:
                change(block)
        return block.mine()

    def node(self, block):
        """The parent's coins after this block, were it valid."""
        coins = dict(self.parent.coins)
        for t in block.txs:
            for i in t.ins:
                coins.pop((i.txid, i.n), None)
            txid = t.txid()
            for j, (v, s) in enumerate(t.outs):
                lock = self.locks.get((id(t), j)) or coin_locks.Lock("foreign", s)
                if s[:1] != b"\x6a" and len(s) <= 10000:
                    coins[txid, j] = Coin(txid, j, v, lock, self.height, t is block.txs[0], self.parent.median)
        cb = block.txs[0]
        return Node(block.hash(), self.parent, self.height, self.time, coins, (cb, {j: self.locks[id(cb), j] for j in range(len(cb.outs)) if (id(cb), j) in self.locks}))


def fill(plan):
    """A few ordinary transactions."""
    for _ in range(plan.rng.choice([0, 1, 1, 2, 3, 5])):
        coins = plan.pick(plan.rng.choice([1, 1, 2, 3]))
        if coins:
            tx = plan.spend(coins)
            if plan.rng.random() < .3:  # and its first output at once
                own = [c for c in plan.coins_of(tx)[:1] if plan.can_spend(c)]
                if own and own[0].lock.kind != "csv":
                    plan.taken.add((own[0].txid, own[0].n))
                    plan.spend(own)
