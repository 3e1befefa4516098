/* test/chainstate/block_files_core_test.c: block and undo files that Core wrote are read, and made again. */
#include "block_files_helpers.h"

typedef struct given {
    room r;
    size_t blocks, undos;
    lode_buf buf;
} given;

static bool check_stored(void *context, lode_entry *e)
{
    given *g = context;
    lode_block_hash hash;

    if (e->status & LODE_BLOCK_HAVE_DATA) {
        assert_ok(lode_block_files_read_block(g->r.files, &g->buf, e->file, e->data_pos));
        lode_sha256d(hash.bytes, g->buf.data, LODE_HEADER_SIZE);
        assert_true(lode_block_hash_is_equal(&hash, &e->node.hash));
        g->blocks++;
    }
    if (e->status & LODE_BLOCK_HAVE_UNDO) {
        assert_ok(lode_block_files_read_undo(g->r.files, &g->buf, e->file, e->undo_pos, &e->node.header.prev));
        assert_true(g->buf.len >= 1);
        g->undos++;
    }
    return true;
}

static void check_given(const char *name, size_t blocks, size_t undos)
{
    char *directory = given_directory_unpack(name);
    given g = { .blocks = 0 };
    char path[1024];

    if (!directory)
        return;
    snprintf(path, sizeof path, "%s/%s/regtest/blocks", directory, name);
    g.r.index = open_index(lode_env_system(), test_path(path, "index"));
    lode_block_files_options o = {
        .path = path, .params = regtest(), .index = g.r.index, .env = lode_env_system(), .read_only = true
    };
    assert_ok(lode_block_files_open(&g.r.files, &o));
    assert_false(lode_read_le64(lode_block_files_xor_key(g.r.files)) == 0);
    lode_block_index_visit(g.r.index, &g, check_stored);
    assert_int_equal(g.blocks, blocks);
    assert_int_equal(g.undos, undos);
    lode_buf_clear(&g.buf);
    lode_block_files_close(g.r.files);
    assert_ok(lode_block_index_close(g.r.index));
    test_directory_remove(directory);
}

static void every_block_and_undo_of_cores_is_read(void **state)
{
    check_given("core-regtest", 266, 265);
    check_given("core-forks", 298, 291); /* stale and invalid blocks were never connected */
}

typedef struct ordered {
    const lode_entry *entries[512];
    size_t count;
    bool undo;
} ordered;

static bool collect(void *context, lode_entry *e)
{
    ordered *o = context;
    uint32_t pos = o->undo ? e->undo_pos : e->data_pos;
    size_t i = o->count;

    if (!(e->status & (o->undo ? LODE_BLOCK_HAVE_UNDO : LODE_BLOCK_HAVE_DATA)))
        return true;
    assert_true(i < 512);
    for (; i > 0 && pos < (o->undo ? o->entries[i - 1]->undo_pos : o->entries[i - 1]->data_pos); i--)
        o->entries[i] = o->entries[i - 1];
    o->entries[i] = e;
    o->count++;
    return true;
}

static void assert_same_info(const lode_block_file_info *a, const lode_block_file_info *b)
{
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->undo_size, b->undo_size);
    assert_int_equal(a->height_first, b->height_first);
    assert_int_equal(a->height_last, b->height_last);
    assert_int_equal(a->time_first, b->time_first);
    assert_int_equal(a->time_last, b->time_last);
}

/* Core's own blocks and undo data, appended in Core's order under Core's key, make Core's files. */
static void appending_what_core_appended_makes_its_files(void **state)
{
    static const char *const names[] = { "core-regtest", "core-forks" };

    for (size_t i = 0; i < 2; i++) {
        char *directory = given_directory_unpack(names[i]), path[1024];
        lode_buf buf = LODE_BUF_EMPTY;
        uint32_t pos;
        int32_t file;
        if (!directory)
            continue;
        snprintf(path, sizeof path, "%s/%s/regtest/blocks", directory, names[i]);
        lode_env *memory = lode_memory_env_create();
        lode_block_index *index = open_index(lode_env_system(), test_path(path, "index"));
        lode_block_files_options o = {
            .path = path, .params = regtest(), .index = index, .env = lode_env_system(), .read_only = true
        };
        lode_block_files *core;
        assert_ok(lode_block_files_open(&core, &o));
        assert_ok(lode_env_make_path(memory, "/b"));
        assert_ok(lode_env_write_file_atomically(memory, "/b/xor.dat", lode_block_files_xor_key(core), 8));
        room r = begin(memory, "/b", false);
        assert_memory_equal(lode_block_files_xor_key(r.files), lode_block_files_xor_key(core), 8);
        ordered blocks = { .undo = false }, undos = { .undo = true };
        lode_block_index_visit(index, &blocks, collect);
        lode_block_index_visit(index, &undos, collect);
        for (size_t n = 0; n < blocks.count; n++) {
            const lode_entry *e = blocks.entries[n];
            assert_ok(lode_block_files_read_block(core, &buf, e->file, e->data_pos));
            assert_ok(lode_block_files_append_block(r.files, &file, &pos, buf.data, (uint32_t)buf.len, e->node.height,
                                                    e->node.header.time));
            assert_int_equal(pos, e->data_pos);
            assert_int_equal(file, e->file);
        }
        for (size_t n = 0; n < undos.count; n++) {
            const lode_entry *e = undos.entries[n];
            assert_ok(lode_block_files_read_undo(core, &buf, e->file, e->undo_pos, &e->node.header.prev));
            assert_ok(lode_block_files_append_undo(r.files, &pos, e->file, buf.data, buf.len, &e->node.header.prev));
            assert_int_equal(pos, e->undo_pos);
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_same_info(lode_block_index_file(r.index, 0), lode_block_index_file(index, 0));
        for (int n = 0; n < 2; n++) {
            const char *name = n ? "rev00000.dat" : "blk00000.dat";
            lode_buf ours = whole_file(memory, test_path("/b", name)),
                     theirs = whole_file(lode_env_system(), test_path(path, name));
            const lode_block_file_info *info = lode_block_index_file(index, 0);
            if (i == 0)
                assert_int_equal(ours.len, theirs.len); /* pre-allocated alike; core-forks was made with -fastprune */
            assert_memory_equal(ours.data, theirs.data, n ? info->undo_size : info->size);
            lode_buf_clear(&ours);
            lode_buf_clear(&theirs);
        }
        lode_buf_clear(&buf);
        end(&r);
        lode_memory_env_destroy(memory);
        lode_block_files_close(core);
        assert_ok(lode_block_index_close(index));
        test_directory_remove(directory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_and_undo_of_cores_is_read),
        cmocka_unit_test(appending_what_core_appended_makes_its_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
