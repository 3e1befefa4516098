/* test/validate/conformance_test.c: every block of the given conformance files gets the oracle's verdict, as far as it
 * needs no coins: bytes, header, body, place.
 */
#include "made_chain.h"

#include <dirent.h>

#include "given_data.h"
#include "support/json.h"

#define NOW INT64_C(4000000000)
#define LARGEST_BLOCK 4000000 /* Core's MAX_BLOCK_SERIALIZED_SIZE */

typedef struct record {
    size_t offset; /* of the block, past magic and length */
    size_t size;
    bool is_judged;
    lode_node node; /* linked when the header was accepted */
    bool is_linked, has_body, has_failed;
} record;

typedef struct conformance_case {
    const char *name;
    const json *facts;
    lode_chain_params params;
    uint8_t *file;
    size_t len;
    record *records;
    size_t count;
    size_t refused;
} conformance_case;

/* Plain or packed; NULL when it is absent or cannot be unpacked here. */
static uint8_t *read_blocks(const char *directory, const char *name, size_t *len)
{
    char command[1200];
    lode_buf out = LODE_BUF_EMPTY;
    FILE *pipe;

    snprintf(command, sizeof command, "cat '%s/%s.dat' 2>/dev/null || zstd -qdc '%s/%s.dat.zst' 2>/dev/null", directory,
             name, directory, name);
    pipe = popen(command, "r");
    if (!pipe)
        return NULL;
    for (;;) {
        uint8_t *room = lode_buf_extend(&out, 1 << 20);
        size_t got = room ? fread(room, 1, 1 << 20, pipe) : 0;
        out.len -= ((size_t)1 << 20) - got;
        if (got == 0)
            break;
    }
    if (pclose(pipe) != 0) {
        lode_buf_clear(&out);
        return NULL;
    }
    *len = out.len;
    return out.data;
}

/* Every place where magic and a possible length stand; a block that decodes is stepped over. */
static void find_records(conformance_case *c)
{
    size_t capacity = c->len / 88 + 1;

    c->records = calloc(capacity, sizeof *c->records);
    assert_non_null(c->records);
    for (size_t at = 0; at + 88 <= c->len; at++) {
        size_t size = lode_read_le32(c->file + at + 4);
        lode_arena arena = LODE_ARENA_EMPTY;
        lode_block block;

        if (memcmp(c->file + at, c->params.magic, 4) != 0 || size < 80 || size > LARGEST_BLOCK ||
            size > c->len - at - 8)
            continue;
        c->records[c->count].offset = at + 8;
        c->records[c->count++].size = size;
        if (lode_block_parse(&block, &arena, c->file + at + 8, size, LODE_PARSE_ALLOW_TAIL, NULL))
            at += 8 + block.size - 1;
        lode_arena_clear(&arena);
    }
}

static record *find_linked(conformance_case *c, const lode_block_hash *hash)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->records[i].is_linked && lode_block_hash_is_equal(&c->records[i].node.hash, hash))
            return &c->records[i];
    return NULL;
}

/* What Core's AcceptBlock says before a block is stored. */
static lode_verdict judge(conformance_case *c, record *r, record *parent, const lode_block *block, lode_arena *arena)
{
    lode_verdict verdict = lode_verdict_of(LODE_VALID);
    lode_block_facts facts;
    record *known = find_linked(c, &block->hash);

    if (known && known->has_failed)
        return lode_verdict_of(LODE_DUPLICATE_INVALID);
    if (known && known->has_body)
        return verdict;
    if (!known) {
        if (!lode_header_has_work(&block->hash, block->header.bits, &c->params))
            return lode_verdict_of(LODE_HIGH_HASH);
        if (parent->has_failed)
            return lode_verdict_of(LODE_BAD_PREVBLK);
        verdict = lode_header_check(&block->header, &block->hash, &parent->node, NOW, &c->params);
        if (verdict.reject != LODE_VALID)
            return verdict;
        r->node.hash = block->hash;
        r->node.header = block->header;
        lode_node_link(&r->node, &parent->node);
        r->is_linked = true;
        known = r;
    }
    assert_true(lode_block_examine(&facts, block, arena, &c->params));
    verdict = facts.verdict;
    if (verdict.reject == LODE_VALID)
        verdict = lode_block_check_context(block, &facts, known->node.prev, &c->params);
    known->has_body = verdict.reject == LODE_VALID;
    known->has_failed = verdict.reject != LODE_VALID && !verdict.is_mutated;
    return verdict;
}

/* Connecting needs coins and comes later; its refusals have no offset. */
static bool is_before_connecting(const json *refusal)
{
    const char *stage = json_text(json_get(refusal, "stage"));
    return strcmp(stage, "header") == 0 || strcmp(stage, "accept") == 0 || strcmp(stage, "deserialize") == 0;
}

/* The oracle's reason; "" when there was none. */
static const char *expected_reason(const conformance_case *c, size_t offset)
{
    const json *list = json_get(c->facts, "rejected");

    for (size_t i = 0; i < list->count; i++) {
        const json *item = json_at(list, i);
        if (is_before_connecting(item) && (size_t)json_int(json_get(item, "offset")) == offset)
            return json_text(json_get(item, "reason"));
    }
    return "";
}

