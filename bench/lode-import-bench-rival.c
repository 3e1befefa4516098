/* bench/lode-import-bench-rival.c: one import by one of the two programs, checked at its end.
 *
 * Room:     their command lines, and what makes a run count: the end of the chain, the hash of the coins (Lode reads
 *           both directories), and that Core skipped scripts where it was to skip them.
 * Touches:  ROOM/lode, ROOM/core and logs beside them.
 *
 * Both get the same -par, -dbcache and outputs. Core's mempool, which takes a share of -dbcache while it is empty, is
 * kept at 5 MB; what it checks of itself on regtest alone (-checkblockindex) is off; block files are not obfuscated.
 */
#include "bench/lode-import-bench-rival.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/env.h"
#include "support/status.h"

static const char *name_of(lode_bench_who who)
{
    return who == LODE_BENCH_LODE ? "lode" : "core";
}

const char *lode_bench_directory(const lode_bench_place *place, lode_bench_who who)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", place->room, name_of(who));
    return path;
}

static void log_path(char path[4096], const lode_bench_place *place, lode_bench_who who)
{
    snprintf(path, 4096, "%s/%s.log", place->room, name_of(who));
}

void lode_bench_path_of(char path[4096], const lode_bench_place *place, lode_bench_who who, const char *name)
{
    const char *folder = strcmp(place->network, "test") == 0 ? "testnet3" : place->network;

    if (strcmp(folder, "main") == 0)
        folder = ".";
    snprintf(path, 4096, "%s/%s/%s/%s", place->room, name_of(who), folder, name);
}

/* ---- the page cache ---- */

static void touch_file(const char *path, bool drop)
{
    static char buffer[1 << 16];
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        return;
    if (drop)
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    else
        while (read(fd, buffer, sizeof buffer) > 0)
            continue;
    close(fd);
}

static int drop_visited(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)where;
    if (kind == FTW_F)
        touch_file(path, true);
    return 0;
}

/* Lode writes block files past the page cache, so that they are not there by themselves. */
static int read_visited(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)where;
    if (kind == FTW_F)
        touch_file(path, false);
    return 0;
}

/* What the job reads is all in memory, or, as far as the system heeds advice, none of it. Nothing is left to write. */
static void set_page_cache(const lode_bench_place *place, const lode_bench_chain *chain, const lode_bench_job *job)
{
    sync();
    for (int i = 0; i < chain->file_count && job->work == LODE_BENCH_IMPORT; i++)
        touch_file(chain->files[i], job->cold);
    if (job->work != LODE_BENCH_IMPORT)
        nftw(lode_bench_directory(place, job->who), job->cold ? drop_visited : read_visited, 16, FTW_PHYS);
}

/* ---- command lines ---- */

static void add_common(lode_bench_command *c, const lode_bench_place *place, const lode_bench_job *job)
{
    lode_bench_command_add(c, "-chain=%s", place->network);
    lode_bench_command_add(c, "-datadir=%s", lode_bench_directory(place, job->who));
    lode_bench_command_add(c, "-par=%d", job->par);
    lode_bench_command_add(c, "-dbcache=%d", job->dbcache_mib);
    if (job->txindex || job->work == LODE_BENCH_TXINDEX)
        lode_bench_command_add(c, "-txindex=1");
    if (job->work == LODE_BENCH_REINDEX)
        lode_bench_command_add(c, "-reindex-chainstate");
    if (job->work == LODE_BENCH_REINDEX_ALL)
        lode_bench_command_add(c, "-reindex");
}

static void make_lode_command(lode_bench_command *c, const lode_bench_place *place, const lode_bench_chain *chain,
                              const lode_bench_job *job)
{
    lode_bench_command_add(c, "%s", place->lode);
    add_common(c, place, job);
    lode_bench_command_add(c, "-checksigs=%d", job->scripts);
    lode_bench_command_add(c, "import");
    for (int i = 0; i < chain->file_count && job->work == LODE_BENCH_IMPORT; i++)
        lode_bench_command_add(c, "%s", chain->files[i]);
}

