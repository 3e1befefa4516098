/* example/embed.c: liblode inside a program of your own: open a directory, give it blocks, ask it questions.
 *
 *     embed DATADIR CHAIN FILE...        CHAIN: main, test, testnet4, signet, regtest
 *     cc embed.c $(pkg-config --cflags --libs lode)
 *
 * A node would get its blocks from the network; this program reads them from block files, one by one. To take whole
 * files in, lode_import is much faster.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <lode.h>

/* Every status is an error of the world, told in a sentence. What the rules say of a block is not among them. */
static int failed(lode_status s)
{
    if (s.code != LODE_OK)
        fprintf(stderr, "embed: %s\n", s.text);
    return s.code != LODE_OK;
}

/* Hashes are bytes in internal order; people read them backwards. */
static const char *hash_text(char text[65], const uint8_t hash[32])
{
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[31 - i]);
    return text;
}

static int submit_block(lode *node, const uint8_t *block, size_t len)
{
    lode_submit_result result = { .size = sizeof result };

    if (failed(lode_submit_block(node, &result, block, len)))
        return 1;
    if (!result.accepted)
        printf("refused %s: %s\n", result.hash, result.reason);
    else if (!result.in_best_chain)
        printf("stored %s beside the best chain\n", result.hash);
    return 0;
}

/* Records of a block file: four bytes of magic, four of length, and the block. */
static int submit_file(lode *node, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t head[8], *block = NULL;
    int failures = file ? 0 : 1;

    if (!file)
        perror(path);
    while (!failures && fread(head, 1, sizeof head, file) == sizeof head) {
        size_t len = (size_t)head[4] | (size_t)head[5] << 8 | (size_t)head[6] << 16 | (size_t)head[7] << 24;
        if (len < 80 || len > 4000000)
            break; /* padding, or no block file */
        uint8_t *bigger = realloc(block, len);
        if (!bigger || (block = bigger, fread(block, 1, len, file) != len))
            break;
        failures = submit_block(node, block, len);
    }
    free(block);
    if (file)
        fclose(file);
    return failures;
}

static int tell_tip(lode *node)
{
    lode_tip tip = { .size = sizeof tip };
    char hash[65];

    if (failed(lode_get_tip(node, &tip)))
        return 1;
    printf("tip: height %" PRId32 ", %s\n", tip.height, hash_text(hash, tip.hash));
    return 0;
}

static int tell_set(lode *node)
{
    lode_set_info set = { .size = sizeof set };
    char hash[65];

    if (failed(lode_get_set_info(node, &set, LODE_HASH_MUHASH)))
        return 1;
    printf("coins: %" PRIu64 ", worth %" PRId64 " satoshis, muhash %s\n", set.txouts, set.total_sat,
           hash_text(hash, set.muhash));
    return 0;
}

/* Any of bitcoin-cli's commands, answered as JSON. What the caller gets to keep is freed with lode_free. */
static int tell_answer(lode *node, const char *command)
{
    char *answer = NULL, *error = NULL;
    int is_text = 0, code = 0;

    if (failed(lode_query(node, command, NULL, 0, &answer, &is_text, &code, &error)))
        return 1;
    printf("%s: %s\n", command, answer ? answer : error);
    lode_free(answer);
    lode_free(error);
    return 0;
}

int main(int argc, char **argv)
{
    lode_options options;
    lode *node = NULL;
    int failures = 0;

    if (argc < 3) {
        fprintf(stderr, "embed DATADIR CHAIN FILE...\n");
        return 2;
    }
    lode_options_init(&options); /* always first: later versions of the library know more fields */
    options.datadir = argv[1];
    options.chain = argv[2];
    if (failed(lode_open(&node, &options)))
        return 1;
    for (int i = 3; i < argc && !failures; i++)
        failures = submit_file(node, argv[i]);
    if (!failures)
        failures = tell_tip(node) || tell_set(node) || tell_answer(node, "getchaintips");
    if (failed(lode_close(node))) /* writes what is still in memory */
        failures = 1;
    return failures;
}
