noinst_LTLIBRARIES += libstorage.la
libstorage_la_SOURCES = \
	storage/batch.c storage/batch.h \
	storage/block.c storage/block.h \
	storage/block_builder.c storage/block_builder.h \
	storage/cache.c storage/cache.h \
	storage/checkpoint.c \
	storage/coding.c storage/coding.h \
	storage/compaction.c \
	storage/crc32c.c storage/crc32c.h \
	storage/cursor.h \
	storage/destroy.c \
	storage/file_meta.h \
	storage/file_name.c storage/file_name.h \
	storage/filter.c storage/filter.h \
	storage/flush.c \
	storage/format.h \
	storage/get.c \
	storage/iterator.c \
	storage/key_index.c storage/key_index.h \
	storage/level_cursor.c \
	storage/log_format.h \
	storage/log_reader.c storage/log_reader.h \
	storage/log_writer.c storage/log_writer.h \
	storage/memtable.c storage/memtable.h \
	storage/merge_cursor.c storage/merge_cursor.h \
	storage/merge_job.c storage/merge_job.h \
	storage/open.c \
	storage/pick.c \
	storage/property.c \
	storage/recovery.c \
	storage/repair.c \
	storage/run.c storage/run.h \
	storage/run_finish.c \
	storage/snapshot.c \
	storage/store_internal.h \
	storage/table.c storage/table.h storage/table_internal.h \
	storage/table_builder.c storage/table_builder.h \
	storage/table_cache.c storage/table_cache.h \
	storage/table_cursor.c \
	storage/unpack.c storage/unpack.h \
	storage/verify.c \
	storage/version.c storage/version.h \
	storage/version_edit.c storage/version_edit.h \
	storage/versions.c storage/versions.h \
	storage/view.c \
	storage/write.c
