/* bench/sync/row.c: one import on one engine, and the look at what it left.
 *
 * Room:     two processes: one imports and is timed, one opens what is there and counts it.
 * Touches:  ROOM/data and ROOM/error.log.
 * Threads:  this process has none, so that it may fork.
 */
#include "bench/sync/row.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/chain/random.h"
#include "bench/sync/stand_in.h"
#include "chainstate/utxo_stats.h"
#include "loadblock/import.h"
#include "primitives/hash.h"
#include "support/thread.h"

enum { MIB = 1 << 20 };

/* ---- configurations ---- */

const char *lode_sync_cannot(const lode_engine *engine, lode_sync_config config)
{
    if (!engine->batch_begin || !engine->batch_delete)
        return engine->no_batch ? engine->no_batch : "has no batches";
    if (config == LODE_SYNC_BLOOM && !engine->has_filter)
        return "has no filter";
    if (config == LODE_SYNC_BLOOM_CACHE && !engine->has_filter && engine->has_no_cache)
        return "has neither filter nor cache";
    return NULL;
}

const char *lode_sync_config_name(lode_sync_config config)
{
    static const char *const names[] = { "defaults", "bloom", "bloom-cache" };
    return names[config];
}

const char *lode_sync_config_words(const lode_engine *engine, lode_sync_config config)
{
    static const char *const words[] = { "defaults", "10-bit bloom", "bloom + 30 MB cache" };
    return config == LODE_SYNC_BLOOM_CACHE && !engine->has_filter ? "30 MB cache" : words[config];
}

/* A block's bytes become, at most, about as many bytes of coins and index; a transaction has 200 and more. */
lode_engine_settings lode_sync_settings(const lode_sync_job *job, const lode_sync_row *row)
{
    return (lode_engine_settings){
        .entries = job->chain_bytes / 200 + 1000,
        .data_bytes = job->chain_bytes,
        .cache_bytes = row->config == LODE_SYNC_BLOOM_CACHE ? 30000000 : 8 * MIB,
        .write_buffer_bytes = 4 * MIB,
        .block_bytes = 4096,
        .table_bytes = 32 * MIB, /* the product's, and Core's */
        .bloom_bits = row->config == LODE_SYNC_DEFAULTS ? 0 : 10,
        .max_open_files = 1000,
        .sync = job->sync,
    };
}

/* ---- in the children ---- */

static lode_status sync_nothing(lode_env *env, lode_file *file)
{
    return lode_ok();
}

static lode_status sync_no_directory(lode_env *env, const char *path)
{
    return lode_ok();
}

/* Where nothing waits for the disk, Lode's own files do not either. */
static lode_env *env_of(const lode_sync_job *job)
{
    static lode_env unsynced;

    if (job->sync)
        return lode_env_system();
    unsynced = *lode_env_system();
    unsynced.sync = sync_nothing;
    unsynced.sync_directory = sync_no_directory;
    return &unsynced;
}

static void must(lode_status s)
{
    if (lode_failed(s))
        lode_engine_stop("%s", s.text);
}

static void stand_in(const lode_sync_job *job, const lode_sync_row *row)
{
    lode_stand_in_wished = (lode_stand_in_wish){
        .engine = row->engine == &lode_engine_lode ? NULL : row->engine,
        .settings = lode_sync_settings(job, row),
        .sync = job->sync,
    };
}

static lode_chain_params params_of(const lode_sync_job *job)
{
    lode_chain_params params;
    lode_network network;

    if (!lode_chain_from_name(&network, job->network))
        lode_engine_stop("-network=%s: the networks are main, test, testnet4, signet and regtest", job->network);
    lode_chain_params_init(&params, network);
    return params;
}

static lode_chain *open_chain(const lode_sync_job *job, const lode_sync_row *row, const char *path, bool read_only)
{
    lode_chain_params params = params_of(job);
    lode_chain *chain;
    lode_chain_options o = { .datadir = path,
                             .params = &params,
                             .env = env_of(job),
                             .read_only = read_only,
                             .create_if_missing = !read_only,
                             .txindex = true,
                             .check_scripts = row->signatures,
                             .threads = job->par,
                             .cache_bytes = (size_t)job->dbcache_mib * MIB };

    stand_in(job, row);
    must(lode_chain_open(&chain, &o));
    return chain;
}

/* Everything `lode import -txindex` does. */
static void import_files(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row, const char *path)
{
    lode_import_options o = { .size = sizeof o,
                              .paths = (const char *const *)job->files,
                              .path_count = (size_t)job->file_count };
    lode_import_result result = { .size = sizeof result };
    lode_chain *chain;

    must(lode_env_make_path(lode_env_system(), path));
    chain = open_chain(job, row, path, false);
    if (job->each_block)
        chain->flush_interval_ns = 0;
    must(lode_import_run(chain, &o, 0, &result));
    must(lode_chain_flush(chain, true));
    must(lode_chain_close(chain));
    run->blocks = result.blocks_connected;
    run->transactions = result.transactions;
    run->inputs = result.inputs;
}

static uint64_t add_bytes(uint64_t sum, lode_bytes b)
{
    const uint8_t *p = (const uint8_t *)b.data;

    for (size_t i = 0; i < b.len; i++)
        sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
    return lode_mix64(sum ^ b.len);
}

