/* test/loadblock/bed.c: see bed.h. */
#include "test/loadblock/bed.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "primitives/hash.h"
#include "support/status.h"
#include "test/support/memory_env.h"
#include "validate/rules/params.h"

static void on_progress(void *context, const lode_progress *progress)
{
    bed *b = context;
    b->progress_count++;
    if (b->on_progress)
        b->on_progress(b, progress);
}

static void on_rejection(void *context, const lode_rejection *r)
{
    bed *b = context;
    b->rejections = realloc(b->rejections, (b->rejection_count + 1) * sizeof *b->rejections);
    assert_non_null(b->rejections);
    bed_rejection *out = &b->rejections[b->rejection_count++];
    memset(out, 0, sizeof *out);
    snprintf(out->file, sizeof out->file, "%s", r->file ? r->file : "");
    out->offset = r->offset;
    snprintf(out->hash, sizeof out->hash, "%s", r->hash);
    out->height = r->height;
    snprintf(out->reason, sizeof out->reason, "%s", r->reason);
    snprintf(out->detail, sizeof out->detail, "%s", r->detail);
}

static void on_notice(void *context, const char *line)
{
    bed *b = context;
    lode_buf_printf(&b->notices, "%s\n", line);
    if (getenv("LODE_TEST_TALK"))
        printf("notice: %s\n", line);
}

static void on_log(void *context, int level, const char *line)
{
    bed *b = context;
    lode_mutex_lock(&b->log_lock);
    lode_buf_printf(&b->log, "%s\n", line);
    lode_mutex_unlock(&b->log_lock);
    if (getenv("LODE_TEST_TALK"))
        printf("log %d: %s\n", level, line);
}

static void set_up(bed *b, const char *chain)
{
    lode_chain_params params;
    lode_network network;

    assert_true(lode_chain_from_name(&network, chain));
    lode_chain_params_init(&params, network);
    memcpy(b->magic, params.magic, 4);
    snprintf(b->datadir, sizeof b->datadir, "%s/data", b->root);
    lode_mutex_init(&b->log_lock);
    lode_options_init(&b->options);
    b->options.datadir = b->datadir;
    b->options.chain = chain;
    b->options.env = b->env;
    b->options.threads = 2;
    b->options.dbcache_bytes = 32 << 20;
    b->options.log = on_log;
    b->options.log_context = b;
    lode_import_options_init(&b->import);
    b->import.context = b;
    b->import.on_progress = on_progress;
    b->import.on_rejection = on_rejection;
    b->import.on_notice = on_notice;
}

void bed_init_on_disk(bed *b, const char *chain)
{
    const char *folder = getenv("TMPDIR");
    memset(b, 0, sizeof *b);
    b->env = lode_env_system();
    b->on_disk = true;
    snprintf(b->root, sizeof b->root, "%s/lode-test-XXXXXX", folder ? folder : "/tmp");
    assert_non_null(mkdtemp(b->root));
    set_up(b, chain);
}

void bed_init(bed *b, const char *chain)
{
    if (getenv("LODE_TEST_DISK")) {
        bed_init_on_disk(b, chain);
        return;
    }
    memset(b, 0, sizeof *b);
    b->env = lode_memory_env_create();
    assert_non_null(b->env);
    snprintf(b->root, sizeof b->root, "/bed");
    assert_ok(lode_env_make_path(b->env, b->root));
    set_up(b, chain);
}

void bed_clear(bed *b)
{
    bed_close(b);
    if (b->on_disk)
        lode_ignore(lode_env_remove_tree(b->env, b->root)); /* what is left in the temporary folder is nobody's loss */
    else
        lode_memory_env_destroy(b->env);
    bed_forget(b);
    for (size_t i = 0; i < b->path_count; i++)
        free(b->paths[i]);
    lode_mutex_clear(&b->log_lock);
    memset(b, 0, sizeof *b);
}

