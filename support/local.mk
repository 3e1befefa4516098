noinst_LTLIBRARIES += libsupport.la
libsupport_la_SOURCES = \
	support/arena.c support/arena.h \
	support/bytes.c support/bytes.h \
	support/check.c support/check.h \
	support/env.h support/env_helpers.c support/env_system.c \
	support/log.c support/log.h \
	support/pool.c support/pool.h \
	support/status.c support/status.h \
	support/thread.c support/thread.h \
	support/waiter.h
