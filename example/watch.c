/* example/watch.c: liblode that tells what happens: block files are imported in the background while each block that
 * joins or leaves the best chain is told, and at the end the coins of one script are listed from one state of the
 * chain.
 *
 *     watch DATADIR CHAIN SCRIPT FILE...        SCRIPT: hex of a scriptPubKey
 *     cc watch.c $(pkg-config --cflags --libs lode)
 *
 * Ctrl-C cancels the import; what was done is kept, and the next run goes on from there.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lode.h>

typedef struct script_bytes {
    uint8_t bytes[10000];
    size_t len;
} script_bytes;

static volatile sig_atomic_t asked_to_stop;

static void note_signal(int number)
{
    (void)number;
    asked_to_stop = 1;
}

static int failed(lode_status s)
{
    if (s.code != LODE_OK)
        fprintf(stderr, "watch: %s\n", s.text);
    return s.code != LODE_OK;
}

/* Hashes are bytes in internal order; people read them backwards. */
static const char *hash_text(char text[65], const uint8_t hash[32])
{
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[31 - i]);
    return text;
}

/* Called by the thread that connects, one block at a time, in the order in which the chain changed. Asking the library
 * here is allowed, making it write is not. */
static void tell_event(void *context, const lode_event *event)
{
    uint64_t *events = context;
    char hash[65];

    ++*events;
    printf("%s %" PRId32 " %s\n", event->kind == LODE_EVENT_CONNECTED ? "+" : "-", event->height,
           hash_text(hash, event->hash));
}

static int read_script(script_bytes *out, const char *hex)
{
    size_t digits = strlen(hex);

    if (digits % 2 || digits / 2 > sizeof out->bytes || strspn(hex, "0123456789abcdefABCDEF") != digits)
        return 0;
    out->len = digits / 2;
    for (size_t i = 0; i < out->len; i++) {
        const char pair[3] = { hex[2 * i], hex[2 * i + 1], 0 };
        out->bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return 1;
}

/* The import runs in a thread of the library; this one only waits for it, or for Ctrl-C. */
static int import_files(lode *node, const char *const *paths, size_t count)
{
    lode_import_options options;
    lode_import_job *job;
    int is_done = 0;

    lode_import_options_init(&options);
    options.paths = paths;
    options.path_count = count;
    if (failed(lode_import_start(&job, node, &options)))
        return 1;
    while (!is_done && !failed(lode_import_wait(job, &is_done, 200)))
        if (asked_to_stop && failed(lode_import_cancel(job)))
            break;
    return failed(lode_import_end(job, NULL));
}

/* All coins are visited; blocks could go on arriving meanwhile, the walk stays at the block it names. */
static int tell_coins(lode *node, const script_bytes *script)
{
    lode_coin_walk *walk;
    lode_tip at = { .size = sizeof at };
    lode_coin_id id;
    lode_coin_info coin = { .size = sizeof coin };
    uint64_t count = 0;
    int64_t total_sat = 0;
    int found = 1, failures = 0;
    char txid[65];

    if (failed(lode_coin_walk_open(&walk, node, &at, NULL)))
        return 1;
    while (!(failures = failed(lode_coin_walk_next(walk, &found, &id, &coin))) && found) {
        if (coin.script_len != script->len || memcmp(coin.script, script->bytes, script->len))
            continue;
        count++;
        total_sat += coin.value_sat;
        printf("%s:%" PRIu32 " %" PRId64 " satoshis, height %" PRId32 "%s\n", hash_text(txid, id.txid), id.index,
               coin.value_sat, coin.height, coin.is_coinbase ? ", coinbase" : "");
    }
    lode_coin_walk_close(walk);
    if (!failures)
        printf("%" PRIu64 " coins, %" PRId64 " satoshis, at height %" PRId32 "\n", count, total_sat, at.height);
    return failures;
}

int main(int argc, char **argv)
{
    lode_options options;
    lode *node = NULL;
    script_bytes script;
    uint64_t events = 0;
    int failures;

    if (argc < 4 || !read_script(&script, argv[3])) {
        fprintf(stderr, "watch DATADIR CHAIN SCRIPT FILE...\n");
        return 2;
    }
    signal(SIGINT, note_signal);
    lode_options_init(&options);
    options.datadir = argv[1];
    options.chain = argv[2];
    options.on_event = tell_event;
    options.event_context = &events;
    if (failed(lode_open(&node, &options)))
        return 1;
    failures = import_files(node, (const char *const *)argv + 4, (size_t)argc - 4);
    if (!failures) {
        printf("%" PRIu64 " changes of the best chain\n", events);
        failures = tell_coins(node, &script);
    }
    if (failed(lode_close(node)))
        failures = 1;
    return failures;
}
