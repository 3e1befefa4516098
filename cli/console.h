/* cli/console.h: standard error, shared by threads: whole lines above, and on a terminal one live line at the bottom.
 */
#ifndef LODE_CLI_CONSOLE_H
#define LODE_CLI_CONSOLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lode_console {
    bool is_terminal;
    pthread_mutex_t lock;
    char live[512]; /* guarded by lock; what stands on the live line */
} lode_console;

void lode_console_init(lode_console *c);
/* The live line is taken away, so that what the shell prints next stands at the left. */
void lode_console_close(lode_console *c);
/* One line, without its newline. Any thread. */
void lode_console_line(lode_console *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Redraw the live line, cut to the terminal's width. Does nothing when standard error is no terminal. Any thread. */
void lode_console_set_live(lode_console *c, const char *text);
/* lode_options.log. */
void lode_console_log(void *console, int level, const char *line);

#endif
