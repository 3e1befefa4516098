# The engines that are measured, each where its library was found.
noinst_LTLIBRARIES += libengines.la
libengines_la_SOURCES = \
	bench/engines/engine.c bench/engines/engine.h \
	bench/engines/files.c \
	bench/engines/lode.c
if HAVE_LEVELDB
libengines_la_SOURCES += bench/engines/leveldb.c bench/engines/leveldb_calls.h
endif
if HAVE_ROCKSDB
libengines_la_SOURCES += bench/engines/rocksdb.c bench/engines/leveldb_calls.h
endif
if HAVE_LMDB
libengines_la_SOURCES += bench/engines/lmdb.c
endif
if HAVE_BERKELEYDB
libengines_la_SOURCES += bench/engines/berkeleydb.c
endif
if HAVE_SQLITE
libengines_la_SOURCES += bench/engines/sqlite.c
endif
if HAVE_KYOTO
libengines_la_SOURCES += bench/engines/kyoto.c
endif
if HAVE_TOKYO
libengines_la_SOURCES += bench/engines/tokyo.c
endif
