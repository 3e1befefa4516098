# The chain maker, for the program and for tests of every folder.
noinst_LTLIBRARIES += libchainmaker.la
libchainmaker_la_SOURCES = \
	bench/chain/assemble.c bench/chain/assemble.h \
	bench/chain/block_plan.c bench/chain/block_plan.h \
	bench/chain/chain_maker.c bench/chain/chain_maker.h bench/chain/maker.h \
	bench/chain/coin_pool.c bench/chain/coin_pool.h \
	bench/chain/invalid.c \
	bench/chain/keys.c bench/chain/keys.h \
	bench/chain/make_tx.c bench/chain/make_tx.h \
	bench/chain/mix.c \
	bench/chain/plan_random.c \
	bench/chain/random.h \
	bench/chain/script_kind.c bench/chain/script_kind.h \
	bench/chain/signers.c bench/chain/signers.h \
	bench/chain/unlock.c bench/chain/unlock.h
CHAINMAKER_LIBS = libchainmaker.la librules.la libscript.la libprimitives.la libsupport.la

noinst_PROGRAMS += lode-genchain
lode_genchain_SOURCES = \
	bench/lode-genchain.c \
	bench/lode-genchain-options.c bench/lode-genchain-options.h \
	bench/lode-genchain-out.c bench/lode-genchain-out.h
lode_genchain_LDADD = libbenchcommon.la $(CHAINMAKER_LIBS) $(EXTERNAL_LIBS)
