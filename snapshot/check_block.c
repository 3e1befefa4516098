/* snapshot/check_block.c: everything that is stored of one block, held against each other.
 *
 * Room:     block, undo data, index entry and positions in the transaction index. What one spends another has made, so
 * a hash over coins made less coins spent is the hash of the set, with no set at hand (MuHash). Touches:  block files
 * and the transaction index, reading. Threads:  any worker; one task is with one thread at a time.
 */
#include "snapshot/check_block.h"

#include "chainstate/undo.h"
#include "validate/rules/block.h"

/* ---- sums ---- */

void lode_set_sum_init(lode_set_sum *sum)
{
    *sum = (lode_set_sum){ .coins = 0 };
    lode_muhash_init(&sum->hash);
}

void lode_set_sum_add(lode_set_sum *to, const lode_set_sum *from)
{
    lode_muhash_combine(&to->hash, &from->hash);
    to->coins += from->coins;
    to->satoshis += from->satoshis;
}

/* As Core hashes a coin: outpoint, u32 height * 2 + coinbase, value, script. */
static void add_coin(lode_block_check *c, const uint8_t txid[32], uint32_t index, uint32_t code, int64_t value,
                     lode_slice script, bool is_spent)
{
    lode_buf *f = &c->form;

    lode_buf_reset(f);
    lode_buf_append(f, txid, 32);
    lode_buf_put_le32(f, index);
    lode_buf_put_le32(f, code);
    lode_buf_put_le64(f, (uint64_t)value);
    lode_buf_put_compact_size(f, script.len);
    lode_buf_append(f, script.data, script.len);
    if (!lode_buf_is_good(f))
        return; /* asked once at the end of the block */
    if (is_spent)
        lode_muhash_remove(&c->sum.hash, f->data, f->len);
    else
        lode_muhash_insert(&c->sum.hash, f->data, f->len);
    c->sum.coins += is_spent ? -1 : 1;
    c->sum.satoshis += is_spent ? -value : value;
}

static void add_outputs(lode_block_check *c, const lode_tx *tx, uint32_t code)
{
    for (uint32_t i = 0; i < tx->output_count; i++) {
        const lode_txout *o = &tx->outputs[i];
        if (!lode_script_is_unspendable(o->script, o->script_len))
            add_coin(c, tx->txid.bytes, i, code, o->value.sat, lode_slice_of(o->script, o->script_len), false);
    }
}

/* ---- undo data ---- */

static lode_status bad_undo(const lode_entry *e, const char *what)
{
    return lode_fail(LODE_CORRUPT, "rev%05d.dat at %u: undo data %s", e->file, e->undo_pos, what);
}

static lode_status take_spent(lode_block_check *c, lode_undo_reader *u, const lode_txin *in)
{
    uint8_t scratch[67];
    lode_slice stored, script;
    lode_reader r;
    uint64_t amount;
    uint32_t height;
    bool is_coinbase;

    if (!lode_undo_next_coin(u, &height, &is_coinbase, &amount, &stored))
        return bad_undo(c->entry, "ends early");
    r = lode_reader_of(stored.data, stored.len);
    lode_reader_script(&r, &script, scratch);
    if (r.bad)
        return bad_undo(c->entry, "has a script that does not decode");
    if (c->sums && height == 0)
        return lode_fail(LODE_UNSUPPORTED,
                         "rev%05d.dat at %u: undo data in a form of before 2017, which leaves heights out",
                         c->entry->file, c->entry->undo_pos);
    if (c->sums)
        add_coin(c, in->prevout, lode_read_le32(in->prevout + 32), height << 1 | is_coinbase,
                 (int64_t)lode_amount_decompress(amount), script, true);
    return lode_ok();
}

static lode_status walk_undo(lode_block_check *c, const lode_block *block)
{
    lode_undo_reader u;
    uint64_t count;

    lode_undo_reader_init(&u, c->undo.data, c->undo.len, &count);
    if (count + 1 != block->tx_count)
        return bad_undo(c->entry, "is for another number of transactions");
    for (uint32_t i = 1; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        uint64_t inputs;
        if (!lode_undo_next_tx(&u, &inputs) || inputs != tx->input_count)
            return bad_undo(c->entry, "is for another number of inputs");
        for (uint32_t j = 0; j < tx->input_count; j++)
            LODE_TRY(take_spent(c, &u, &tx->inputs[j]));
    }
    return lode_undo_reader_is_done(&u) ? lode_ok() : bad_undo(c->entry, "has bytes left over");
}

static lode_status check_undo(lode_block_check *c, const lode_block *block)
{
    const lode_entry *e = c->entry;

    if (!(e->status & LODE_BLOCK_HAVE_UNDO)) {
        if (c->is_active && e->node.prev)
            return lode_fail(LODE_CORRUPT, "it is in the active chain and has no undo data");
        return lode_ok();
    }
    LODE_TRY(lode_block_files_read_undo(c->chain->files, &c->undo, e->file, e->undo_pos, &e->node.prev->hash));
    if ((uint64_t)e->undo_pos + c->undo.len + 32 > c->undo_size)
        return bad_undo(e, "lies behind the end that the index has for its file");
    return walk_undo(c, block);
}

