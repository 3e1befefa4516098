/* cli/signals.c: Ctrl-C: once to end cleanly, twice to end at once.
 *
 * Touches:  the process's signal handlers. The library installs none.
 */
#include "cli/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(lode *) watched;
static atomic_int came; /* how many */

static void handle(int signal_number)
{
    static const char note[] = "\nstopping: finishing what is under way (Ctrl-C again to stop at once)\n";
    lode *handle_now = atomic_load(&watched);

    if (atomic_fetch_add(&came, 1) > 0 || !handle_now)
        _exit(130);
    if (write(STDERR_FILENO, note, sizeof note - 1) < 0) {
        /* nothing can be done about it here */
    }
    lode_interrupt(handle_now);
}

void lode_signals_install(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void lode_signals_watch(lode *handle_to_watch)
{
    atomic_store(&watched, handle_to_watch);
}

bool lode_signals_came(void)
{
    return atomic_load(&came) > 0;
}
