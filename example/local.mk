# Programs to learn from: built and run by the tests.
check_PROGRAMS += example/embed example/watch
example_embed_SOURCES = example/embed.c
example_embed_CPPFLAGS = -I$(top_srcdir)/include
example_embed_LDADD = liblode.la
example_watch_SOURCES = example/watch.c
example_watch_CPPFLAGS = -I$(top_srcdir)/include
example_watch_LDADD = liblode.la
