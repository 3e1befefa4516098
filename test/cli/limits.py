#!/usr/bin/env python3
"""Limits on a process: address space and descriptors are kept within, and what a run takes does not grow with its set.

A limit on address space of the cache and a quarter more, with 64 descriptors, is enough for 100,000 outputs. A larger
cache costs no more than itself and a quarter: a flush makes no copy. Blocks that come in the wrong order wait as
positions, not as bytes. Run in the build folder.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

LODE = os.environ.get("LODE") or os.path.join(os.getcwd(), "lode")
GENCHAIN = os.environ.get("GENCHAIN") or os.path.join(os.getcwd(), "lode-genchain")
MIB = 1 << 20
failures = 0


def check(name, is_right, *text):
    global failures
    print(("ok   " if is_right else "FAIL ") + name, *text)
    failures += not is_right


def lode(datadir, *arguments, address_mib=None, descriptors=None):
    def limit():
        if address_mib:
            resource.setrlimit(resource.RLIMIT_AS, (address_mib * MIB, address_mib * MIB))
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    return subprocess.run([LODE, "-regtest", "-datadir=" + datadir, *arguments], capture_output=True, text=True, preexec_fn=limit)


def peak_mib(datadir, *arguments):
    """Of resident memory."""
    p = subprocess.Popen([LODE, "-regtest", "-datadir=" + datadir, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    if status:
        sys.exit("lode %s ended with status %d" % (" ".join(arguments), status))
    return usage.ru_maxrss / 1024


def coins(datadir):
    p = lode(datadir, "gettxoutsetinfo", "muhash")
    return json.loads(p.stdout)["muhash"] if p.returncode == 0 else p.stderr


def chain(work, name, *options):
    path = os.path.join(work, name)
    subprocess.run([GENCHAIN, "--mix=2017", *options, "--out=" + path], check=True, stderr=subprocess.DEVNULL)
    return path


def within_the_cache_and_a_quarter(work, path):
    free = os.path.join(work, "free")
    lode(free, "-txindex", "import", path)
    for cache in (100, 450):
        for threads in (1, 4):
            tight = os.path.join(work, "tight")
            p = lode(tight, "-txindex", "-dbcache=%d" % cache, "-par=%d" % threads, "import", path, address_mib=cache * 5 // 4, descriptors=64)
            check("a_cache_of_%d_and_%d_threads_fit" % (cache, threads), p.returncode == 0 and coins(tight) == coins(free), p.stderr[-200:] if p.returncode else "")
            shutil.rmtree(tight)
    shutil.rmtree(free)


def too_little_is_told(work, path):
    """Whatever the limit: an error with a reason, and the next run goes on."""
    datadir = os.path.join(work, "little")
    for address in (16, 24, 32, 40, 48, 64, 80):
        p = lode(datadir, "-dbcache=100", "import", path, address_mib=address, descriptors=20)
        check("%d_MiB_are_enough_or_told" % address, p.returncode == 0 or (p.returncode in (1, 127) and p.stderr.strip()), p.returncode, p.stderr[-120:].strip() if p.returncode else "")
    p = lode(datadir, "import", path)
    check("and_the_next_run_goes_on", p.returncode == 0, p.stderr[-200:] if p.returncode else "")
    shutil.rmtree(datadir)


def a_cache_costs_itself_and_a_quarter(work, path):
    peaks = {}
    for cache in (4, 36):
        datadir = os.path.join(work, "peak")
        peaks[cache] = peak_mib(datadir, "-dbcache=%d" % cache, "-par=2", "import", path)
        shutil.rmtree(datadir)
    check("a_flush_makes_no_copy", peaks[36] - peaks[4] <= 32 * 5 / 4, "%.0f and %.0f MiB" % (peaks[4], peaks[36]))


def what_waits_is_not_kept(work, path):
    """The blocks of a file backwards, all but the last wait."""
    frames, at = [], 0
    with open(path, "rb") as file:
        data = file.read()
    while at + 8 <= len(data):
        size = 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        frames.append(data[at : at + size])
        at += size
    backwards = os.path.join(work, "backwards.dat")
    with open(backwards, "wb") as file:
        file.writelines(reversed(frames))
    del frames
    peaks, ends = [], []
    for input_path in (path, backwards):
        datadir = os.path.join(work, "order")
        peaks.append(peak_mib(datadir, "-dbcache=4", "-par=2", "import", input_path))
        ends.append(coins(datadir))
        shutil.rmtree(datadir)
    check("any_order_ends_with_the_same_coins", ends[0] == ends[1], ends)
    check("blocks_that_wait_take_no_memory", peaks[1] <= peaks[0] * 5 / 4, "%.0f and %.0f MiB" % tuple(peaks))


def is_sanitized():
    p = subprocess.run([LODE, "-version"], capture_output=True, text=True, env={**os.environ, "ASAN_OPTIONS": "help=1"})
    return "AddressSanitizer" in p.stdout + p.stderr


def main():
    if not os.access(GENCHAIN, os.X_OK):
        print("lode-genchain is not built, skipped")
        return 77
    if is_sanitized():
        print("sanitizers need memory of their own, skipped")
        return 77
    work = tempfile.mkdtemp(prefix="lode-limits-")
    try:
        small = chain(work, "small.dat", "--grow=100K", "--fan-out-size=2000")
        within_the_cache_and_a_quarter(work, small)
        too_little_is_told(work, small)
        large = chain(work, "large.dat", "--grow=1200K", "--fan-out-size=2000")
        a_cache_costs_itself_and_a_quarter(work, large)
        what_waits_is_not_kept(work, large)
    finally:
        shutil.rmtree(work)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
