# liblode-leveldb: LevelDB's C interface over the store. Only leveldb_* is seen from outside.
lib_LTLIBRARIES += liblode-leveldb.la
liblode_leveldb_la_SOURCES = \
	leveldb/batch.c \
	leveldb/custom.c \
	leveldb/error.c \
	leveldb/internal.h \
	leveldb/iterator.c \
	leveldb/options.c \
	leveldb/store.c
liblode_leveldb_la_LIBADD = libstorage.la libsupport.la $(SNAPPY_LIBS)
liblode_leveldb_la_LDFLAGS = $(AM_LDFLAGS) -export-symbols-regex '^leveldb_' -version-info $(LODE_LIBVERSION)
pkgconfig_DATA += lode-leveldb.pc
lodeleveldbdir = $(includedir)/lode-leveldb/leveldb
lodeleveldb_HEADERS = include/lode-leveldb/leveldb/c.h
