# liblode: everything, behind lode.h and lode/store.h.
lib_LTLIBRARIES += liblode.la
liblode_la_SOURCES = \
	api/ask.c \
	api/background.c \
	api/blocks.c \
	api/check.c \
	api/coins.c api/coins.h \
	api/coin_walk.c \
	api/export.c \
	api/handle.h \
	api/import.c \
	api/layer.c api/layer.h \
	api/load.c \
	api/open.c \
	api/statistics.c \
	api/transaction.c \
	api/state.c api/state.h \
	api/writer.c
liblode_la_LIBADD = libquery.la libsnapshot.la libloadblock.la libchainstate.la libtxindex.la librules.la libscript.la libstorage.la \
	libprimitives.la libsupport.la $(EXTERNAL_LIBS)
liblode_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(LODE_LIBVERSION) -Wl,--version-script=$(srcdir)/api/lode.map
EXTRA_liblode_la_DEPENDENCIES = api/lode.map
EXTRA_DIST += api/lode.map
