# Self-checks, snapshots and exports: a chain looked at as a whole.
noinst_LTLIBRARIES += libsnapshot.la
libsnapshot_la_SOURCES = \
	snapshot/blocks_ahead.c snapshot/blocks_ahead.h \
	snapshot/overlay.c snapshot/overlay.h \
	snapshot/verify_chain.c snapshot/verify_chain.h
