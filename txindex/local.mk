# txindex/local.mk
noinst_LTLIBRARIES += libtxindex.la
libtxindex_la_SOURCES = \
	txindex/core_store.c \
	txindex/core_store.h \
	txindex/entries.c \
	txindex/entries.h \
	txindex/txindex.c \
	txindex/txindex.h \
	txindex/txindex_private.h \
	txindex/writer.c
