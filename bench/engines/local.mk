# The engines that lode-bench measures, each where its library was found.
bench_lode_bench_SOURCES += \
	bench/engines/engine.c bench/engines/engine.h \
	bench/engines/files.c \
	bench/engines/lode.c
if HAVE_LEVELDB
bench_lode_bench_SOURCES += bench/engines/leveldb.c
endif
if HAVE_ROCKSDB
bench_lode_bench_SOURCES += bench/engines/rocksdb.c
endif
if HAVE_LMDB
bench_lode_bench_SOURCES += bench/engines/lmdb.c
endif
if HAVE_BERKELEYDB
bench_lode_bench_SOURCES += bench/engines/berkeleydb.c
endif
if HAVE_SQLITE
bench_lode_bench_SOURCES += bench/engines/sqlite.c
endif
