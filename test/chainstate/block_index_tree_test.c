/* test/chainstate/block_index_tree_test.c: the tree in memory, against a plain model of what Core does. */
#include "index_helpers.h"

#include "chainstate/notes.h"
#include "support/memory_env.h"

/* ---- a model: every question is answered by looking at all entries ---- */

#define MODEL_MAX 400

typedef struct model {
    lode_block_index *index;
    lode_entry *entries[MODEL_MAX]; /* [0] is genesis */
    uint32_t sequences[MODEL_MAX];
    uint32_t tx_counts[MODEL_MAX];
    bool failed[MODEL_MAX];
    bool linked[MODEL_MAX];                   /* stored with all ancestors */
    size_t waiting[MODEL_MAX], waiting_count; /* stored before an ancestor, in order of receipt */
    size_t count;
    uint32_t next_sequence, next_place;
    uint32_t places[MODEL_MAX];
    uint64_t random;
} model;

static uint32_t pick(model *m, uint32_t n)
{
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->random >> 33) % n;
}

static size_t number_of(const model *m, const lode_entry *e)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->entries[i] == e)
            return i;
    }
    return SIZE_MAX;
}

static size_t parent_of(const model *m, size_t i)
{
    return number_of(m, lode_entry_prev(m->entries[i]));
}

static bool is_below(const model *m, size_t root, size_t i)
{
    while (i != SIZE_MAX && i != root)
        i = parent_of(m, i);
    return i == root;
}

static void model_add(model *m, size_t parent)
{
    lode_entry *e = add_made(m->index, m->entries[parent], (uint32_t)m->count);

    m->failed[m->count] = m->failed[parent];
    m->entries[m->count++] = e;
}

/* Core: a queue of what became connectable; those that waited for a block follow it in the order of their receipt. */
static void model_link(model *m, size_t first)
{
    size_t queue[MODEL_MAX], end = 0;

    queue[end++] = first;
    for (size_t at = 0; at < end; at++) {
        m->linked[queue[at]] = true;
        m->sequences[queue[at]] = m->next_sequence++;
        for (size_t w = 0; w < m->waiting_count;) {
            if (parent_of(m, m->waiting[w]) != queue[at]) {
                w++;
                continue;
            }
            queue[end++] = m->waiting[w];
            memmove(&m->waiting[w], &m->waiting[w + 1], (m->waiting_count - w - 1) * sizeof *m->waiting);
            m->waiting_count--;
        }
    }
}

static void model_receive(model *m, size_t i)
{
    receive(m->index, m->entries[i]);
    m->tx_counts[i] = 1 + (uint32_t)m->entries[i]->node.height % 3;
    m->places[i] = m->next_place++;
    if (i == 0 || m->linked[parent_of(m, i)])
        model_link(m, i);
    else
        m->waiting[m->waiting_count++] = i;
}

static void model_fail(model *m, size_t root)
{
    lode_block_index_mark_failed(m->index, m->entries[root]);
    for (size_t i = 0; i < m->count; i++)
        m->failed[i] |= is_below(m, root, i);
}

static void model_reconsider(model *m, size_t root)
{
    lode_block_index_reconsider(m->index, m->entries[root]);
    for (size_t i = 0; i < m->count; i++) {
        if (is_below(m, root, i) || is_below(m, i, root))
            m->failed[i] = false;
    }
}

/* All made headers show the same work, so height stands for it. */
static size_t model_best(const model *m)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < m->count; i++) {
        if (!m->linked[i] || m->failed[i])
            continue;
        int32_t height = m->entries[i]->node.height;
        int32_t best_height = best == SIZE_MAX ? -1 : m->entries[best]->node.height;
        if (height > best_height ||
            (height == best_height && (m->sequences[i] < m->sequences[best] ||
                                       (m->sequences[i] == m->sequences[best] && m->places[i] < m->places[best]))))
            best = i;
    }
    return best;
}

static uint64_t model_transactions(const model *m, size_t i)
{
    uint64_t sum = 0;

    for (; i != SIZE_MAX; i = parent_of(m, i))
        sum += m->tx_counts[i];
    return sum;
}