static int64_t tell_time(void *context)
{
    bed *b = context;
    if (++b->clock_asks == b->act_at_ask)
        b->act(b);
    return b->now;
}

void bed_use_clock(bed *b, int64_t now)
{
    b->now = now;
    b->options.clock = tell_time;
    b->options.clock_context = b;
}

/* ---- files ---- */

void bed_put_frame_of(const bed *b, lode_buf *out, const void *bytes, size_t len, uint32_t stated_len)
{
    lode_buf_append(out, b->magic, 4);
    lode_buf_put_le32(out, stated_len);
    lode_buf_append(out, bytes, len);
}

void bed_put_frame(const bed *b, lode_buf *out, const made_block *block)
{
    bed_put_frame_of(b, out, block->raw, block->size, block->size);
}

void bed_put_chain(const bed *b, lode_buf *out, const made_chain *chain, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        bed_put_frame(b, out, &chain->blocks[i]);
}

const char *bed_path(bed *b, const char *name)
{
    char *path = lode_path_join(b->root, name);
    assert_non_null(path);
    assert_true(b->path_count < sizeof b->paths / sizeof *b->paths);
    b->paths[b->path_count++] = path;
    return path;
}

const char *bed_write(bed *b, const char *name, lode_buf *content)
{
    const char *path = bed_path(b, name);
    char folder[256];
    lode_file *file;

    assert_true(lode_buf_is_good(content));
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    assert_ok(lode_env_make_path(b->env, folder));
    assert_ok(b->env->open(b->env, &file, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE));
    if (content->len)
        assert_ok(b->env->pwrite(b->env, file, content->data, content->len, 0));
    b->env->close(b->env, file);
    lode_buf_reset(content);
    return path;
}

void bed_read(bed *b, const char *name, lode_buf *out)
{
    char *path = lode_path_join(b->root, name);
    lode_buf_reset(out);
    assert_ok(lode_env_read_file(b->env, out, path, (size_t)1 << 30));
    free(path);
}

bool bed_exists(bed *b, const char *name)
{
    char *path = lode_path_join(b->root, name);
    lode_file_info info;
    bool exists = false;
    assert_ok(b->env->path_info(b->env, &exists, &info, path));
    free(path);
    return exists;
}

void bed_remove_datadir(bed *b)
{
    bed_close(b);
    assert_ok(lode_env_remove_tree(b->env, b->datadir));
}

/* ---- streams ---- */

static void *feed(void *context)
{
    bed_feeder *f = context;
    int fd = f->path ? open(f->path, O_WRONLY) : f->fd;
    for (size_t at = 0; at < f->len;) {
        size_t n = f->len - at < f->piece ? f->len - at : f->piece;
        ssize_t written = write(fd, f->data + at, n);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    close(fd);
    return NULL;
}

void bed_feed_start(bed_feeder *f, const char *path, int fd, const lode_buf *content, size_t piece)
{
    memset(f, 0, sizeof *f);
    signal(SIGPIPE, SIG_IGN); /* a reader that was stopped */
    f->path = path ? strdup(path) : NULL;
    f->fd = fd;
    f->data = content->data;
    f->len = content->len;
    f->piece = piece;
    assert_ok(lode_thread_start(&f->thread, "feeder", feed, f));
}

const char *bed_feed_pipe(bed *b, bed_feeder *f, const lode_buf *content, size_t piece)
{
    const char *path = bed_path(b, "pipe");
    assert_true(b->on_disk);
    assert_int_equal(mkfifo(path, 0600), 0);
    bed_feed_start(f, path, -1, content, piece);
    return path;
}

void bed_feed_end(bed_feeder *f)
{
    lode_thread_join(&f->thread);
    free(f->path);
}

/* ---- work ---- */

void bed_open(bed *b)
{
    assert_null(b->h);
    assert_ok(lode_open(&b->h, &b->options));
    assert_non_null(b->h);
}

void bed_close(bed *b)
{
    lode *h = b->h;
    b->h = NULL;
    assert_ok(lode_close(h));
}

void bed_reopen(bed *b)
{
    bed_close(b);
    bed_open(b);
}

lode_status bed_import(bed *b, const char *const *paths, size_t count)
{
    if (!b->h)
        bed_open(b);
    b->import.paths = paths;
    b->import.path_count = count;
    b->result.size = sizeof b->result;
    return lode_import(b->h, &b->import, &b->result);
}

void bed_import_chain(bed *b, const made_chain *chain, size_t first, size_t end)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(b, &file, chain, first, end);
    const char *path = bed_write(b, "chain.dat", &file);
    lode_buf_clear(&file);
    assert_ok(bed_import(b, &path, 1));
}

