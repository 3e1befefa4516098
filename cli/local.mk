# The `lode` program, on liblode's public header alone. The parts that stand without the library are linked by tests too.
noinst_LTLIBRARIES += libcli.la
libcli_la_SOURCES = \
	cli/config_file.c cli/config_file.h \
	cli/console.c cli/console.h \
	cli/options.c cli/options.h \
	cli/progress.c cli/progress.h \
	cli/report.c cli/report.h \
	cli/settings.c cli/settings.h \
	cli/step_meter.c cli/step_meter.h
bin_PROGRAMS += lode
lode_SOURCES = \
	cli/command_blocks.c \
	cli/command_check.c \
	cli/command_export.c \
	cli/command_help.c \
	cli/command_import.c \
	cli/command_loadtxoutset.c \
	cli/command_query.c \
	cli/command_verifychain.c \
	cli/commands.h \
	cli/main.c \
	cli/reader.c cli/reader.h \
	cli/setup.c cli/setup.h \
	cli/signals.c cli/signals.h
lode_LDADD = libcli.la liblode.la

dist_man_MANS += doc/lode.1
EXTRA_DIST += run scripts/common.sh scripts/package_test.sh .ci/run CHANGELOG README.md
