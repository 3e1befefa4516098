# The chain's state: block index, block files, coins, undo.
noinst_LTLIBRARIES += libchainstate.la
libchainstate_la_SOURCES = \
	chainstate/block_files.c \
	chainstate/block_files.h \
	chainstate/block_files_handle.c \
	chainstate/block_files_private.h \
	chainstate/block_files_read.c \
	chainstate/block_files_write.c \
	chainstate/block_index.c \
	chainstate/block_index.h \
	chainstate/block_index_best.c \
	chainstate/block_index_load.c \
	chainstate/block_index_private.h \
	chainstate/block_index_record.c \
	chainstate/block_index_store.c \
	chainstate/block_index_verify.c \
	chainstate/chain.c \
	chainstate/chain.h \
	chainstate/chain_flush.c \
	chainstate/chain_replay.c \
	chainstate/coins.c \
	chainstate/coins.h \
	chainstate/coins_access.c \
	chainstate/coins_blocks.c \
	chainstate/coins_blocks.h \
	chainstate/coins_cursor.c \
	chainstate/coins_fetch.c \
	chainstate/coins_flush.c \
	chainstate/coins_internal.h \
	chainstate/coins_pool.c \
	chainstate/coins_pool.h \
	chainstate/coins_record.c \
	chainstate/coins_record.h \
	chainstate/coins_shard.c \
	chainstate/coins_shard.h \
	chainstate/connect.c \
	chainstate/connect.h \
	chainstate/directory.c \
	chainstate/directory.h \
	chainstate/disconnect.c \
	chainstate/notes.c \
	chainstate/notes.h \
	chainstate/undo.c \
	chainstate/undo.h \
	chainstate/utxo_stats.c \
	chainstate/utxo_stats.h
