/* bench/lode-import-bench-process.c: runs a program to its end and says what it cost.
 *
 * Touches:  one file for all the program says.
 * Note:     the peak of a child counts what its parent held when it forked, so this program stays small: whatever needs
 *           memory runs in a child of its own (lode-import-bench-floor.c).
 */
#include "bench/lode-import-bench-process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/thread.h"

void lode_bench_stop(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void lode_bench_command_add(lode_bench_command *c, const char *format, ...)
{
    va_list arguments;

    if (c->count == LODE_BENCH_ARGUMENTS_MAX)
        lode_bench_stop("a command has more than %d words", LODE_BENCH_ARGUMENTS_MAX);
    va_start(arguments, format);
    if (vasprintf(&c->words[c->count], format, arguments) < 0)
        lode_bench_stop("no memory for a command");
    va_end(arguments);
    c->words[++c->count] = NULL;
}

void lode_bench_command_clear(lode_bench_command *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->words[i]);
    *c = (lode_bench_command){ .count = 0 };
}

char *lode_bench_read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t len = 0, capacity = 0;

    if (!f)
        return NULL;
    do {
        capacity = 2 * capacity + 4096;
        text = (char *)realloc(text, capacity + 1);
        if (!text)
            lode_bench_stop("no memory to read %s", path);
        len += fread(text + len, 1, capacity - len, f);
    } while (len == capacity);
    text[len] = '\0';
    fclose(f);
    return text;
}

/* The last one we may run on: the first is often the busiest. */
static void stay_on_one_processor(void)
{
    cpu_set_t set;
    int last = -1;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        _exit(126);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            last = i;
    CPU_ZERO(&set);
    CPU_SET(last, &set);
    if (last < 0 || sched_setaffinity(0, sizeof set, &set) != 0)
        _exit(126);
}

static pid_t start(const lode_bench_command *command, const char *out, bool one_processor)
{
    pid_t pid;
    int fd;

    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid;
    fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
        _exit(126);
    fd = open("/dev/null", O_RDONLY);
    if (fd >= 0)
        dup2(fd, STDIN_FILENO);
    if (one_processor)
        stay_on_one_processor();
    execvp(command->words[0], command->words);
    fprintf(stderr, "%s: %s\n", command->words[0], strerror(errno));
    _exit(127);
}

static bool stands_in(const lode_bench_ending *ending)
{
    char *text = lode_bench_read_text(ending->path);
    bool stands = text && strstr(text, ending->text);

    free(text);
    return stands;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Polled: its wall time is too long by 2 ms on average. */
static pid_t wait_for_text(pid_t pid, int *status, struct rusage *usage, const lode_bench_ending *ending,
                           uint64_t start_ns)
{
    bool ended = false;

    for (;;) {
        pid_t done = wait4(pid, status, WNOHANG, usage);
        double waited_s = (double)(lode_clock_ns() - start_ns) * 1e-9;
        if (done != 0)
            return done;
        if (!ended && (waited_s > ending->patience_s || stands_in(ending))) {
            kill(pid, SIGTERM);
            ended = true;
        }
        usleep(4000);
    }
}

bool lode_bench_run(lode_bench_cost *cost, const lode_bench_command *command, const char *out, bool one_processor,
                    const lode_bench_ending *ending)
{
    struct rusage usage = { 0 };
    int status = 0;
    uint64_t start_ns = lode_clock_ns();
    pid_t pid = start(command, out, one_processor), done;

    if (pid < 0)
        lode_bench_stop("no process for %s: %s", command->words[0], strerror(errno));
    do {
        done = ending ? wait_for_text(pid, &status, &usage, ending, start_ns) : wait4(pid, &status, 0, &usage);
    } while (done < 0 && errno == EINTR);
    cost->wall_s = (double)(lode_clock_ns() - start_ns) * 1e-9;
    cost->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    cost->peak_mib = (double)usage.ru_maxrss / 1024;
    return done == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && (!ending || stands_in(ending));
}
