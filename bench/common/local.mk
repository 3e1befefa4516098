# bench/common/local.mk: what the benchmarks share.
noinst_LTLIBRARIES += libbenchcommon.la
libbenchcommon_la_SOURCES = \
	bench/common/options.c bench/common/options.h \
	bench/common/report.c bench/common/report.h