static void make_core_command(lode_bench_command *c, const lode_bench_place *place, const lode_bench_chain *chain,
                              const lode_bench_job *job)
{
    static const char *const quiet[] = { "-maxmempool=5",      "-persistmempool=0", "-connect=0",
                                         "-listen=0",          "-dnsseed=0",        "-server=0",
                                         "-printtoconsole=0",  "-blocksxor=0",      "-disablewallet=1",
                                         "-checkblockindex=0", "-checkmempool=0",   "-checkaddrman=0" };
    lode_bench_command_add(c, "%s", place->bitcoind);
    add_common(c, place, job);
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        lode_bench_command_add(c, "%s", quiet[i]);
    lode_bench_command_add(c, "-assumevalid=%s", job->scripts ? "0" : chain->best_block);
    lode_bench_command_add(c, "-minimumchainwork=0");
    if (!job->txindex && job->work != LODE_BENCH_TXINDEX)
        lode_bench_command_add(c, "-stopafterblockimport"); /* it would stop before the index is made */
    for (int i = 0; i < chain->file_count && job->work == LODE_BENCH_IMPORT; i++)
        lode_bench_command_add(c, "-loadblock=%s", chain->files[i]);
}

/* ---- what makes it count ---- */

/* The text between `key` and the next quote or comma; false when key is missing. */
static bool find_value(char *out, size_t capacity, const char *text, const char *key)
{
    const char *at = strstr(text, key);
    size_t len;

    if (!at)
        return false;
    at += strlen(key);
    at += strspn(at, ": \"");
    len = strcspn(at, "\",\n}");
    if (len >= capacity)
        return false;
    memcpy(out, at, len);
    out[len] = '\0';
    return true;
}

static bool ask_set_info(char best[65], char hash[65], const lode_bench_place *place, lode_bench_who who)
{
    lode_bench_command c = { .count = 0 };
    lode_bench_cost cost;
    char path[4096], *text;
    bool good;

    snprintf(path, sizeof path, "%s/answer.log", place->room);
    lode_bench_command_add(&c, "%s", place->lode);
    lode_bench_command_add(&c, "-chain=%s", place->network);
    lode_bench_command_add(&c, "-datadir=%s", lode_bench_directory(place, who));
    lode_bench_command_add(&c, "gettxoutsetinfo");
    lode_bench_command_add(&c, "hash_serialized_3");
    good = lode_bench_run(&cost, &c, path, false, NULL);
    lode_bench_command_clear(&c);
    text = lode_bench_read_text(path);
    good = good && text && find_value(best, 65, text, "\"bestblock\"") &&
           find_value(hash, 65, text, "\"hash_serialized_3\"");
    free(text);
    return good;
}

static bool ends_right(char why[256], const lode_bench_place *place, lode_bench_chain *chain, lode_bench_who who)
{
    char best[65], hash[65];

    if (!ask_set_info(best, hash, place, who)) {
        snprintf(why, 256, "lode gettxoutsetinfo fails over the directory of %s", name_of(who));
        return false;
    }
    if (!chain->best_block[0]) {
        memcpy(chain->best_block, best, 65);
        memcpy(chain->set_hash, hash, 65);
    }
    if (strcmp(chain->best_block, best) == 0 && strcmp(chain->set_hash, hash) == 0)
        return true;
    snprintf(why, 256, "%s ends at %.16s with coins %.16s, the chain's are %.16s and %.16s", name_of(who), best, hash,
             chain->best_block, chain->set_hash);
    return false;
}

/* Core says where it begins and where it ends to skip scripts: it always runs them in the last two weeks. */
static bool core_skipped_scripts(char why[256], const lode_bench_place *place, const lode_bench_chain *chain)
{
    static const char off[] = "Disabling script verification at block #",
                      on[] = "Enabling script verification at block #";
    char path[4096], *text, *first_off, *first_on;
    long off_at, on_at;

    lode_bench_path_of(path, place, LODE_BENCH_CORE, "debug.log");
    text = lode_bench_read_text(path);
    first_off = text ? strstr(text, off) : NULL;
    first_on = text ? strstr(text, on) : NULL;
    off_at = first_off ? strtol(first_off + sizeof off - 1, NULL, 10) : -1;
    on_at = first_on ? strtol(first_on + sizeof on - 1, NULL, 10) : chain->height + 1;
    free(text);
    if (off_at >= 0 && off_at <= 1 && on_at >= chain->quiet_from)
        return true;
    if (off_at < 0)
        snprintf(why, 256, "Core does not say that it skipped scripts");
    else
        snprintf(why, 256, "Core skipped scripts in blocks %ld to %ld only, and there are inputs up to %ld", off_at,
                 on_at - 1, chain->quiet_from - 1);
    return false;
}

