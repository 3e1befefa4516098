/* test/loadblock/backlog_test.c: blocks are connected as soon as their parents are there, not when all input is read.
 *
 * Ten pipes stand for ten files. Each begins only when the tip is the last block of the one before: an importer that
 * reads ahead to the end would wait for ever, and the alarm says so.
 */
#include "test/loadblock/bed.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 10, BLOCKS_PER_FILE = 12, WAIT_MOST_S = 120 };

static made_chain chain;

typedef struct course {
    lode_mutex lock;
    lode_cond moved;
    int32_t height; /* of the tip, as the import tells it */
} course;

typedef struct feeder {
    lode_thread thread;
    course *course;
    const char *path;
    lode_buf content;
    int32_t wait_for; /* height */
} feeder;

static void *feed_in_turn(void *context)
{
    feeder *f = context;
    int fd = open(f->path, O_WRONLY);

    lode_mutex_lock(&f->course->lock);
    while (f->course->height < f->wait_for)
        lode_cond_wait_us(&f->course->moved, &f->course->lock, 1000000);
    lode_mutex_unlock(&f->course->lock);
    for (size_t at = 0; at < f->content.len;) {
        ssize_t written = write(fd, f->content.data + at, f->content.len - at);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    close(fd);
    return NULL;
}

static void note_height(bed *b, const lode_progress *progress)
{
    course *c = b->hook_context;

    lode_mutex_lock(&c->lock);
    if (progress->height > c->height)
        c->height = progress->height;
    lode_cond_broadcast(&c->moved);
    lode_mutex_unlock(&c->lock);
}

static void the_tip_follows_the_input_file_by_file(void **state)
{
    course c = { .height = 0 };
    feeder feeders[FILES] = { 0 };
    const char *paths[FILES];
    char name[32];
    bed b;

    bed_init_on_disk(&b, "regtest");
    lode_mutex_init(&c.lock);
    lode_cond_init(&c.moved);
    b.hook_context = &c;
    b.on_progress = note_height;
    for (int i = 0; i < FILES; i++) {
        feeder *f = &feeders[i];
        snprintf(name, sizeof name, "pipe%d", i);
        paths[i] = f->path = bed_path(&b, name);
        assert_int_equal(mkfifo(f->path, 0600), 0);
        f->course = &c;
        f->wait_for = i * BLOCKS_PER_FILE;
        bed_put_chain(&b, &f->content, &chain, (size_t)i * BLOCKS_PER_FILE + 1, (size_t)(i + 1) * BLOCKS_PER_FILE + 1);
        assert_ok(lode_thread_start(&f->thread, "feeder", feed_in_turn, f));
    }
    alarm(WAIT_MOST_S);
    assert_ok(bed_import(&b, paths, FILES));
    alarm(0);
    bed_assert_tip(&b, &chain.blocks[FILES * BLOCKS_PER_FILE]);
    for (int i = 0; i < FILES; i++) {
        lode_thread_join(&feeders[i].thread);
        lode_buf_clear(&feeders[i].content);
    }
    lode_cond_clear(&c.moved);
    lode_mutex_clear(&c.lock);
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(17, 3);
    lode_made_block genesis;

    signal(SIGPIPE, SIG_IGN);
    lode_chain_maker_genesis(&genesis);
    made_chain_add(&chain, &genesis);
    made_extend(maker, &chain, FILES * BLOCKS_PER_FILE);
    lode_chain_maker_destroy(maker);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_tip_follows_the_input_file_by_file) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
