# bench/script_local.mk: benchmarks of validate/script/.
noinst_PROGRAMS += bench/script_check
bench_script_check_SOURCES = bench/script_check.c
bench_script_check_LDADD = libbenchcommon.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
noinst_PROGRAMS += bench/legacy_sighash
bench_legacy_sighash_SOURCES = bench/legacy_sighash.c
bench_legacy_sighash_LDADD = libbenchcommon.la libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
