# Rules for headers, transactions and blocks, and the parameters of each network.
noinst_LTLIBRARIES += librules.la
librules_la_SOURCES = \
	validate/rules/block.h \
	validate/rules/block_context.c \
	validate/rules/block_examine.c \
	validate/rules/commitment.h \
	validate/rules/header.c \
	validate/rules/header.h \
	validate/rules/node.c \
	validate/rules/node.h \
	validate/rules/params.c \
	validate/rules/params.h \
	validate/rules/params_set.c \
	validate/rules/prevouts.c \
	validate/rules/prevouts.h \
	validate/rules/reject.c \
	validate/rules/reject.h \
	validate/rules/signet.c \
	validate/rules/sigops.h \
	validate/rules/tx.c \
	validate/rules/tx.h \
	validate/rules/u256.c \
	validate/rules/u256.h
