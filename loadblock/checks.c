/* loadblock/checks.c: the script checks of a connected block, cut into tasks for the pool.
 *
 * Room:     spent outputs are rebuilt from the block's undo data by the worker that needs them, so that connecting only
 *           copies bytes. Which failure is told does not depend on timing: every task keeps its first, and the first
 *           task in block order decides.
 * Threads:  submit and verdict: the chain's. Tasks: any worker; they read the block and write their own result.
 */
#include "chainstate/undo.h"
#include "loadblock/work.h"
#include "support/check.h"
#include "validate/script/sig_cache.h"

enum { INPUTS_PER_TASK = 48, INPUTS_PER_BIG_TASK = 256 };

/* The outputs that a transaction spends, from its part of the undo data. */
static bool rebuild_spent(lode_txout *spent, lode_arena *arena, const lode_work *w, uint32_t tx_index)
{
    const lode_tx *tx = &w->block.txs[tx_index];
    const lode_buf *undo = &w->connected.undo;
    uint32_t start = w->connected.undo_starts[tx_index];
    lode_undo_reader u = { lode_reader_of(undo->data + start, undo->len - start), 1, tx->input_count };

    for (uint32_t j = 0; j < tx->input_count; j++) {
        uint32_t height;
        bool is_coinbase;
        uint64_t amount;
        lode_slice stored, script;
        uint8_t scratch[67];
        lode_reader r;

        LODE_CHECK(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &stored));
        r = lode_reader_of(stored.data, stored.len);
        lode_reader_script(&r, &script, scratch);
        if (r.bad)
            return false;
        if (script.data >= scratch && script.data < scratch + sizeof scratch) {
            uint8_t *copy = lode_arena_take(arena, script.len);
            if (!copy)
                return false;
            memcpy(copy, script.data, script.len);
            script.data = copy;
        }
        spent[j] = (lode_txout){ { (int64_t)lode_amount_decompress(amount) }, script.data, (uint32_t)script.len };
    }
    return true;
}

/* Verified before its block came, with these very outputs and flags? */
static bool is_warm(const lode_check *c, const lode_tx_hashes *hashes)
{
    lode_chain *chain = c->work->shop->chain;
    lode_sig_cache *warm = __atomic_load_n(&chain->warm, __ATOMIC_ACQUIRE);
    lode_sig_cache_key key;

    if (!warm)
        return false;
    lode_sig_cache_make_tx_key(&key, warm, hashes, c->work->connected.script_flags);
    if (!lode_sig_cache_has(warm, &key, false))
        return false;
    __atomic_add_fetch(&chain->warm_hits, 1, __ATOMIC_RELAXED);
    return true;
}

static lode_status check_tx(lode_check *c, lode_arena *arena, uint32_t tx_index)
{
    const lode_work *w = c->work;
    const lode_tx *tx = &w->block.txs[tx_index];
    uint32_t end = c->end_input ? c->end_input : tx->input_count;
    lode_txout *spent = lode_arena_take_array(arena, tx->input_count, sizeof *spent);
    lode_tx_hashes hashes = { .tx = tx, .spent = spent };

    if (!spent || !rebuild_spent(spent, arena, w, tx_index))
        return lode_fail(LODE_NO_MEMORY, "no memory for the outputs that transaction %u spends", tx_index);
    if (is_warm(c, &hashes))
        return lode_ok();
    lode_tx_hashes_init(&hashes, tx, spent, false);
    if (!lode_tx_check_scripts(&c->error, &c->failed_input, &hashes, c->first_input, end, w->connected.script_flags, NULL)) {
        c->failed = true;
        c->failed_tx = tx_index;
    }
    __atomic_add_fetch(&w->shop->scripts_checked, end - c->first_input, __ATOMIC_RELAXED);
    return lode_ok();
}

