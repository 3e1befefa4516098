# test/snapshot/local.mk
# Beside bitcoind; without $BITCOIND it is skipped.
EXTRA_DIST += test/snapshot/beside_core.py
TESTS += test/snapshot/beside_core.py
