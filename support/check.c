/* support/check.c: what happens when a promise of our own is broken.
 *
 * Room:     one process-wide handler, as libsecp256k1 has for its callbacks.
 * Threads:  lode_set_bug_handler before other threads start; lode_bug from any.
 */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

static lode_bug_handler bug_handler;
static void *bug_context;

void lode_set_bug_handler(lode_bug_handler handler, void *context)
{
    bug_context = context;
    bug_handler = handler;
}

void lode_bug(const char *file, int line, const char *promise)
{
    if (bug_handler) {
        bug_handler(file, line, promise, bug_context);
        return;
    }
    fprintf(stderr, "lode: bug at %s:%d: broken promise: %s\n", file, line, promise);
    abort();
}
