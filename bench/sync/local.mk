# bench/sync/local.mk: the chain import of 2012 on today's engines.
if HAVE_LINKER_WRAP
noinst_LTLIBRARIES += libsyncrow.la
libsyncrow_la_SOURCES = \
	bench/sync/between.c \
	bench/sync/row.c bench/sync/row.h \
	bench/sync/stand_in.c bench/sync/stand_in.h
# What bench/sync/between.c stands before, in each program that links it.
STORE_WRAPS = \
	-Wl,--wrap=lode_store_open -Wl,--wrap=lode_store_close -Wl,--wrap=lode_store_destroy \
	-Wl,--wrap=lode_store_write -Wl,--wrap=lode_store_put \
	-Wl,--wrap=lode_run_begin -Wl,--wrap=lode_run_put -Wl,--wrap=lode_run_delete \
	-Wl,--wrap=lode_run_finish -Wl,--wrap=lode_runs_finish -Wl,--wrap=lode_run_abandon \
	-Wl,--wrap=lode_store_get -Wl,--wrap=lode_store_get_into -Wl,--wrap=lode_store_multi_get \
	-Wl,--wrap=lode_iterator_create -Wl,--wrap=lode_iterator_destroy -Wl,--wrap=lode_iterator_is_valid \
	-Wl,--wrap=lode_iterator_seek_first -Wl,--wrap=lode_iterator_seek -Wl,--wrap=lode_iterator_next \
	-Wl,--wrap=lode_iterator_key -Wl,--wrap=lode_iterator_value -Wl,--wrap=lode_iterator_status \
	-Wl,--wrap=lode_store_approximate_sizes -Wl,--wrap=lode_store_compact_range
SYNC_LIBS = libsyncrow.la libengines.la libloadblock.la libchainstate.la libtxindex.la librules.la libscript.la \
	libprimitives.la libstorage.la libsupport.la

noinst_PROGRAMS += bench/lode-sync
bench_lode_sync_SOURCES = \
	bench/lode-sync.c \
	bench/lode-import-bench-chain.c bench/lode-import-bench-chain.h \
	bench/lode-import-bench-process.c bench/lode-import-bench-process.h bench/lode-import-bench-rival.h \
	bench/sync/options.c bench/sync/options.h \
	bench/sync/published_2012.c bench/sync/published_2012.h \
	bench/sync/table.c bench/sync/table.h \
	bench/sync/table_json.c
bench_lode_sync_LDADD = libbenchcommon.la $(SYNC_LIBS) $(EXTERNAL_LIBS) $(RIVAL_LIBS)
bench_lode_sync_LDFLAGS = $(AM_LDFLAGS) $(STORE_WRAPS)
endif
