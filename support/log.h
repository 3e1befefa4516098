/* support/log.h: lines for a person, through a function the host gives. */
#ifndef LODE_SUPPORT_LOG_H
#define LODE_SUPPORT_LOG_H

typedef enum lode_log_level { LODE_LOG_ERROR = 0, LODE_LOG_WARNING = 1, LODE_LOG_INFO = 2, LODE_LOG_DEBUG = 3 } lode_log_level;

/* Called from any thread, one call at a time for one logger. The line has no newline and is borrowed. */
typedef void (*lode_log_function)(void *context, lode_log_level level, const char *line);

typedef struct lode_logger {
    lode_log_function write; /* NULL: say nothing */
    void *context;
    lode_log_level level; /* lines above it are not made */
} lode_logger;

/* NULL logger: nothing happens. */
void lode_log(const lode_logger *logger, lode_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
