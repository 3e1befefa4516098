# bench/chainstate_local.mk: benchmarks of chainstate/.
noinst_PROGRAMS += bench/block_index_load
bench_block_index_load_SOURCES = bench/block_index_load.c
bench_block_index_load_LDADD = libchainstate.la libtxindex.la librules.la libscript.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
