/* test/validate/node_test.c: walking a tree of headers, against walks one step at a time. */
#include "validate/rules/node.h"

#include "made_chain.h"
#include "validate/rules/header.h"

#define TRUNK 3000
#define BRANCH 700
#define FORK_HEIGHT 1234

typedef struct tree {
    lode_node *trunk, *branch; /* branch[0] stands on trunk[FORK_HEIGHT] */
} tree;

static tree make_tree(void)
{
    tree t = { make_nodes(TRUNK, 1300000000, 600, 0x1d00ffff), calloc(BRANCH, sizeof(lode_node)) };

    assert_non_null(t.branch);
    for (size_t i = 0; i < BRANCH; i++) {
        t.branch[i].header.time = t.trunk[FORK_HEIGHT + 1 + i].header.time;
        t.branch[i].header.bits = 0x1c7fff80; /* twice the work */
        lode_write_le32(t.branch[i].hash.bytes, (uint32_t)(100000 + i));
        lode_node_link(&t.branch[i], i ? &t.branch[i - 1] : &t.trunk[FORK_HEIGHT]);
    }
    return t;
}

static void clear_tree(tree *t)
{
    free(t->trunk);
    free(t->branch);
}

static void ancestors_are_found_at_every_height(void **state)
{
    tree t = make_tree();
    const lode_node *tips[] = { &t.trunk[TRUNK - 1], &t.branch[BRANCH - 1], &t.trunk[1], &t.trunk[0] };

    for (size_t i = 0; i < sizeof tips / sizeof *tips; i++) {
        for (const lode_node *at = tips[i]; at; at = at->prev)
            assert_ptr_equal(lode_node_ancestor(tips[i], at->height), at);
        assert_null(lode_node_ancestor(tips[i], -1));
        assert_null(lode_node_ancestor(tips[i], tips[i]->height + 1));
        assert_null(lode_node_ancestor(tips[i], INT32_MAX));
    }
    clear_tree(&t);
}

static size_t count_steps(const lode_node *from, int32_t height)
{
    size_t steps = 0;
    while (from->height > height) {
        from = from->skip->height >= height ? from->skip : from->prev;
        steps++;
    }
    return steps;
}

static void skip_pointers_lead_back_quickly(void **state)
{
    lode_node *nodes = make_nodes(100000, 0, 1, 0x207fffff);

    assert_null(nodes[0].skip);
    for (size_t i = 1; i < 100000; i++)
        assert_true(nodes[i].skip->height < nodes[i].height);
    assert_true(count_steps(&nodes[99999], 0) < 40);
    free(nodes);
}

static void forks_are_found_from_any_pair(void **state)
{
    tree t = make_tree();

    for (size_t i = 0; i < TRUNK; i += 97) {
        for (size_t j = 0; j < BRANCH; j += 41) {
            size_t expected = i < FORK_HEIGHT ? i : FORK_HEIGHT;
            assert_ptr_equal(lode_node_fork(&t.trunk[i], &t.branch[j]), &t.trunk[expected]);
            assert_ptr_equal(lode_node_fork(&t.branch[j], &t.trunk[i]), &t.trunk[expected]);
        }
        assert_ptr_equal(lode_node_fork(&t.trunk[i], &t.trunk[0]), &t.trunk[0]);
        assert_ptr_equal(lode_node_fork(&t.trunk[i], &t.trunk[i]), &t.trunk[i]);
    }
    assert_ptr_equal(lode_node_fork(&t.branch[1], &t.branch[5]), &t.branch[1]);
    clear_tree(&t);
}

static void work_adds_up(void **state)
{
    tree t = make_tree();
    lode_u256 expected = lode_u256_mul_u32(lode_header_work(0x1d00ffff), TRUNK);

    assert_int_equal(lode_u256_compare(&t.trunk[TRUNK - 1].chain_work, &expected), 0);
    expected = lode_u256_add(lode_u256_mul_u32(lode_header_work(0x1d00ffff), FORK_HEIGHT + 1),
                             lode_u256_mul_u32(lode_header_work(0x1c7fff80), BRANCH));
    assert_int_equal(lode_u256_compare(&t.branch[BRANCH - 1].chain_work, &expected), 0);
    clear_tree(&t);
}

/* Ten minutes a block at one difficulty; negative when `to` has less work; the largest number when it does not fit. */
static void work_is_told_in_seconds(void **state)
{
    tree t = make_tree();
    lode_chain_params p;
    lode_node huge = { .header.bits = 0x03000001 };

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    assert_int_equal(lode_node_equivalent_time(&t.trunk[2016], &t.trunk[0], &t.trunk[2016], &p), 1209600);
    assert_int_equal(lode_node_equivalent_time(&t.trunk[0], &t.trunk[2016], &t.trunk[2016], &p), -1209600);
    assert_int_equal(lode_node_equivalent_time(&t.trunk[5], &t.trunk[5], &t.trunk[2016], &p), 0);
    /* at twice the difficulty the same work takes half as long */
    assert_int_equal(lode_node_equivalent_time(&t.trunk[2016], &t.trunk[0], &t.branch[0], &p), 604800);
    lode_node_link(&huge, NULL);
    assert_int_equal(lode_node_equivalent_time(&huge, &t.trunk[0], &t.trunk[0], &p), INT64_MAX);
    assert_int_equal(lode_node_equivalent_time(&t.trunk[0], &huge, &t.trunk[0], &p), -INT64_MAX);
    clear_tree(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ancestors_are_found_at_every_height),
        cmocka_unit_test(skip_pointers_lead_back_quickly),
        cmocka_unit_test(forks_are_found_from_any_pair),
        cmocka_unit_test(work_adds_up),
        cmocka_unit_test(work_is_told_in_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
