/* storage/table_builder.h: writes one sorted table.
 *
 * Table:   data block... | filter block | metaindex block | index block | footer
 * Block:   bytes | compression u8 | masked crc of both u32
 * Footer:  metaindex handle, index handle, zeros up to 40 bytes | magic 57fb808b247547db
 * Handle:  offset varint | length varint, without the 5 bytes after the block
 */
#ifndef LODE_STORAGE_TABLE_BUILDER_H
#define LODE_STORAGE_TABLE_BUILDER_H

#include "storage/format.h"
#include "support/env.h"

typedef struct lode_table_builder lode_table_builder;

typedef struct lode_table_options {
    const lode_comparator *cmp; /* kept; NULL: bytewise */
    size_t block_bytes;
    unsigned restart_interval;
    unsigned bloom_bits_per_key;
    const lode_filter_policy *filter_policy; /* kept; NULL: bloom, or with 0 bits no filter */
    lode_compression compression;
} lode_table_options;

/* Creates the file; one that stands there is overwritten, since only a dead writer can have left it. */
lode_status lode_table_builder_create(lode_table_builder **out, lode_env *env, const char *path,
                                      const lode_table_options *options);
/* Internal keys, strictly ascending. The first error stays. */
lode_status lode_table_builder_add(lode_table_builder *b, lode_slice key, lode_slice value);
/* Everything is written; with `sync` it is on disk. */
lode_status lode_table_builder_finish(lode_table_builder *b, bool sync);
void lode_table_builder_destroy(lode_table_builder *b); /* closes; the file stays; NULL does nothing */

uint64_t lode_table_builder_bytes(const lode_table_builder *b);       /* of the file so far */
lode_slice lode_table_builder_first_key(const lode_table_builder *b); /* internal; lent until destroy */
lode_slice lode_table_builder_last_key(const lode_table_builder *b);  /* lent until the next add or destroy */

#endif
