/* support/status.h: making and passing on a lode_status. */
#ifndef LODE_SUPPORT_STATUS_H
#define LODE_SUPPORT_STATUS_H

#include "lode/status.h"

/* Success sets the code alone, so that it is cheap where it is frequent. */
static inline lode_status lode_ok(void)
{
    lode_status s;
    s.code = LODE_OK;
    s.sys_errno = 0;
    s.text[0] = '\0';
    return s;
}

static inline bool lode_failed(lode_status s)
{
    return s.code != LODE_OK;
}

/* Every error is born here or in lode_fail_errno: one place for a breakpoint. */
lode_status lode_fail(lode_code code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* As lode_fail, from an errno value: chooses LODE_NO_SPACE, LODE_MISSING, LODE_EXISTS, LODE_NO_MEMORY or LODE_IO and
 * appends ": " and the system's words. */
lode_status lode_fail_errno(int error_number, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The same error with words put before its text: "while reading X: ...". */
lode_status lode_fail_within(lode_status inner, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

#define LODE_TRY(call)                                                                                                 \
    do {                                                                                                               \
        lode_status lode_try_status_ = (call);                                                                         \
        if (lode_failed(lode_try_status_))                                                                             \
            return lode_try_status_;                                                                                   \
    } while (0)

/* A status that is dropped on purpose; the caller says why in a comment. */
#define lode_ignore(call) ((void)(call))

#endif
