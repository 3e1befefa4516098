# The `lode` program, on liblode's public header alone. The parts that stand without the library are linked by tests too.
noinst_LTLIBRARIES += libcli.la
libcli_la_SOURCES = \
	cli/config_file.c cli/config_file.h \
	cli/options.c cli/options.h \
	cli/settings.c cli/settings.h
