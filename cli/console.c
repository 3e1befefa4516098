/* cli/console.c: standard error, shared by threads.
 *
 * Room:     lines that do not tear the live line, and the live line.
 * Touches:  standard error.
 * Threads:  one lock around each write.
 */
#include "cli/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void lode_console_init(lode_console *c)
{
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->is_terminal = isatty(STDERR_FILENO);
}

static void erase_live(const lode_console *c)
{
    if (c->live[0])
        fputs("\r\033[K", stderr);
}

static void draw_live(const lode_console *c)
{
    struct winsize size = { 0 };
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;

    if (c->live[0])
        fprintf(stderr, "\r\033[K%.*s", columns, c->live);
    fflush(stderr);
}

void lode_console_close(lode_console *c)
{
    pthread_mutex_lock(&c->lock);
    erase_live(c);
    c->live[0] = '\0';
    fflush(stderr);
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_destroy(&c->lock);
}

void lode_console_line(lode_console *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&c->lock);
    erase_live(c);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    draw_live(c);
    pthread_mutex_unlock(&c->lock);
    va_end(arguments);
}

void lode_console_set_live(lode_console *c, const char *text)
{
    if (!c->is_terminal)
        return;
    pthread_mutex_lock(&c->lock);
    if (!*text)
        erase_live(c);
    snprintf(c->live, sizeof c->live, "%s", text);
    draw_live(c);
    pthread_mutex_unlock(&c->lock);
}

void lode_console_log(void *console, int level, const char *line)
{
    static const char *const marks[] = { "error: ", "warning: ", "", "" };

    lode_console_line(console, "%s%s", level >= 0 && level <= 3 ? marks[level] : "", line);
}