static void describe_failure(char why[256], const lode_bench_place *place, lode_bench_who who)
{
    char path[4096], *text, *last;
    size_t len;

    log_path(path, place, who);
    text = lode_bench_read_text(path);
    len = text ? strlen(text) : 0;
    while (len && text[len - 1] == '\n')
        text[--len] = '\0';
    last = len ? strrchr(text, '\n') : NULL;
    snprintf(why, 256, "%s failed: %.200s", name_of(who), last ? last + 1 : len ? text : "it said nothing");
    free(text);
}

/* The chain's files become blk00000.dat and so on. */
static lode_status lay_block_files(const lode_bench_place *place, const lode_bench_chain *chain, lode_bench_who who)
{
    lode_env *env = lode_env_system();
    char path[4096], name[32];
    lode_status s;

    lode_bench_path_of(path, place, who, "blocks");
    s = lode_env_make_path(env, path);
    for (int i = 0; i < chain->file_count && !lode_failed(s); i++) {
        lode_file *from = NULL, *to = NULL;
        lode_file_info info = { .size_bytes = 0 };

        snprintf(name, sizeof name, "blocks/blk%05d.dat", i);
        lode_bench_path_of(path, place, who, name);
        s = env->open(env, &from, chain->files[i], LODE_OPEN_READ);
        if (!lode_failed(s))
            s = env->file_info(env, from, &info);
        if (!lode_failed(s))
            s = env->open(env, &to, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE);
        if (!lode_failed(s))
            s = env->copy_range(env, to, 0, from, 0, info.size_bytes);
        env->close(env, from);
        env->close(env, to);
    }
    return s;
}

static void make_room(const lode_bench_place *place, const lode_bench_chain *chain, const lode_bench_job *job)
{
    const char *directory = lode_bench_directory(place, job->who);
    char log[4096];
    lode_status s;

    if (job->work == LODE_BENCH_IMPORT || job->work == LODE_BENCH_REINDEX_ALL) {
        s = lode_env_remove_tree(lode_env_system(), directory);
        if (!lode_failed(s))
            s = lode_env_make_path(lode_env_system(), directory);
        if (!lode_failed(s) && job->work == LODE_BENCH_REINDEX_ALL)
            s = lay_block_files(place, chain, job->who);
        if (lode_failed(s))
            lode_bench_stop("%s", s.text);
    }
    lode_bench_path_of(log, place, LODE_BENCH_CORE, "debug.log");
    if (job->who == LODE_BENCH_CORE)
        unlink(log); /* it would append */
}

bool lode_bench_do_job(lode_bench_cost *cost, char why[256], const lode_bench_place *place, lode_bench_chain *chain,
                       const lode_bench_job *job)
{
    bool is_core = job->who == LODE_BENCH_CORE, good;
    lode_bench_command c = { .count = 0 };
    char log[4096], debug_log[4096];
    lode_bench_ending ending = { debug_log, "txindex is enabled at height", 7200 };

    make_room(place, chain, job);
    set_page_cache(place, chain, job);
    (is_core ? make_core_command : make_lode_command)(&c, place, chain, job);
    log_path(log, place, job->who);
    lode_bench_path_of(debug_log, place, LODE_BENCH_CORE, "debug.log");
    good = lode_bench_run(cost, &c, log, job->one_processor,
                          is_core && (job->txindex || job->work == LODE_BENCH_TXINDEX) ? &ending : NULL);
    lode_bench_command_clear(&c);
    if (!good) {
        describe_failure(why, place, job->who);
        return false;
    }
    if (is_core && !job->scripts && job->work != LODE_BENCH_TXINDEX && !core_skipped_scripts(why, place, chain))
        return false;
    return ends_right(why, place, chain, job->who);
}
