# bench/local.mk
include bench/common/local.mk
include bench/chain/local.mk
include bench/script_local.mk
noinst_PROGRAMS += bench/coins_cache
bench_coins_cache_SOURCES = bench/coins_cache.c
bench_coins_cache_LDADD = libbenchcommon.la libchainstate.la libtxindex.la librules.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
include bench/chainstate_local.mk
include bench/import_bench_local.mk
include bench/lode_bench_local.mk
include bench/sync/local.mk
include bench/serve_local.mk
