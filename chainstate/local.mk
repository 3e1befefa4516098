# chainstate/local.mk
noinst_LTLIBRARIES += libchainstate.la
libchainstate_la_SOURCES = \
	chainstate/utxo_stats.c chainstate/utxo_stats.h