static void compare(const model *m)
{
    int32_t highest = -1;

    assert_ok(lode_block_index_verify(m->index));
    assert_int_equal(lode_block_index_count(m->index), m->count);
    for (size_t i = 0; i < m->count; i++) {
        const lode_entry *e = m->entries[i];
        assert_int_equal(e->tx_count, m->tx_counts[i]);
        assert_int_equal(e->chain_tx_count, m->linked[i] ? model_transactions(m, i) : 0);
        assert_int_equal(e->sequence, m->linked[i] ? m->sequences[i] : 1);
        assert_int_equal((e->status & LODE_BLOCK_FAILED_VALID) != 0, m->failed[i]);
        assert_int_equal(e->status & LODE_BLOCK_VALID_MASK,
                         m->tx_counts[i] ? LODE_BLOCK_VALID_TRANSACTIONS : LODE_BLOCK_VALID_TREE);
        if (!m->failed[i] && e->node.height > highest)
            highest = e->node.height;
    }
    size_t best = model_best(m);
    assert_ptr_equal(lode_block_index_best_candidate(m->index), best == SIZE_MAX ? NULL : m->entries[best]);
    const lode_entry *header = lode_block_index_best_header(m->index);
    assert_int_equal(header ? header->node.height : -1, highest);
    assert_false(header && header->status & LODE_BLOCK_FAILED_VALID);
}

static void step(model *m)
{
    size_t i = pick(m, (uint32_t)m->count);
    uint32_t choice = pick(m, 100);

    if (choice < 45 && m->count < MODEL_MAX)
        model_add(m, pick(m, 2) ? m->count - 1 : i);
    else if (choice < 85 && m->tx_counts[i] == 0)
        model_receive(m, i);
    else if (choice < 93 && i != 0)
        model_fail(m, i);
    else if (choice >= 93)
        model_reconsider(m, i);
}

/* Closes, opens and finds everything again. The chain that was best gets sequence 0, others 1. */
static void reopen(model *m, lode_env *env)
{
    lode_block_hash hashes[MODEL_MAX];
    size_t best = model_best(m);

    for (size_t i = 0; i < m->count; i++)
        hashes[i] = m->entries[i]->node.hash;
    assert_ok(lode_block_index_write(m->index));
    assert_ok(lode_block_index_close(m->index));
    m->index = open_index(env, "/index");
    for (size_t i = 0; i < m->count; i++) {
        m->entries[i] = lode_block_index_find(m->index, &hashes[i]);
        assert_non_null(m->entries[i]);
    }
    if (best != SIZE_MAX)
        lode_block_index_set_best(m->index, m->entries[best]);
    for (size_t i = 0; i < m->count; i++)
        m->sequences[i] = best != SIZE_MAX && is_below(m, i, best) ? 0 : 1;
    m->next_sequence = 2;
    m->waiting_count = 0; /* order of receipt is the order on disk */
    for (uint32_t place = 0; place < m->next_place; place++) {
        for (size_t i = 0; i < m->count; i++) {
            if (m->tx_counts[i] && !m->linked[i] && m->places[i] == place)
                m->waiting[m->waiting_count++] = i;
        }
    }
}

