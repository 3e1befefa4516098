"""The faults themselves: name -> (stage, function of a plan). Stages: txs, order, coinbase, header, bytes."""
import struct

import coin_locks
from block_faults import COIN
from chain_bytes import In, Tx, compact, data, number, sha256d

FAULTS = {}
STAGES = ["txs", "coinbase", "order", "header", "bytes"]


def fault(stage, name=None):
    def note(f):
        FAULTS[name or f.__name__] = (stage, f)
        return f
    return note


def any_spend(p, **more):
    coins = p.pick(1)
    return p.spend(coins, **more) if coins else None


# ---- transactions ----

@fault("txs")
def missing_input(p):
    tx = any_spend(p)
    if tx:
        tx.ins.append(In(p.rng.randbytes(32), 0))
        p.rng.shuffle(tx.ins)


@fault("txs")
def spent_twice(p):
    coins = p.pick(1)
    if coins:
        p.spend(coins)
        p.spend(coins)


@fault("txs")
def child_first(p):
    tx = any_spend(p)
    if tx:
        own = p.coins_of(tx)[:1]
        p.spend(own, place=p.rng.randrange(1, len(p.txs)))


@fault("txs")
def young_coinbase(p):
    age = p.rng.choice([99, 99, 100, 101, 1])
    coins = p.pick(1, lambda c: c.is_coinbase and p.height - c.height == age)
    if coins:
        p.spend(coins)


@fault("txs")
def in_below_out(p):
    any_spend(p, fee=p.rng.choice([-1, -1, -COIN]))


@fault("txs")
def output_value(p):
    tx = any_spend(p)
    if tx:
        values = p.rng.choice([[-1], [21000000 * COIN], [21000000 * COIN + 1], [21000000 * COIN, 1], [2**63 - 1], [-2**63], [2**62, 2**62], [0, -1, 21000000 * COIN + 1]])
        tx.outs = [(v, b"\x51") for v in values]


@fault("txs")
def no_outputs(p):
    tx = any_spend(p)
    if tx:
        tx.outs = []


@fault("txs")
def no_inputs(p):
    tx = any_spend(p)
    if tx:
        tx.ins = []
        if p.rng.random() < .5:
            tx.outs = []
        tx.flag = p.rng.choice([None, 0, 1, 2])


@fault("txs")
def repeated_input(p):
    tx = any_spend(p)
    if tx:
        again = tx.ins[0]
        for _ in range(p.rng.choice([0, 0, 20])):
            tx.ins.append(In(p.rng.randbytes(32), 1))
        tx.ins.append(In(again.txid, again.n, again.script, 0, again.witness))


@fault("txs")
def null_prevout(p):
    tx = any_spend(p)
    if tx:
        tx.ins.append(In(bytes(32), p.rng.choice([0xffffffff, 0xffffffff, 0, 0xfffffffe])))
        if p.rng.random() < .5:
            tx.ins.reverse()


@fault("txs")
def not_final(p):
    now = p.parent.median if p.csv else p.time
    tx = any_spend(p, lock_time=p.rng.choice([p.height - 1, p.height, p.height + 1, now - 1, now, now + 1, p.time - 1, p.time, 499999999, 500000000, 0xffffffff]),
                   sequence=p.rng.choice([0xfffffffe, 0xfffffffe, 0xfffffffe, 0xffffffff, 0]), version=1)


