# bench/lode_bench_local.mk: storage engines side by side.
noinst_PROGRAMS += bench/lode-bench
bench_lode_bench_SOURCES = bench/lode-bench.c
include bench/engines/local.mk
include bench/suites/local.mk
bench_lode_bench_LDADD = libbenchcommon.la libengines.la libstorage.la libsupport.la $(EXTERNAL_LIBS) $(RIVAL_LIBS)
