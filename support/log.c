/* support/log.c: makes one line and hands it to the host.
 *
 * Threads:  any; one lock for all loggers, since lines are rare and hosts often share one sink.
 */
#include "support/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define LONGEST_LINE 2048 /* what is longer is cut */

/* A sink may hand its line on to another logger: a store's lines go to the log of the folder it stands in. */
static pthread_mutex_t write_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void lode_log(const lode_logger *logger, lode_log_level level, const char *format, ...)
{
    char line[LONGEST_LINE];
    va_list args;

    if (!logger || !logger->write || level > logger->level)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&write_lock);
    logger->write(logger->context, level, line);
    pthread_mutex_unlock(&write_lock);
}
