/* api/layer.c: changes of coins by blocks, gathered, sorted, merged.
 *
 * Room:     keys and values as the coins database has them, so that layers and database are read alike. A layer tells
 * what each outpoint it names has become in the end: laid over any state between its first block and its last, it gives
 * the last. Threads:  a layer is constant and shared by counting; a builder is one thread's.
 */
#include "api/layer.h"

#include <stdlib.h>

/* ---- gathering ---- */

void lode_layer_builder_clear(lode_layer_builder *b)
{
    lode_buf_clear(&b->bytes);
    free(b->items);
    *b = (lode_layer_builder){ .bytes = LODE_BUF_EMPTY };
}

static bool begin_item(lode_layer_builder *b, const uint8_t prevout[36])
{
    uint8_t key[LODE_COIN_KEY_MAX];
    size_t len = lode_coin_key(key, prevout);

    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 1024;
        lode_layer_item *bigger = realloc(b->items, capacity * sizeof *bigger);
        if (!bigger) {
            b->failed = true;
            return false;
        }
        b->items = bigger;
        b->capacity = capacity;
    }
    b->items[b->count++] = (lode_layer_item){ b->bytes.len, (uint32_t)len, LODE_LAYER_GONE };
    lode_buf_append(&b->bytes, key, len);
    return true;
}

static void put_gone(lode_layer_builder *b, const uint8_t prevout[36])
{
    begin_item(b, prevout);
}

static void put_output(lode_layer_builder *b, const uint8_t prevout[36], const lode_coin *coin)
{
    size_t len = lode_coin_encoded_length(coin);
    uint8_t *room;

    if (!begin_item(b, prevout))
        return;
    room = lode_buf_extend(&b->bytes, len);
    if (room)
        b->items[b->count - 1].value_len = (uint32_t)lode_coin_encode(room, coin);
}

static void outpoint_of(uint8_t out[36], const lode_tx *tx, uint32_t index)
{
    memcpy(out, tx->txid.bytes, 32);
    lode_write_le32(out + 32, index);
}

static bool is_kept(const lode_txout *o)
{
    return !lode_script_is_unspendable(o->script, o->script_len);
}

void lode_layer_add_block(lode_layer_builder *b, const lode_block *block, int32_t height)
{
    uint8_t prevout[36];

    for (uint32_t i = 0; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        for (uint32_t j = 0; i && j < tx->input_count; j++)
            put_gone(b, tx->inputs[j].prevout);
        for (uint32_t o = 0; o < tx->output_count; o++) {
            const lode_txout *out = &tx->outputs[o];
            lode_coin coin = { out->value, (uint32_t)height, i == 0, lode_slice_of(out->script, out->script_len) };
            if (!is_kept(out))
                continue;
            outpoint_of(prevout, tx, o);
            put_output(b, prevout, &coin);
        }
    }
}

static void put_stored(lode_layer_builder *b, const uint8_t prevout[36], uint64_t code, uint64_t amount,
                       lode_slice script)
{
    size_t before;

    if (!begin_item(b, prevout))
        return;
    before = b->bytes.len;
    lode_buf_put_varint(&b->bytes, code);
    lode_buf_put_varint(&b->bytes, amount);
    lode_buf_append(&b->bytes, script.data, script.len);
    b->items[b->count - 1].value_len = (uint32_t)(b->bytes.len - before);
}

void lode_layer_take_block_back(lode_layer_builder *b, const lode_block *block, lode_slice undo)
{
    lode_undo_reader u;
    uint64_t txs, inputs, amount;
    uint8_t prevout[36];
    lode_slice script;
    uint32_t height;
    bool is_coinbase;

    /* first what it spent, then what it made: what was made and spent in the block is gone in the end */
    lode_undo_reader_init(&u, undo.data, undo.len, &txs);
    for (uint32_t i = 1; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        if (!lode_undo_next_tx(&u, &inputs) || inputs != tx->input_count)
            b->failed = true; /* cannot be: it has just been taken back with it */
        for (uint32_t j = 0; !b->failed && j < tx->input_count; j++) {
            if (lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script))
                put_stored(b, tx->inputs[j].prevout, (uint64_t)height * 2 + is_coinbase, amount, script);
            else
                b->failed = true;
        }
    }
    for (uint32_t i = 0; i < block->tx_count; i++) {
        for (uint32_t o = 0; o < block->txs[i].output_count; o++) {
            if (!is_kept(&block->txs[i].outputs[o]))
                continue;
            outpoint_of(prevout, &block->txs[i], o);
            put_gone(b, prevout);
        }
    }
}

