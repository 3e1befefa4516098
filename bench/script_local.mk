# bench/script_local.mk: benchmarks of validate/script/.
noinst_PROGRAMS += bench/script_check
bench_script_check_SOURCES = bench/script_check.c
bench_script_check_LDADD = libscript.la libprimitives.la libsupport.la $(EXTERNAL_LIBS)