static void compare(conformance_case *c, record *r, const char *reason)
{
    const char *expected = expected_reason(c, r->offset);

    r->is_judged = true;
    if (strcmp(reason, "bad-prevblk") == 0 && *expected == '\0')
        return; /* the blocks that turn a case into a trap stand on refused ones, and are not listed */
    if (strcmp(reason, expected) != 0)
        fail_msg("%s, offset %zu: \"%s\" where the oracle said \"%s\"", c->name, r->offset, reason, expected);
    c->refused += *reason != '\0';
}

/* False: the parent is unknown so far. */
static bool judge_record(conformance_case *c, record *r)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    lode_verdict verdict;
    record *parent = NULL;
    char text[128] = "";

    if (!lode_block_parse(&block, &arena, c->file + r->offset, r->size, LODE_PARSE_ALLOW_TAIL, NULL)) {
        /* junk that looks like a record is not in the oracle's list */
        if (*expected_reason(c, r->offset))
            compare(c, r, "deserialize");
        r->is_judged = true;
    } else if (lode_block_hash_is_equal(&block.hash, &c->params.genesis_hash)) {
        r->is_judged = true;
        r->is_linked = r->has_body = true;
        r->node.hash = block.hash;
        r->node.header = block.header;
        lode_node_link(&r->node, NULL);
    } else if ((parent = find_linked(c, &block.header.prev)) != NULL) {
        verdict = judge(c, r, parent, &block, &arena);
        if (verdict.reject != LODE_VALID)
            lode_verdict_text(text, sizeof text, &verdict);
        compare(c, r, text);
    }
    lode_arena_clear(&arena);
    return r->is_judged;
}

static void set_options(conformance_case *c)
{
    const json *args = json_get(c->facts, "args");

    for (size_t i = 0; i < args->count; i++) {
        char name[64] = "";
        const char *text = json_text(json_at(args, i)), *equals = strchr(text, '=');
        lode_status s;

        if (!equals || (size_t)(equals - text) >= sizeof name)
            continue;
        memcpy(name, text + 1, (size_t)(equals - text) - 1);
        s = lode_chain_params_set(&c->params, name, equals + 1);
        assert_true(s.code == LODE_OK || s.code == LODE_UNSUPPORTED);
    }
}

static size_t count_expected(const conformance_case *c)
{
    const json *list = json_get(c->facts, "rejected");
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        count += is_before_connecting(json_at(list, i));
    return count;
}

/* Genesis is known even where a file leaves it out. */
static void add_genesis(conformance_case *c)
{
    record *genesis = &c->records[c->count++];

    genesis->is_judged = genesis->is_linked = genesis->has_body = true;
    genesis->node.hash = c->params.genesis_hash;
    lode_header_parse(&genesis->node.header, c->params.genesis_raw);
    lode_node_link(&genesis->node, NULL);
}

/* Blocks whose parent comes later are judged when it is there, in the order of the file. */
static bool run_case(const char *directory, const char *name)
{
    char path[1200];
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_network network;
    conformance_case c = { .name = name };

    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    c.facts = json_read_file(&arena, path);
    if (c.facts)
        c.file = read_blocks(directory, name, &c.len);
    if (!c.file) {
        lode_arena_clear(&arena);
        return false;
    }
    assert_true(lode_chain_from_name(&network, json_text(json_get(c.facts, "network"))));
    lode_chain_params_init(&c.params, network);
    set_options(&c);
    find_records(&c);
    add_genesis(&c);
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = 0; i < c.count; i++)
            progress = (!c.records[i].is_judged && judge_record(&c, &c.records[i])) || progress;
    }
    assert_int_equal(c.refused, count_expected(&c));
    free(c.records);
    free(c.file);
    lode_arena_clear(&arena);
    return true;
}

static void given_blocks_get_the_oracle_s_verdict(void **state)
{
    const char *data = getenv("LODE_DATA"), *source = getenv("srcdir");
    char directory[1024];
    struct dirent *entry;
    size_t ran = 0, skipped = 0;
    DIR *dir;

    if (data)
        snprintf(directory, sizeof directory, "%s/conformance", data);
    else
        snprintf(directory, sizeof directory, "%s/../shared/data/conformance", source ? source : ".");
    dir = opendir(directory);
    if (!dir) {
        printf("given data is absent, skipped: %s\n", directory);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        char name[256];
        size_t len = strlen(entry->d_name);
        if (len < 6 || len >= sizeof name || strcmp(entry->d_name + len - 5, ".json") != 0)
            continue;
        memcpy(name, entry->d_name, len - 5);
        name[len - 5] = '\0';
        if (run_case(directory, name))
            ran++;
        else
            skipped++;
    }
    closedir(dir);
    printf("conformance files judged: %zu; without a block file of one piece: %zu\n", ran, skipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(given_blocks_get_the_oracle_s_verdict) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
