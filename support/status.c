/* support/status.c: where every error of liblode is born.
 *
 * Room:     formats one sentence into a status; picks the code that an errno value means.
 * Threads:  any.
 */
#include "support/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SIZE sizeof(((lode_status *)0)->text)

static lode_status status_of(lode_code code, int sys_errno)
{
    lode_status s = lode_ok();

    s.code = code;
    s.sys_errno = sys_errno;
    return s;
}

/* Words that do not fit are cut at the end of `format`'s part, so that `tail`, the reason, stays readable. */
static void write_text(lode_status *s, const char *format, va_list args, const char *tail)
{
    size_t tail_len = tail ? strnlen(tail, TEXT_SIZE * 2 / 3) : 0;
    size_t room = TEXT_SIZE - (tail_len ? tail_len + 2 : 0);
    char reason[TEXT_SIZE];

    memcpy(reason, tail_len ? tail : "", tail_len); /* tail may stand in s->text */
    int wrote = vsnprintf(s->text, room, format, args);
    size_t len = wrote < 0 ? 0 : (size_t)wrote < room ? (size_t)wrote : room - 1;
    if (tail_len) {
        memcpy(s->text + len, ": ", 2);
        memcpy(s->text + len + 2, reason, tail_len);
        len += 2 + tail_len;
    }
    s->text[len] = '\0';
}

lode_status lode_fail(lode_code code, const char *format, ...)
{
    lode_status s = status_of(code, 0);
    va_list args;

    va_start(args, format);
    write_text(&s, format, args, NULL);
    va_end(args);
    return s;
}

static lode_code code_of_errno(int error_number)
{
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return LODE_NO_SPACE;
    case ENOENT:
    case ENOTDIR:
        return LODE_MISSING;
    case EEXIST:
        return LODE_EXISTS;
    case ENOMEM:
        return LODE_NO_MEMORY;
    default:
        return LODE_IO;
    }
}

lode_status lode_fail_errno(int error_number, const char *format, ...)
{
    lode_status s = status_of(code_of_errno(error_number), error_number);
    char words[96];
    va_list args;

    va_start(args, format);
    write_text(&s, format, args, strerror_r(error_number, words, sizeof words));
    va_end(args);
    return s;
}

lode_status lode_fail_within(lode_status inner, const char *format, ...)
{
    lode_status s = inner;
    va_list args;

    va_start(args, format);
    write_text(&s, format, args, inner.text);
    va_end(args);
    return s;
}
