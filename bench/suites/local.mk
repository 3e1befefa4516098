bench_lode_bench_SOURCES += \
	bench/suites/chapter.c bench/suites/chapter.h bench/suites/run_internal.h \
	bench/suites/coins.c \
	bench/suites/documents_2003.c \
	bench/suites/hashdb_2011.c \
	bench/suites/leveldb_2011.c \
	bench/suites/lmdb_2012.c \
	bench/suites/options.c bench/suites/options.h \
	bench/suites/outcome.c bench/suites/outcome.h \
	bench/suites/outcome_json.c \
	bench/suites/pieces.c \
	bench/suites/plan.c bench/suites/plan.h \
	bench/suites/published.c bench/suites/published.h \
	bench/suites/store.c \
	bench/suites/txids.c \
	bench/suites/workload.c bench/suites/workload.h
