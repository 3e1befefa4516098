/* test/differential/lode_pipe.c: the library by commands on standard input, an answer a line, for scripts that compare.
 *
 *     open DATADIR THREADS CHAIN [option...]      ok, or: error TEXT
 *     clock SECONDS                               the time from now on
 *     submit HEX                                  ACCEPTED IN_BEST_CHAIN REASON
 *     import PATH...                              HEIGHT HASH|HASH REASON DETAIL|... a part per rejection
 *     invalidate HASH, reconsider HASH            ok, unknown, or: error TEXT
 *     ask COMMAND [argument...]                   the answer without line ends
 *     close
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lode.h"

#include "primitives/hash.h"
#include "support/bytes.h"
#include "support/status.h"

enum { MOST_WORDS = 64 };

static int64_t now = 0;

static int64_t tell_time(void *context)
{
    return now;
}

static void answer_error(lode_status s)
{
    printf("error %s\n", s.text);
}

static lode *open_chain(char **words, size_t count)
{
    lode *handle = NULL;
    lode_options o;
    lode_status s;

    lode_options_init(&o);
    o.datadir = words[1];
    o.threads = atoi(words[2]);
    o.chain = words[3];
    o.chain_options = (const char *const *)words + 4;
    o.chain_option_count = count - 4;
    o.dbcache_bytes = 16 << 20;
    o.clock = now ? tell_time : NULL;
    s = lode_open(&handle, &o);
    if (lode_failed(s))
        answer_error(s);
    else
        printf("ok\n");
    return handle;
}

static void submit(lode *handle, const char *hex)
{
    size_t len = strlen(hex) / 2;
    uint8_t *raw = malloc(len + 1);
    lode_submit_result r = { .size = sizeof r };
    lode_status s;

    if (!raw || !lode_hex_decode(raw, len, hex)) {
        printf("error no hex\n");
        free(raw);
        return;
    }
    s = lode_submit_block(handle, &r, raw, len);
    if (lode_failed(s))
        answer_error(s);
    else
        printf("%d %d %s\n", r.accepted, r.in_best_chain, r.reason);
    free(raw);
}

static void on_rejection(void *context, const lode_rejection *r)
{
    printf("%s %s %s|", r->hash, r->reason, r->detail);
}

static void import(lode *handle, char **words, size_t count)
{
    lode_import_options o;
    lode_import_result r = { .size = sizeof r };
    lode_status s;

    lode_import_options_init(&o);
    o.paths = (const char *const *)words + 1;
    o.path_count = count - 1;
    o.on_rejection = on_rejection;
    s = lode_import(handle, &o, &r);
    if (lode_failed(s))
        answer_error(s);
    else
        printf("%d %s\n", r.height, r.best_block);
}

static void mark(lode *handle, const char *hash, bool invalid)
{
    uint8_t bytes[32];
    int found = 0;
    lode_status s;

    if (!lode_hash_from_hex(bytes, hash)) {
        printf("error no hash\n");
        return;
    }
    s = invalid ? lode_invalidate_block(handle, &found, bytes) : lode_reconsider_block(handle, &found, bytes);
    if (lode_failed(s))
        answer_error(s);
    else
        printf("%s\n", found ? "ok" : "unknown");
}

static void ask(lode *handle, char **words, size_t count)
{
    char *answer = NULL, *text = NULL;
    int is_text = 0, code = 0;
    lode_status s =
        lode_query(handle, words[1], (const char *const *)words + 2, count - 2, &answer, &is_text, &code, &text);

    if (lode_failed(s)) {
        answer_error(s);
    } else if (answer) {
        for (char *c = answer; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        printf("%s\n", answer);
    } else {
        printf("error %d %s\n", code, text ? text : "");
    }
    lode_free(answer);
    lode_free(text);
}

static size_t split(char **words, char *line)
{
    size_t count = 0;
    char *rest = NULL;

    for (char *w = strtok_r(line, " \n", &rest); w && count < MOST_WORDS; w = strtok_r(NULL, " \n", &rest))
        words[count++] = w;
    return count;
}

static lode *obey(lode *handle, char **words, size_t count)
{
    const char *command = words[0];

    if (strcmp(command, "clock") == 0 && count == 2) {
        now = strtoll(words[1], NULL, 10);
        printf("ok\n");
    } else if (strcmp(command, "open") == 0 && count >= 4 && !handle) {
        return open_chain(words, count);
    } else if (!handle) {
        printf("error nothing is open\n");
    } else if (strcmp(command, "submit") == 0) {
        submit(handle, count > 1 ? words[1] : "");
    } else if (strcmp(command, "import") == 0) {
        import(handle, words, count);
    } else if (strcmp(command, "invalidate") == 0 && count == 2) {
        mark(handle, words[1], true);
    } else if (strcmp(command, "reconsider") == 0 && count == 2) {
        mark(handle, words[1], false);
    } else if (strcmp(command, "ask") == 0 && count >= 2) {
        ask(handle, words, count);
    } else if (strcmp(command, "close") == 0) {
        lode_status s = lode_close(handle);
        if (lode_failed(s))
            answer_error(s);
        else
            printf("ok\n");
        return NULL;
    } else {
        printf("error what is \"%s\"?\n", command);
    }
    return handle;
}

int main(void)
{
    char *line = NULL, *words[MOST_WORDS];
    size_t capacity = 0;
    lode *handle = NULL;

    while (getline(&line, &capacity, stdin) > 0) {
        size_t count = split(words, line);
        if (count)
            handle = obey(handle, words, count);
        fflush(stdout);
    }
    free(line);
    lode_ignore(lode_close(handle)); /* the script went away */
    return 0;
}