static void count_index(lode_sync_state *state, lode_txindex *index)
{
    lode_iterator *it;

    must(lode_iterator_create(&it, lode_txindex_store(index), NULL));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it);
        if (*(const char *)key.data != 't')
            continue;
        state->transactions++;
        state->index_sum = add_bytes(add_bytes(state->index_sum, key), lode_iterator_value(it));
    }
    must(lode_iterator_status(it));
    lode_iterator_destroy(it);
}

static void read_state(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row, const char *path)
{
    lode_chain *chain = open_chain(job, row, path, true);
    lode_utxo_stats stats;

    if (!chain->txindex)
        lode_engine_stop("there is no transaction index");
    must(lode_utxo_stats_compute(&stats, chain->coins, LODE_UTXO_HASH_SERIALIZED_3, 1, NULL));
    run->state.coins = stats.txouts;
    lode_hash_to_hex(run->state.best_block, stats.best_block.bytes);
    lode_hash_to_hex(run->state.set_hash, stats.hash_serialized_3);
    count_index(&run->state, chain->txindex);
    must(lode_chain_close(chain));
}

/* ---- processes ---- */

typedef void (*child_work)(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row, const char *path);

static void be_child(int out, const char *errors, const lode_sync_job *job, const lode_sync_row *row, const char *path,
                     child_work work)
{
    lode_sync_run run = { .good = true };
    int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
    work(&run, job, row, path);
    _exit(write(out, &run, sizeof run) == (ssize_t)sizeof run ? 0 : 1);
}

static void read_why(lode_sync_run *run, const char *errors, int status)
{
    FILE *f = fopen(errors, "r");
    char line[sizeof run->why];

    if (WIFSIGNALED(status))
        snprintf(run->why, sizeof run->why, "ended by signal %d", WTERMSIG(status));
    else
        snprintf(run->why, sizeof run->why, "ended with status %d", WEXITSTATUS(status));
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            memcpy(run->why, line, sizeof line);
    }
    if (f)
        fclose(f);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void run_child(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row, const char *path,
                      child_work work)
{
    struct rusage usage = { 0 };
    char errors[4200];
    uint64_t start_ns;
    int ends[2], status = 0;
    pid_t pid;
    bool told;

    snprintf(errors, sizeof errors, "%s/error.log", job->room);
    if (pipe(ends) != 0)
        lode_engine_stop("no pipe: %s", strerror(errno));
    fflush(NULL);
    start_ns = lode_clock_ns();
    pid = fork();
    if (pid == 0)
        be_child(ends[1], errors, job, row, path, work);
    close(ends[1]);
    told = read(ends[0], run, sizeof *run) == (ssize_t)sizeof *run;
    close(ends[0]);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        lode_engine_stop("no process: %s", strerror(errno));
    run->real_s = (double)(lode_clock_ns() - start_ns) * 1e-9;
    run->user_s = seconds_of(usage.ru_utime);
    run->sys_s = seconds_of(usage.ru_stime);
    run->peak_mib = (double)usage.ru_maxrss / 1024;
    run->good = told && run->good && status == 0;
    if (!run->good)
        read_why(run, errors, status);
    unlink(errors);
}

/* ---- a row ---- */

static uint64_t database_bytes(const lode_sync_job *job, const char *path)
{
    static const char *const names[] = { "chainstate", "indexes/txindex" };
    const lode_chain_params params = params_of(job);
    uint64_t bytes = 0;
    char name[4300];

    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s/%s", path, params.folder, names[i]);
        bytes += lode_engine_disk_bytes(name);
    }
    return bytes;
}

static void hold_against(lode_sync_run *run, const lode_sync_state *expected)
{
    const lode_sync_state *s = &run->state;

    run->good = false;
    if (strcmp(s->best_block, expected->best_block) != 0)
        snprintf(run->why, sizeof run->why, "ends at block %.16s, expected %.16s", s->best_block, expected->best_block);
    else if (s->coins != expected->coins || strcmp(s->set_hash, expected->set_hash) != 0)
        snprintf(run->why, sizeof run->why, "%llu coins with hash %.16s, expected %llu with %.16s",
                 (unsigned long long)s->coins, s->set_hash, (unsigned long long)expected->coins, expected->set_hash);
    else if (s->transactions != expected->transactions)
        snprintf(run->why, sizeof run->why, "%llu transactions in the index, expected %llu",
                 (unsigned long long)s->transactions, (unsigned long long)expected->transactions);
    else if (s->index_sum != expected->index_sum)
        snprintf(run->why, sizeof run->why, "the transaction index has other positions");
    else
        run->good = true;
}

void lode_sync_do(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row,
                  const lode_sync_state *expected)
{
    lode_sync_run look = { .good = false };
    char path[4200];

    snprintf(path, sizeof path, "%s/data", job->room);
    lode_engine_remove(path);
    sync();
    *run = (lode_sync_run){ .good = false };
    run_child(run, job, row, path, import_files);
    if (run->good) {
        run->files_bytes = database_bytes(job, path);
        run_child(&look, job, row, path, read_state);
        run->state = look.state;
        run->good = look.good;
        if (!look.good)
            snprintf(run->why, sizeof run->why, "what was written cannot be read: %.200s", look.why);
    }
    if (run->good && expected)
        hold_against(run, expected);
    if (!job->keep)
        lode_engine_remove(path);
}