/* ---- layers ---- */

static int compare_items(const void *x, const void *y, void *context)
{
    const lode_layer_item *a = x, *b = y;
    const uint8_t *bytes = context;
    int order =
        lode_slice_compare(lode_slice_of(bytes + a->offset, a->key_len), lode_slice_of(bytes + b->offset, b->key_len));

    return order ? order : a->offset < b->offset ? -1 : a->offset > b->offset;
}

lode_layer *lode_layer_make(lode_layer_builder *b, uint64_t last_step)
{
    lode_layer *layer = b->failed || !lode_buf_is_good(&b->bytes) ? NULL : calloc(1, sizeof *layer);
    size_t kept = 0;

    if (!layer) {
        lode_layer_builder_clear(b);
        return NULL;
    }
    if (b->count)
        qsort_r(b->items, b->count, sizeof *b->items, compare_items, b->bytes.data);
    for (size_t i = 0; i < b->count; i++) {
        const lode_layer_item *a = &b->items[i], *next = i + 1 < b->count ? a + 1 : NULL;
        if (next && a->key_len == next->key_len &&
            memcmp(b->bytes.data + a->offset, b->bytes.data + next->offset, a->key_len) == 0)
            continue; /* the later one holds */
        b->items[kept++] = *a;
    }
    *layer = (lode_layer){ 1, last_step, b->items, kept, b->bytes.data, b->bytes.len };
    *b = (lode_layer_builder){ .bytes = LODE_BUF_EMPTY };
    return layer;
}

static void copy_item(lode_layer *to, const lode_layer *from, const lode_layer_item *item)
{
    size_t len = item->key_len + lode_layer_value(from, item).len;

    memcpy(to->bytes + to->byte_count, from->bytes + item->offset, len);
    to->items[to->count++] = (lode_layer_item){ to->byte_count, item->key_len, item->value_len };
    to->byte_count += len;
}

lode_layer *lode_layer_merge(const lode_layer *older, const lode_layer *newer)
{
    lode_layer *m = calloc(1, sizeof *m);
    size_t i = 0, j = 0;

    if (!m)
        return NULL;
    *m = (lode_layer){ .references = 1, .last_step = newer->last_step };
    m->items = malloc((older->count + newer->count + 1) * sizeof *m->items);
    m->bytes = malloc(older->byte_count + newer->byte_count + 1);
    if (!m->items || !m->bytes) {
        lode_layer_release(m);
        return NULL;
    }
    while (i < older->count || j < newer->count) {
        int order = i == older->count   ? 1
                    : j == newer->count ? -1
                                        : lode_slice_compare(lode_layer_key(older, &older->items[i]),
                                                             lode_layer_key(newer, &newer->items[j]));
        if (order < 0)
            copy_item(m, older, &older->items[i++]);
        else
            copy_item(m, newer, &newer->items[j++]);
        if (order == 0)
            i++;
    }
    return m;
}

void lode_layer_hold(lode_layer *layer)
{
    __atomic_add_fetch(&layer->references, 1, __ATOMIC_RELAXED);
}

void lode_layer_release(lode_layer *layer)
{
    if (!layer || __atomic_sub_fetch(&layer->references, 1, __ATOMIC_ACQ_REL))
        return;
    free(layer->items);
    free(layer->bytes);
    free(layer);
}

size_t lode_layer_bytes(const lode_layer *layer)
{
    return layer->byte_count + layer->count * sizeof *layer->items;
}

size_t lode_layer_lower_bound(const lode_layer *layer, const uint8_t *key, size_t key_len)
{
    size_t low = 0, high = layer->count;
    lode_slice wanted = lode_slice_of(key, key_len);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lode_slice_compare(lode_layer_key(layer, &layer->items[middle]), wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const lode_layer_item *lode_layer_find(const lode_layer *layer, const uint8_t *key, size_t key_len)
{
    size_t at = lode_layer_lower_bound(layer, key, key_len);

    if (at == layer->count ||
        lode_slice_compare(lode_layer_key(layer, &layer->items[at]), lode_slice_of(key, key_len)) != 0)
        return NULL;
    return &layer->items[at];
}
