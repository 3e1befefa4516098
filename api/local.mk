# liblode: everything, behind lode.h and lode/store.h.
lib_LTLIBRARIES += liblode.la
liblode_la_SOURCES = \
	api/ask.c \
	api/check.c \
	api/export.c \
	api/handle.h \
	api/import.c \
	api/load.c \
	api/open.c
liblode_la_LIBADD = libquery.la libsnapshot.la libloadblock.la libchainstate.la libtxindex.la librules.la libscript.la libstorage.la \
	libprimitives.la libsupport.la $(EXTERNAL_LIBS)
liblode_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(LODE_LIBVERSION)