@fault("txs")
def relative_lock(p):
    """Around the first block and second in which it is allowed, by height and by time."""
    coins = p.pick(1, lambda c: p.can_spend(c) and c.lock.kind in ("true", "sh", "multisig_0"))
    if not coins:
        return
    c, shift = coins[0], p.rng.choice([-1, 0, 0, 1, 2])
    if p.rng.random() < .5:
        seq = max(0, p.height - c.height + shift) & 0xffff
    else:
        seq = max(0, (p.parent.median - c.clock) // 512 + shift) & 0xffff | 0x400000
    seq |= p.rng.choice([0, 0, 0, 0x80000000, 0x10000, 0x3f0000])
    p.spend(coins, sequence=seq, version=p.rng.choice([2, 2, 2, 1, 0, -1, 3, 0x7fffffff, -2**31]))


@fault("txs")
def opcode_lock(p):
    coins = p.pick(1, lambda c: p.ripe(c) and c.lock.kind in ("cltv", "csv"))
    if coins:
        v = coins[0].lock.value_of_lock
        if coins[0].lock.kind == "cltv":
            p.spend(coins, lock_time=p.rng.choice([v - 1, v, v + 1, 0]), sequence=p.rng.choice([0, 0xfffffffe, 0xffffffff]))
        else:
            p.spend(coins, sequence=p.rng.choice([v - 1, v, v + 1, 0, 0x80000000, 0xffffffff, v ^ 0x400000]) & 0xffffffff, version=p.rng.choice([1, 2, 2, 2, -1]))


@fault("txs")
def spoiled_spend(p):
    coins = p.pick(1, p.ripe)
    if coins:
        p.spend(coins + p.pick(p.rng.choice([0, 1])), spoil=p.rng.choice(coin_locks.SPOILS))


@fault("txs")
def odd_spend(p):
    coins = p.pick(1, lambda c: p.ripe(c) and c.lock.kind in coin_locks.ODD)
    if coins:
        p.spend(coins, spoil=p.rng.choice([None, None] + coin_locks.SPOILS))


@fault("txs")
def old_encoding(p):
    coins = p.pick(1, lambda c: p.ripe(c) and c.lock.kind in ("p2pk", "p2pkh", "not_checksig", "multisig_0"))
    if coins:
        p.spend(coins, spoil=p.rng.choice(["der", "der", "bad", "push"]))


@fault("txs")
def foreign_witness(p):
    tx = any_spend(p)
    if tx:
        tx.ins[0].witness.append(p.rng.choice([b"", b"\x01", bytes(600)]))


@fault("txs")
def sixty_four_bytes(p):
    coins = p.pick(1, lambda c: p.can_spend(c) and c.lock.kind == "true")
    if coins:
        lock = coin_locks.Lock("raw64", b"\x51\x51\x51\x51")
        p.spend(coins, outputs=[(coins[0].value, lock)])


@fault("txs")
def many_sigops(p):
    """Near 80,000 in all: outputs count four each, P2SH and witness spends on top."""
    cost = 0
    for c in p.pick(p.rng.choice([0, 2, 4, 8]), lambda c: p.ripe(c) and c.lock.kind in ("sigops_sh", "sigops_wsh") and (p.segwit or c.lock.where == "sh")):
        p.spend([c])
    p.sigops_target = 80000 + p.rng.choice([-8, -4, -1, 0, 0, 1, 4, 8])
    tx = any_spend(p)
    if not tx:
        return
    have = sum(spend_cost(i, c) for t in p.txs[1:] for i, c in zip(t.ins, t.coins)) + 4 * sum(count(s, False) for t in p.txs for _, s in t.outs)
    have += 4 * sum(count(i.script, False) for t in p.txs[1:] for i in t.ins)
    left = max(0, (p.sigops_target - have) // 4)
    if p.rng.random() < .2:
        left += 1
    while left > 0:
        n = min(left // 20, 9000)
        script = b"\x6a" + (b"\xae" * n if n else b"\xac" * left)
        if p.rng.random() < .1:
            script += b"\x4c\xff\xac\xac"  # cut off: not counted
        tx.outs.append((0, script))
        left -= 20 * n if n else left


def count(script, accurate):
    """Signature operations as blocks count them."""
    at, total, last = 0, 0, 0xff
    while at < len(script):
        op = script[at]
        at += 1
        if op <= 75:
            at += op
        elif op <= 78:
            width = 1 << (op - 76)
            if len(script) - at < width:
                break
            at += width + int.from_bytes(script[at:at + width], "little")
        if at > len(script):
            break
        if op in (0xac, 0xad):
            total += 1
        elif op in (0xae, 0xaf):
            total += last - 0x50 if accurate and 0x51 <= last <= 0x60 else 20
        last = op
    return total


def spend_cost(i, coin):
    kind, where = coin.lock.kind, getattr(coin.lock, "where", None)
    if where == "sh" or kind == "sh":
        return 4 * count(getattr(coin.lock, "inner", b"\x51"), True)
    if where in ("wsh", "sh_wsh"):
        return count(coin.lock.inner, True)
    return 1 if kind == "p2wpkh" else 0


@fault("txs")
def big_output(p):
    size = p.rng.choice([9999, 10000, 10001])
    tx = any_spend(p)
    if tx:
        tx.outs.append((0, coin_locks.pad(b"\x51", size)))
        own = p.coins_of(tx)[-1]
        if p.rng.random() < .7:
            own.lock = coin_locks.Lock("raw", own.script)
            p.spend([own], outputs=[(0, coin_locks.lock("true", p.rng))])


@fault("txs")
def weight_limit(p):
    """The block weighs 4,000,000, or a little more or less, by witness; or it has 1,000,000 bytes without."""
    if p.rng.random() > .25:
        return  # costly
    coins = p.pick(1, lambda c: p.ripe(c) and c.lock.kind == "wit_unknown") if p.segwit else []
    if coins:
        tx = p.spend(coins)
        tx.ins[0].witness = [bytes(100000)]
        target = 4000000 + p.rng.choice([-1, 0, 0, 1, 2])

        def grow(block):
            p.commit = "good"
            before = len(p.txs[0].outs)
            block.commit(p.nonce)
            tx.ins[0].witness = [bytes(100000 + target - block.weight())]
            del p.txs[0].outs[before:]
    else:
        tx = any_spend(p)
        if not tx:
            return
        target = 1000000 + p.rng.choice([-1, 0, 0, 1])
        tx.outs.append((0, b"\x6a" + bytes(100000)))

        def grow(block):
            tx.outs[-1] = (0, b"\x6a" + bytes(100000 + target - block.base_size()))
            p.commit = "none"
    p.grow = grow


@fault("txs")
def oversize_tx(p):
    if p.rng.random() > .25:
        return
    tx = any_spend(p)
    if tx:
        tx.outs.append((0, b"\x6a" + bytes(p.rng.choice([999000, 1000000, 1000100]) - len(tx.base()))))


@fault("txs")
def many_scripts(p):
    """Hundreds of inputs, so that scripts are cut into tasks; one or two of them fail."""
    for _ in range(p.rng.choice([1, 3])):
        coins = p.pick(p.rng.choice([60, 300]))
        bad = p.pick(1, p.ripe) if p.rng.random() < .6 else []
        at = p.rng.randrange(len(coins) + 1)
        coins = coins[:at] + bad + coins[at:]
        if coins:
            tx = p.spend(coins)
            if bad:
                coin_locks.unlock(tx, at, coins, p.rng, p.rng.choice(coin_locks.SPOILS))
            return


@fault("txs")
def empty_witness_spend(p):
    """What needs a witness, spent without."""
    coins = p.pick(1, lambda c: p.ripe(c) and c.lock.script[:1] in (b"\x00", b"\x51", b"\x52", b"\xa9", b"\x60"))
    if coins:
        tx = p.spend(coins)
        tx.ins[0].witness = []


@fault("txs")
def chain_of_spends(p):
    """Outputs made and spent again and again in one block; now and then one too often."""
    coins = p.pick(1)
    for _ in range(p.rng.choice([5, 30, 120])):
        if not coins:
            return
        tx = p.spend(coins, fee=0, outputs=[(sum(c.value for c in coins), coin_locks.lock(p.rng.choice(["true", "sh", "multisig_0"]), p.rng))])
        coins = p.coins_of(tx)
    if p.rng.random() < .3:
        p.spend(coins)
        p.spend(coins)


# ---- the coinbase ----

@fault("coinbase")
def reward_off(p):
    p.reward = p.rng.choice([1, 1, -1, COIN, -50 * COIN])


@fault("coinbase")
def script_size(p):
    size = p.rng.choice([0, 1, 2, 3, 100, 101])
    p.coinbase_script = (p.coinbase_script + bytes(101))[:size]


@fault("coinbase")
def wrong_height(p):
    h = p.height
    rest = p.rng.randbytes(5)
    right = number(h)
    p.coinbase_script = p.rng.choice([number(h + 1) + rest, number(h - 1) + rest, b"\x02" + struct.pack("<H", h & 0xffff) + rest, b"\x03" + struct.pack("<I", h)[:3] + rest, right,
                                      right[:-1] + bytes([right[-1] ^ 0x80]) + rest, b"\x4c" + right + rest, right + b"\x4c\xff", right + b"\xac" * 90, rest, b"\x00" + right + rest])


@fault("coinbase")
def older_coinbase(p):
    """An ancestor's coinbase once more (BIP 30)."""
    at, steps = p.parent, p.rng.choice([0, 1, 2, 100, 101, 105, 110])
    while steps and at.prev and at.prev.coinbase:
        at, steps = at.prev, steps - 1
    # rather one that is spent entirely, if there is one
    if p.rng.random() < .6:
        look = p.parent
        while look and look.coinbase:
            txid = look.coinbase[0].txid()
            if not any((txid, j) in p.parent.coins for j in range(len(look.coinbase[0].outs))):
                at = look
                break
            look = look.prev
    if at.coinbase:
        p.coinbase_copy = at.coinbase


@fault("coinbase")
def coinbase_sequence(p):
    p.txs[0].ins[0].sequence = p.rng.choice([0, 0xfffffffe, 5])
    p.txs[0].lock_time = p.rng.choice([p.height - 1, p.height, p.time, 0xffffffff, p.parent.median])
    p.txs[0].version = p.rng.choice([1, 2, 0, -1])


@fault("coinbase")
def coinbase_outputs(p):
    p.finish.append(lambda b: setattr(b.txs[0], "outs", p.rng.choice([[], [(-1, b"\x51")], [(21000000 * COIN + 1, b"")], [(50 * COIN, b"\xae" * 1001)], [(0, b"\x6a")]])))


for _kind in ("spoiled", "two", "long", "short", "pushdata", "paid", "stack", "nonce", "witness", "none", "good"):
    FAULTS["commit_" + _kind] = ("coinbase", lambda p, kind=_kind: setattr(p, "commit", kind))


@fault("coinbase")
def other_nonce(p):
    p.nonce = p.rng.randbytes(32)


# ---- order and number of transactions ----

@fault("order")
def two_coinbases(p):
    again = Tx([In(bytes(32), 0xffffffff, number(p.height) + b"\x01")], [(0, b"\x51")])
    p.finish.append(lambda b: b.txs.insert(p.rng.randrange(1, len(b.txs) + 1), again))


@fault("order")
def no_coinbase(p):
    p.finish.append(lambda b: b.txs.pop(0))


@fault("order")
def coinbase_not_first(p):
    p.finish.append(lambda b: b.txs.append(b.txs.pop(0)))


@fault("order")
def twin(p):
    """The end of the list repeated so that the root stays (CVE-2012-2459), or not quite."""
    def change(b):
        n = len(b.txs)
        take = p.rng.choice([1, 2, 4])
        if take <= n:
            b.txs = b.txs + b.txs[n - take:]
            b.shared = True
    p.finish.append(change)


@fault("order")
def no_transactions(p):
    p.finish.append(lambda b: setattr(b, "txs", []))


# ---- the header ----

@fault("header")
def wrong_root(p):
    p.finish.append(lambda b: setattr(b, "root", p.rng.choice([bytes(32), p.rng.randbytes(32)])))


@fault("header")
def times(p):
    now = p.world.now
    p.time = p.rng.choice([p.parent.median - 1, p.parent.median, p.parent.median + 1, now + 7200, now + 7201, p.parent.time - 600, p.parent.time - 601, p.parent.time - 599, 0, 0xffffffff])


@fault("header")
def versions(p):
    p.version = p.rng.choice([0, 1, 2, 3, 4, 5, -1, -2**31, 2**31 - 1])


@fault("header")
def bits(p):
    p.bits = p.rng.choice([0x207ffffe, 0x2100ffff, 0x1d00ffff, 0x20ffffff, 0, 0x01000000, 0xff7fffff, 0x217fffff, 0x20800000, 0x207fff])


@fault("header")
def no_work(p):
    p.finish.append(lambda b: setattr(b, "shows_work", False))


@fault("header")
def unknown_parent(p):
    p.finish.append(lambda b: setattr(b, "prev", p.rng.randbytes(32)))


# ---- bytes ----

@fault("bytes")
def long_counts(p):
    def change(b):
        width = p.rng.choice([3, 5, 9])
        if p.rng.random() < .5:
            b.count_width = width
        elif b.txs:
            p.rng.choice(b.txs).count_width = width
    p.finish.append(change)


@fault("bytes")
def empty_witness_flag(p):
    p.finish.append(lambda b: b.txs and setattr(p.rng.choice(b.txs), "bare_flag", True))


@fault("bytes")
def unknown_flag(p):
    p.finish.append(lambda b: b.txs and setattr(p.rng.choice(b.txs), "flag", p.rng.choice([0, 2, 3, 4, 255, 1])))


@fault("bytes")
def tail(p):
    p.finish.append(lambda b: setattr(b, "tail", p.rng.randbytes(p.rng.choice([1, 5, 100]))))


@fault("bytes")
def cut(p):
    p.finish.append(lambda b: setattr(b, "is_cut", p.rng.choice([1, 4, 5, 100])))


RARE = ("long_counts", "empty_witness_flag", "unknown_flag", "tail", "cut", "no_transactions", "no_coinbase", "coinbase_not_first", "no_work", "unknown_parent", "wrong_root", "bits",
        "no_outputs", "no_inputs", "null_prevout", "output_value", "many_scripts", "chain_of_spends")
USUAL = [name for name in sorted(FAULTS) if name not in RARE]
OFTEN = list(RARE) + 2 * USUAL + 4 * [n for n in USUAL if FAULTS[n][0] == "txs"] + 4 * ["reward_off", "older_coinbase", "wrong_height", "times"]

DEEP = ["young_coinbase", "relative_lock", "opcode_lock", "spoiled_spend", "odd_spend", "odd_spend", "odd_spend", "old_encoding", "old_encoding", "foreign_witness", "sixty_four_bytes", "many_sigops",
        "many_sigops", "big_output", "weight_limit", "not_final", "older_coinbase", "reward_off", "wrong_height", "times", "versions", "many_scripts", "empty_witness_spend", "chain_of_spends"]


def apply(plan, names):
    for stage in STAGES:
        for name in names:
            if FAULTS[name][0] == stage:
                FAULTS[name][1](plan)
