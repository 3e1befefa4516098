# bench/serve_local.mk: readers beside the writer, and blocks of transactions that were verified before.
noinst_PROGRAMS += bench/lode-serve-bench
bench_lode_serve_bench_SOURCES = bench/lode-serve-bench.c
bench_lode_serve_bench_LDFLAGS = $(AM_LDFLAGS) -static
bench_lode_serve_bench_LDADD = libbenchcommon.la libchainmaker.la liblode.la $(EXTERNAL_LIBS)
