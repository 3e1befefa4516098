# Self-checks, snapshots and exports: a chain looked at as a whole.
noinst_LTLIBRARIES += libsnapshot.la
libsnapshot_la_SOURCES = \
	snapshot/assumed.c snapshot/assumed.h \
	snapshot/blocks_ahead.c snapshot/blocks_ahead.h \
	snapshot/check.c snapshot/check.h \
	snapshot/check_block.c snapshot/check_block.h \
	snapshot/coin_file.c snapshot/coin_file.h \
	snapshot/coin_file_reader.c snapshot/coin_file_reader.h \
	snapshot/earlier_coins.c snapshot/earlier_coins.h \
	snapshot/dump.c \
	snapshot/file_writer.c snapshot/file_writer.h \
	snapshot/load.c snapshot/load.h \
	snapshot/overlay.c snapshot/overlay.h \
	snapshot/verify_chain.c snapshot/verify_chain.h
