# Programs to learn from: built and run by the tests.
check_PROGRAMS += example/embed
example_embed_SOURCES = example/embed.c
example_embed_CPPFLAGS = -I$(top_srcdir)/include
example_embed_LDADD = liblode.la
