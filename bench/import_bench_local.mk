# bench/import_bench_local.mk: lode import beside bitcoind.
noinst_PROGRAMS += bench/lode-import-bench
bench_lode_import_bench_SOURCES = \
	bench/lode-import-bench.c \
	bench/lode-import-bench-chain.c bench/lode-import-bench-chain.h \
	bench/lode-import-bench-floor.c bench/lode-import-bench-floor.h \
	bench/lode-import-bench-options.c bench/lode-import-bench-options.h \
	bench/lode-import-bench-print.c bench/lode-import-bench-print.h \
	bench/lode-import-bench-process.c bench/lode-import-bench-process.h \
	bench/lode-import-bench-rival.c bench/lode-import-bench-rival.h \
	bench/lode-import-bench-rows.c bench/lode-import-bench-rows.h
bench_lode_import_bench_LDADD = libbenchcommon.la libchainstate.la libtxindex.la librules.la libscript.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
EXTRA_DIST += bench/import_report.py bench/measure_imports.sh
noinst_PROGRAMS += bench/coins_growth
bench_coins_growth_SOURCES = bench/coins_growth.c
bench_coins_growth_LDADD = libbenchcommon.la libchainstate.la libtxindex.la librules.la libprimitives.la libstorage.la libsupport.la $(EXTERNAL_LIBS)