static void run_check(lode_task *task)
{
    lode_check *c = (lode_check *)task;
    lode_work *w = c->work;
    lode_workshop *shop = w->shop;
    lode_waiter *waiter = shop->waiter; /* work and shop may be gone once the last check has ended */
    lode_arena arena = LODE_ARENA_EMPTY;
    uint64_t at = lode_thread_cpu_ns();

    for (uint32_t i = c->first_tx; i < c->end_tx && !c->failed && !lode_failed(c->status); i++) {
        if (__atomic_load_n(&shop->given_up, __ATOMIC_RELAXED))
            break;
        lode_arena_reset(&arena);
        c->status = check_tx(c, &arena, i);
    }
    lode_arena_clear(&arena);
    __atomic_add_fetch(&shop->script_ns, lode_thread_cpu_ns() - at, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&w->checks_left, 1, __ATOMIC_ACQ_REL) == 0)
        lode_waiter_tell(waiter);
}

static uint32_t count_tasks(const lode_block *block)
{
    uint32_t count = 0, inputs = 0;
    for (uint32_t i = 1; i < block->tx_count; i++) {
        uint32_t n = block->txs[i].input_count;
        if (n > INPUTS_PER_BIG_TASK) {
            count += (n + INPUTS_PER_BIG_TASK - 1) / INPUTS_PER_BIG_TASK + (inputs > 0);
            inputs = 0;
            continue;
        }
        inputs += n;
        if (inputs >= INPUTS_PER_TASK) {
            count++;
            inputs = 0;
        }
    }
    return count + (inputs > 0);
}

static lode_check *next_check(lode_work *w, uint32_t first_tx, uint32_t end_tx, uint32_t first_input, uint32_t end_input)
{
    lode_check *c = &w->checks[w->check_count++];
    *c = (lode_check){ .work = w, .first_tx = first_tx, .end_tx = end_tx, .first_input = first_input, .end_input = end_input };
    c->task.run = run_check;
    c->status = lode_ok();
    return c;
}

static void cut_into_tasks(lode_work *w)
{
    uint32_t first = 1, inputs = 0;
    for (uint32_t i = 1; i < w->block.tx_count; i++) {
        uint32_t n = w->block.txs[i].input_count;
        if (n > INPUTS_PER_BIG_TASK) {
            if (inputs)
                next_check(w, first, i, 0, 0);
            for (uint32_t j = 0; j < n; j += INPUTS_PER_BIG_TASK)
                next_check(w, i, i + 1, j, n - j > INPUTS_PER_BIG_TASK ? j + INPUTS_PER_BIG_TASK : n);
            first = i + 1;
            inputs = 0;
            continue;
        }
        inputs += n;
        if (inputs >= INPUTS_PER_TASK) {
            next_check(w, first, i + 1, 0, 0);
            first = i + 1;
            inputs = 0;
        }
    }
    if (inputs)
        next_check(w, first, w->block.tx_count, 0, 0);
}

lode_status lode_work_submit_checks(lode_work *w)
{
    uint32_t count = count_tasks(&w->block);

    w->runs_scripts = true;
    if (!count)
        return lode_ok();
    w->checks = lode_arena_take_array(&w->arena, count, sizeof *w->checks);
    if (!w->checks)
        return lode_fail(LODE_NO_MEMORY, "no memory for %u script checks", count);
    cut_into_tasks(w);
    LODE_CHECK(w->check_count == count);
    __atomic_store_n(&w->checks_left, (int)count, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i + 1 < count; i++)
        w->checks[i].task.next = &w->checks[i + 1].task;
    w->checks[count - 1].task.next = NULL;
    lode_pool_submit_list(w->shop->chain->pool, LODE_POOL_NORMAL, &w->checks[0].task);
    return lode_ok();
}

lode_status lode_work_verdict(lode_verdict *verdict, const lode_work *w)
{
    *verdict = lode_verdict_of(LODE_VALID);
    for (uint32_t i = 0; i < w->check_count; i++) {
        const lode_check *c = &w->checks[i];
        LODE_TRY(c->status);
        if (!c->failed)
            continue;
        *verdict = lode_verdict_of(LODE_BLOCK_SCRIPT_VERIFY_FLAG_FAILED);
        verdict->script_error = c->error;
        verdict->tx_index = c->failed_tx;
        verdict->input_index = c->failed_input;
        break;
    }
    return lode_ok();
}
