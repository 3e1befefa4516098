/* leveldb/batch.c: batches. One is the store's own, under another name.
 *
 * Touches:  memory only.
 */
#include <stdlib.h>

#include "leveldb/internal.h"

static lode_batch *batch_of(leveldb_writebatch_t *batch)
{
    return (lode_batch *)batch;
}

leveldb_writebatch_t *leveldb_writebatch_create(void)
{
    return (leveldb_writebatch_t *)lode_batch_create();
}
void leveldb_writebatch_destroy(leveldb_writebatch_t *batch)
{
    lode_batch_destroy(batch_of(batch));
}
void leveldb_writebatch_clear(leveldb_writebatch_t *batch)
{
    lode_batch_clear(batch_of(batch));
}
void leveldb_writebatch_put(leveldb_writebatch_t *batch, const char *key, size_t key_len, const char *value,
                            size_t value_len)
{
    lode_batch_put(batch_of(batch), key, key_len, value, value_len);
}
void leveldb_writebatch_delete(leveldb_writebatch_t *batch, const char *key, size_t key_len)
{
    lode_batch_delete(batch_of(batch), key, key_len);
}
void leveldb_writebatch_append(leveldb_writebatch_t *to, const leveldb_writebatch_t *from)
{
    lode_batch_append(batch_of(to), (const lode_batch *)from);
}

typedef struct visitor {
    void *state;
    void (*put)(void *state, const char *key, size_t key_len, const char *value, size_t value_len);
    void (*deleted)(void *state, const char *key, size_t key_len);
} visitor;

static void visit(void *context, lode_bytes key, const lode_bytes *value)
{
    const visitor *v = context;
    if (value)
        v->put(v->state, key.data, key.len, value->data, value->len);
    else
        v->deleted(v->state, key.data, key.len);
}

void leveldb_writebatch_iterate(const leveldb_writebatch_t *batch, void *state,
                                void (*put)(void *state, const char *key, size_t key_len, const char *value,
                                            size_t value_len),
                                void (*deleted)(void *state, const char *key, size_t key_len))
{
    visitor v = { state, put, deleted };
    lode_ignore(lode_batch_iterate((const lode_batch *)batch, &v, visit)); /* writing a batch tells what is wrong */
}
