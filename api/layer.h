/* api/layer.h: how some blocks changed the coins, as a sorted list that never changes once it is made. */
#ifndef LODE_API_LAYER_H
#define LODE_API_LAYER_H

#include "chainstate/undo.h"
#include "primitives/tx.h"

typedef struct lode_layer_item {
    size_t offset; /* of the key in bytes; the value stands behind it */
    uint32_t key_len;
    uint32_t value_len; /* LODE_LAYER_GONE: the coin is gone */
} lode_layer_item;
#define LODE_LAYER_GONE UINT32_MAX

typedef struct lode_layer {
    int references; /* atomic */
    uint64_t last_step;
    lode_layer_item *items; /* by key, each once */
    size_t count;
    uint8_t *bytes;
    size_t byte_count;
} lode_layer;

/* What is being gathered: what comes later holds. */
typedef struct lode_layer_builder {
    lode_buf bytes;
    lode_layer_item *items;
    size_t count, capacity;
    bool failed; /* memory was out */
} lode_layer_builder;

void lode_layer_builder_clear(lode_layer_builder *b);
void lode_layer_add_block(lode_layer_builder *b, const lode_block *block, int32_t height);
void lode_layer_take_block_back(lode_layer_builder *b, const lode_block *block, lode_slice undo);
/* What was gathered; the builder is empty then. given: lode_layer_release; NULL when memory is out. */
lode_layer *lode_layer_make(lode_layer_builder *b, uint64_t last_step);
/* Both in one, `newer` over `older`. given; NULL when memory is out. */
lode_layer *lode_layer_merge(const lode_layer *older, const lode_layer *newer);
void lode_layer_hold(lode_layer *layer);
void lode_layer_release(lode_layer *layer); /* NULL does nothing */
size_t lode_layer_bytes(const lode_layer *layer);

/* The first item at or after the key. */
size_t lode_layer_lower_bound(const lode_layer *layer, const uint8_t *key, size_t key_len);
/* NULL: the layer does not know it. */
const lode_layer_item *lode_layer_find(const lode_layer *layer, const uint8_t *key, size_t key_len);
static inline lode_slice lode_layer_key(const lode_layer *layer, const lode_layer_item *item)
{
    return lode_slice_of(layer->bytes + item->offset, item->key_len);
}
static inline lode_slice lode_layer_value(const lode_layer *layer, const lode_layer_item *item)
{
    return lode_slice_of(layer->bytes + item->offset + item->key_len,
                         item->value_len == LODE_LAYER_GONE ? 0 : item->value_len);
}

#endif
