noinst_LTLIBRARIES += libloadblock.la
libloadblock_la_SOURCES = \
	loadblock/accept.c \
	loadblock/checks.c \
	loadblock/chunk.c loadblock/chunk.h \
	loadblock/dry_run.c \
	loadblock/handle.c \
	loadblock/import.c loadblock/import.h \
	loadblock/input.c loadblock/input.h \
	loadblock/notices.c \
	loadblock/one.c \
	loadblock/pipeline.c loadblock/pipeline.h \
	loadblock/rescan.c \
	loadblock/run.h \
	loadblock/scan.c loadblock/scan.h loadblock/scan_private.h \
	loadblock/scan_frames.c \
	loadblock/scan_order.c \
	loadblock/stored.c loadblock/stored.h \
	loadblock/waiting.c loadblock/waiting.h \
	loadblock/work.c loadblock/work.h