static void random_trees_agree_with_a_model(void **state)
{
    const char *given = getenv("LODE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 20090103;

    printf("seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < 4; round++) {
        static model m;
        lode_env *env = lode_memory_env_create();
        memset(&m, 0, sizeof m);
        m.random = seed + (uint64_t)round;
        m.next_sequence = 2;
        m.index = open_index(env, "/index");
        m.entries[m.count++] = add_genesis(m.index);
        model_receive(&m, 0);
        for (int i = 0; i < 500; i++) {
            step(&m);
            if (i % 8 == 0)
                compare(&m);
            if (i % 100 == 99) {
                reopen(&m, env);
                compare(&m);
            }
        }
        assert_ok(lode_block_index_close(m.index));
        lode_memory_env_destroy(env);
    }
}

/* ---- single facts ---- */

static int enter(void **state)
{
    *state = lode_memory_env_create();
    return 0;
}

static int leave(void **state)
{
    lode_memory_env_destroy(*state);
    return 0;
}

static void at_equal_work_the_first_stays_over_restarts(void **state)
{
    lode_block_index *index = open_index(*state, "/index");
    lode_entry *genesis = add_genesis(index);
    receive(index, genesis);
    lode_entry *a = add_made(index, genesis, 1), *b = add_made(index, genesis, 2);

    receive(index, b);
    receive(index, a);
    assert_ptr_equal(lode_block_index_best_candidate(index), b);
    assert_ptr_equal(lode_block_index_best_header(index), a); /* headers: the first that was known */
    lode_block_hash first = b->node.hash, second = a->node.hash;
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    for (int i = 0; i < 10; i++) {
        index = open_index(*state, "/index");
        assert_true(lode_block_hash_is_equal(&lode_block_index_best_candidate(index)->node.hash,
                                             &first)); /* before it is told */
        lode_entry *tip = lode_block_index_find(index, i < 5 ? &first : &second);
        lode_block_index_set_best(index, tip);
        assert_ptr_equal(lode_block_index_best_candidate(index), tip); /* whichever the coins stand at */
        receive(index, add_made(index, tip, 3));
        assert_true(lode_entry_prev(lode_block_index_best_candidate(index)) == tip);
        assert_ok(lode_block_index_close(index));
    }
}

static void a_header_below_a_failed_one_is_failed(void **state)
{
    lode_block_index *index = open_index(*state, "/index");
    lode_entry *genesis = add_genesis(index);
    receive(index, genesis);
    lode_entry *a = add_made(index, genesis, 1);

    lode_block_index_mark_failed(index, a);
    lode_entry *b = add_made(index, a, 2);
    assert_true(b->status & LODE_BLOCK_FAILED_VALID);
    assert_ptr_equal(lode_block_index_best_header(index), genesis);
    lode_block_index_reconsider(index, b);
    assert_false((a->status | b->status) & LODE_BLOCK_FAILED_VALID);
    assert_ptr_equal(lode_block_index_best_header(index), b);
    assert_ok(lode_block_index_close(index));
}

typedef struct walk {
    int32_t height;
    size_t seen, stop_at;
} walk;

static bool follow(void *context, lode_entry *entry)
{
    walk *w = context;

    assert_true(entry->node.height == w->height || entry->node.height == w->height + 1);
    w->height = entry->node.height;
    return ++w->seen != w->stop_at;
}

static void a_visit_goes_up_by_height_and_stops_when_told(void **state)
{
    lode_block_index *index = open_index(*state, "/index");
    lode_entry *e = add_genesis(index), *tips[3] = { e, e, e };

    for (uint32_t i = 1; i < 3000; i++)
        tips[i % 3] = add_made(index, tips[i % 3], i);
    walk all = { 0, 0, 0 }, some = { 0, 0, 17 };
    lode_block_index_visit(index, &all, follow);
    assert_int_equal(all.seen, 3000);
    lode_block_index_visit(index, &some, follow);
    assert_int_equal(some.seen, 17);
    assert_ok(lode_block_index_verify(index));
    assert_ok(lode_block_index_close(index));
}

static void a_note_of_a_block_counts_only_while_the_index_has_the_block(void **state)
{
    lode_directory_options o = { .path = "/d", .params = regtest(), .env = *state, .create_if_missing = true };
    lode_block_index *index = open_index(*state, "/index"), *other = open_index(*state, "/other");
    lode_entry *genesis = add_genesis(index), *a = add_made(index, genesis, 1);
    lode_directory *directory;
    lode_notes *notes;

    assert_ok(lode_directory_open(&directory, &o));
    assert_ok(lode_notes_open(&notes, directory, "notes"));
    assert_null(lode_notes_get_block(notes, "scripts", index));
    assert_ok(lode_notes_set_block(notes, "scripts", &a->node.hash));
    assert_ok(lode_notes_set(notes, "word", "genesis"));
    assert_ok(lode_notes_write(notes));
    lode_notes_close(notes);
    assert_ok(lode_notes_open(&notes, directory, "notes"));
    assert_ptr_equal(lode_notes_get_block(notes, "scripts", index), a);
    assert_null(lode_notes_get_block(notes, "scripts", other));
    assert_null(lode_notes_get_block(notes, "word", index));
    lode_notes_close(notes);
    lode_directory_close(directory);
    assert_ok(lode_block_index_close(index));
    assert_ok(lode_block_index_close(other));
}

/* ---- what verify finds ---- */

static lode_entry *chain[6], *fork_tip;

static void lower_height(lode_block_index *index)
{
    chain[3]->node.height--;
}
static void change_work(lode_block_index *index)
{
    chain[3]->node.chain_work.limbs[0]++;
}
static void change_nonce(lode_block_index *index)
{
    chain[3]->node.header.nonce++;
}
static void change_parent(lode_block_index *index)
{
    fork_tip->node.prev = &chain[0]->node;
}
static void forget_child(lode_block_index *index)
{
    chain[4]->first_child = NULL;
}
static void claim_scripts(lode_block_index *index)
{
    chain[4]->status = (chain[4]->status & ~(uint32_t)LODE_BLOCK_VALID_MASK) | LODE_BLOCK_VALID_SCRIPTS;
}
static void lose_validity(lode_block_index *index)
{
    chain[4]->status &= ~(uint32_t)LODE_BLOCK_VALID_MASK;
}
static void lose_data(lode_block_index *index)
{
    chain[4]->status &= ~(uint32_t)LODE_BLOCK_HAVE_DATA;
}
static void fail_parent_alone(lode_block_index *index)
{
    chain[4]->status |= LODE_BLOCK_FAILED_VALID;
}
static void fail_tip_alone(lode_block_index *index)
{
    chain[5]->status |= LODE_BLOCK_FAILED_VALID;
}
static void miscount_transactions(lode_block_index *index)
{
    chain[5]->chain_tx_count++;
}
static void count_unconnected(lode_block_index *index)
{
    fork_tip->chain_tx_count = 5;
}
static void order_unconnected(lode_block_index *index)
{
    fork_tip->sequence = 9;
}
static void invent_undo(lode_block_index *index)
{
    chain[2]->status |= LODE_BLOCK_HAVE_UNDO;
    chain[2]->undo_pos = 8;
}
static void move_beyond_file(lode_block_index *index)
{
    chain[2]->data_pos = 1u << 30;
}
static void move_to_no_file(lode_block_index *index)
{
    chain[2]->file = 3;
}
static void raise_from_file(lode_block_index *index)
{
    lode_block_index_file(index, 0)->height_last = 2;
}
static void give_old_mark(lode_block_index *index)
{
    chain[5]->status |= LODE_BLOCK_FAILED_CHILD;
}

static void verify_names_what_is_broken(void **state)
{
    static const struct {
        void (*break_it)(lode_block_index *index);
        const char *word;
    } cases[] = {
        { lower_height, "height" },
        { change_work, "work" },
        { change_nonce, "hash" },
        { change_parent, "parent" },
        { forget_child, "does not know" },
        { claim_scripts, "valid to a level" },
        { lose_validity, "status" },
        { lose_data, "stored" },
        { fail_parent_alone, "failed" },
        { fail_tip_alone, "is the best" },
        { miscount_transactions, "counted" },
        { count_unconnected, "counted" },
        { order_unconnected, "sequence" },
        { invent_undo, "undo" },
        { move_beyond_file, "outside" },
        { move_to_no_file, "file" },
        { raise_from_file, "height" },
        { give_old_mark, "old mark" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_env *env = lode_memory_env_create();
        lode_block_index *index = open_index(env, "/index");
        chain[0] = add_genesis(index);
        receive(index, chain[0]);
        for (uint32_t n = 1; n < 6; n++) {
            chain[n] = add_made(index, chain[n - 1], n);
            receive(index, chain[n]);
        }
        fork_tip = add_made(index, add_made(index, chain[0], 7), 8);
        receive(index, fork_tip); /* its parent is a header only */
        assert_ok(lode_block_index_verify(index));
        cases[i].break_it(index);
        lode_status s = lode_block_index_verify(index);
        assert_code(s, LODE_CORRUPT);
        if (!strstr(s.text, cases[i].word))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, s.text, cases[i].word);
        assert_ok(lode_block_index_close(index));
        lode_memory_env_destroy(env);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_agree_with_a_model),
        cmocka_unit_test_setup_teardown(at_equal_work_the_first_stays_over_restarts, enter, leave),
        cmocka_unit_test_setup_teardown(a_header_below_a_failed_one_is_failed, enter, leave),
        cmocka_unit_test_setup_teardown(a_visit_goes_up_by_height_and_stops_when_told, enter, leave),
        cmocka_unit_test_setup_teardown(a_note_of_a_block_counts_only_while_the_index_has_the_block, enter, leave),
        cmocka_unit_test(verify_names_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
