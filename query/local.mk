# bitcoin-cli's commands over an open chain.
noinst_LTLIBRARIES += libquery.la
libquery_la_SOURCES = \
	query/arguments.c query/arguments.h \
	query/call.h \
	query/descriptor.c query/descriptor.h \
	query/descriptor_key.c query/descriptor_key.h \
	query/descriptor_parse.c query/descriptor_parse.h \
	query/export.c query/export.h query/export_sqlite.c \
	query/find_tx.c query/find_tx.h \
	query/help.c query/help.h \
	query/json.c query/json.h \
	query/query.c query/query.h \
	query/query_block.c \
	query/query_chain.c \
	query/query_coins.c \
	query/query_scan.c \
	query/query_snapshot.c \
	query/query_tx.c \
	query/script_asm.c query/script_asm.h \
	query/script_class.c query/script_class.h \
	query/tx_json.c query/tx_json.h
