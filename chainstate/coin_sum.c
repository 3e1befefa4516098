/* chainstate/coin_sum.c: coins in key order, summed up and hashed.
 *
 * Room:     the outputs of one transaction at a time, as they are hashed.
 * Touches:  its arguments.
 * Source:   Core's kernel/coinstats.cpp.
 */
#include "chainstate/coin_sum.h"

#include <stdlib.h>

/* One unspent output of the transaction at hand, its serialised form within the sum's buffer. */
typedef struct coin_form {
    uint32_t index;
    size_t start, len;
} coin_form;

static int compare_forms(const void *a, const void *b)
{
    uint32_t x = ((const coin_form *)a)->index;
    uint32_t y = ((const coin_form *)b)->index;
    return x < y ? -1 : x > y;
}

/* The transaction is whole: hash its outputs by number. (The database's order is that of their VARINTs, which differs
 * above 16,511.) */
void lode_coin_sum_end_tx(lode_coin_sum *sum)
{
    size_t count = sum->forms.len / sizeof(coin_form);
    coin_form *forms = (coin_form *)(void *)sum->forms.data;

    if (count > 1)
        qsort(forms, count, sizeof *forms, compare_forms);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *form = sum->bytes.data + forms[i].start;
        if (sum->wants_serialized)
            lode_sha256_add(&sum->serialized, form, forms[i].len);
        if (sum->wants_muhash)
            lode_muhash_insert(&sum->muhash, form, forms[i].len);
    }
    lode_buf_reset(&sum->forms);
    lode_buf_reset(&sum->bytes);
}

void lode_coin_sum_init(lode_coin_sum *sum, bool muhash, bool serialized)
{
    *sum = (lode_coin_sum){ .wants_muhash = muhash, .wants_serialized = serialized };
    lode_muhash_init(&sum->muhash);
    lode_sha256_begin(&sum->serialized);
}

void lode_coin_sum_clear(lode_coin_sum *sum)
{
    lode_buf_clear(&sum->bytes);
    lode_buf_clear(&sum->forms);
}

/* Serialised for hashing: outpoint, u32 height * 2 + coinbase, i64 value, CompactSize script. All little endian. */
lode_status lode_coin_sum_add(lode_coin_sum *sum, const uint8_t prevout[36], const lode_coin_view *view)
{
    lode_reader r = lode_reader_of(view->script.data, view->script.len);
    lode_amount value = { (int64_t)lode_amount_decompress(view->compressed_amount) };
    coin_form form = { lode_read_le32(prevout + 32), sum->bytes.len, 0 };
    uint8_t scratch[67];
    lode_slice script;

    lode_reader_script(&r, &script, scratch);
    if (!lode_reader_is_done(&r) || !lode_amount_is_money(value) || !lode_amount_add(&sum->total, value)) {
        char hex[65];
        lode_hash_to_hex(hex, prevout);
        return lode_fail(LODE_CORRUPT, "the stored coin %s:%u does not decode to a script and an amount of money", hex,
                         form.index);
    }
    if (sum->txouts++ == 0 || memcmp(sum->txid, prevout, 32) != 0) {
        lode_coin_sum_end_tx(sum);
        form.start = 0;
        memcpy(sum->txid, prevout, 32);
        sum->transactions++;
    }
    if (view->height > sum->max_height)
        sum->max_height = view->height;
    sum->bogosize += 50 + script.len;
    if (!sum->wants_muhash && !sum->wants_serialized)
        return lode_ok();
    lode_buf_append(&sum->bytes, prevout, 36);
    lode_buf_put_le32(&sum->bytes, view->height * 2 + view->is_coinbase);
    lode_buf_put_le64(&sum->bytes, (uint64_t)value.sat);
    lode_buf_put_compact_size(&sum->bytes, script.len);
    lode_buf_append(&sum->bytes, script.data, script.len);
    form.len = sum->bytes.len - form.start;
    lode_buf_append(&sum->forms, &form, sizeof form);
    if (!lode_buf_is_good(&sum->bytes) || !lode_buf_is_good(&sum->forms))
        return lode_fail(LODE_NO_MEMORY, "out of memory while hashing the coin set");
    return lode_ok();
}