/* ---- the block ---- */

static lode_status bad_block(const lode_entry *e, const char *what)
{
    return lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: %s", e->file, e->data_pos, what);
}

static lode_status read_block(lode_block_check *c, lode_block *block)
{
    const lode_entry *e = c->entry;
    lode_parse_error error = { NULL, 0 };

    LODE_TRY(lode_block_files_read_block(c->chain->files, &c->raw, e->file, e->data_pos));
    if (!lode_block_parse(block, &c->arena, c->raw.data, c->raw.len, 0, &error))
        return bad_block(e, error.what ? error.what : "no block");
    if (!lode_block_hash_is_equal(&block->hash, &e->node.hash))
        return bad_block(e, "another block");
    c->size = block->size;
    if ((uint64_t)e->data_pos + block->size > c->file_size)
        return bad_block(e, "it lies behind the end that the index has for its file");
    if (block->tx_count != e->tx_count)
        return lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: %u transactions, the index says %u", e->file, e->data_pos,
                         block->tx_count, e->tx_count);
    return lode_ok();
}

static lode_status examine(lode_block_check *c, const lode_block *block)
{
    const lode_entry *e = c->entry;
    lode_block_facts facts;
    lode_verdict verdict;
    char reason[160];

    if (!lode_block_examine(&facts, block, &c->arena, &c->chain->params))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %u transactions", block->tx_count);
    verdict = facts.verdict;
    if (verdict.reject == LODE_VALID && e->node.prev)
        verdict = lode_block_check_context(block, &facts, e->node.prev, &c->chain->params);
    /* a block that is known to be invalid may be so in its own right */
    if (verdict.reject != LODE_VALID && (verdict.is_mutated || !(e->status & LODE_BLOCK_FAILED_VALID)))
        return bad_block(e, lode_verdict_text(reason, sizeof reason, &verdict));
    return lode_ok();
}

/* ---- the transaction index ---- */

static lode_status check_position(lode_block_check *c, const lode_block *block, uint32_t i)
{
    const lode_tx *tx = &block->txs[i];
    const lode_entry *e = c->entry;
    uint32_t offset = (uint32_t)(tx->raw - block->raw) - LODE_HEADER_SIZE;
    lode_tx_position p = { 0, 0, 0 };
    bool found = false;
    char hex[65];

    if (i == 0 && lode_block_is_bip30_unspendable(&e->node, &c->chain->params))
        return lode_ok(); /* its coinbase was made again later, and the index names the later one */
    LODE_TRY(lode_txindex_find(c->chain->txindex, &found, &p, &tx->txid));
    if (found && p.file == e->file && p.block_pos == e->data_pos && p.tx_offset == offset)
        return lode_ok();
    lode_hash_to_hex(hex, tx->txid.bytes);
    return lode_fail(LODE_CORRUPT, "the transaction index %s transaction %s", found ? "has another place for" : "lacks",
                     hex);
}

static lode_status check_positions(lode_block_check *c, const lode_block *block)
{
    for (uint32_t i = 0; i < block->tx_count; i++)
        LODE_TRY(check_position(c, block, i));
    return lode_ok();
}

/* ---- the task ---- */

static void add_block(lode_block_check *c, const lode_block *block)
{
    uint32_t height = (uint32_t)c->entry->node.height;
    bool is_overwritten = lode_block_is_bip30_unspendable(&c->entry->node, &c->chain->params);

    for (uint32_t i = 0; i < block->tx_count; i++)
        if (i > 0 || !is_overwritten)
            add_outputs(c, &block->txs[i], height << 1 | (i == 0));
}

static lode_status check(lode_block_check *c)
{
    lode_block block;

    lode_arena_reset(&c->arena);
    lode_buf_reset(&c->form);
    c->size = 0;
    LODE_TRY(read_block(c, &block));
    LODE_TRY(examine(c, &block));
    LODE_TRY(check_undo(c, &block));
    if (c->is_indexed)
        LODE_TRY(check_positions(c, &block));
    if (c->sums)
        add_block(c, &block);
    return lode_buf_is_good(&c->form) ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory for a coin");
}

static void run(lode_task *task)
{
    lode_block_check *c = (lode_block_check *)task;
    lode_waiter *waiter = c->waiter;

    c->status = check(c);
    __atomic_store_n(&c->done, 1, __ATOMIC_RELEASE);
    lode_waiter_tell(waiter);
}

void lode_block_check_init(lode_block_check *c, lode_chain *chain, lode_waiter *waiter)
{
    memset(c, 0, sizeof *c);
    c->chain = chain;
    c->waiter = waiter;
    c->status = lode_ok();
    c->task.run = run;
    lode_set_sum_init(&c->sum);
}

void lode_block_check_clear(lode_block_check *c)
{
    lode_arena_clear(&c->arena);
    lode_buf_clear(&c->raw);
    lode_buf_clear(&c->undo);
    lode_buf_clear(&c->form);
}

void lode_block_check_submit(lode_block_check *c, lode_pool *pool)
{
    c->done = 0;
    lode_pool_submit(pool, LODE_POOL_NORMAL, &c->task);
}