void bed_forget(bed *b)
{
    free(b->rejections);
    b->rejections = NULL;
    b->rejection_count = 0;
    lode_buf_clear(&b->notices);
    lode_buf_clear(&b->log);
}

/* ---- what is told ---- */

lode_tip bed_tip(bed *b)
{
    lode_tip tip = { .size = sizeof tip };
    assert_ok(lode_get_tip(b->h, &tip));
    return tip;
}

void bed_assert_tip(bed *b, const made_block *block)
{
    lode_tip tip = bed_tip(b);
    char hex[65];
    lode_hash_to_hex(hex, tip.hash);
    if (block->height >= 0 && tip.height != block->height)
        fail_msg("the tip is at height %d, not %d", tip.height, block->height);
    assert_string_equal(hex, block->hex);
}

bed_print bed_take_print(bed *b)
{
    bed_print p;
    lode_set_info info = { .size = sizeof info };

    memset(&p, 0, sizeof p);
    assert_ok(lode_get_set_info(b->h, &info, LODE_HASH_SERIALIZED_3));
    p.height = info.height;
    memcpy(p.best, info.best_block, 32);
    p.txouts = info.txouts;
    p.transactions = info.transactions;
    p.bogosize = info.bogosize;
    p.total_sat = info.total_sat;
    memcpy(p.hash_serialized_3, info.hash_serialized_3, 32);
    assert_ok(lode_get_set_info(b->h, &info, LODE_HASH_MUHASH));
    memcpy(p.muhash, info.muhash, 32);
    return p;
}

void bed_assert_print(bed *b, const bed_print *expected)
{
    bed_print is = bed_take_print(b);
    assert_int_equal(is.height, expected->height);
    assert_memory_equal(is.best, expected->best, 32);
    assert_int_equal(is.txouts, expected->txouts);
    assert_int_equal(is.transactions, expected->transactions);
    assert_int_equal(is.bogosize, expected->bogosize);
    assert_int_equal(is.total_sat, expected->total_sat);
    assert_memory_equal(is.hash_serialized_3, expected->hash_serialized_3, 32);
    assert_memory_equal(is.muhash, expected->muhash, 32);
}

bool bed_noticed(const bed *b, const char *text)
{
    size_t len = strlen(text);
    return b->notices.len >= len && memmem(b->notices.data, b->notices.len, text, len) != NULL;
}

bool bed_logged(bed *b, const char *text)
{
    bool found;
    lode_mutex_lock(&b->log_lock);
    found = b->log.len && memmem(b->log.data, b->log.len, text, strlen(text)) != NULL;
    lode_mutex_unlock(&b->log_lock);
    return found;
}

const bed_rejection *bed_find_rejection(const bed *b, const char *hash_hex)
{
    for (size_t i = 0; i < b->rejection_count; i++)
        if (strcmp(b->rejections[i].hash, hash_hex) == 0)
            return &b->rejections[i];
    return NULL;
}

char *bed_query(bed *b, const char *command, const char *argument)
{
    char *answer = NULL, *error = NULL;
    int is_text = 0, code = 0;
    assert_ok(lode_query(b->h, command, &argument, argument ? 1 : 0, &answer, &is_text, &code, &error));
    lode_free(error);
    return answer;
}
