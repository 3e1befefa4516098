/* cli/progress.c: how far an import is, in a line.
 *
 * Room:     rates over the last seconds, an estimate of the time left, words for it.
 * Touches:  the console. No clock: the library tells how long it has been at work.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const uint64_t sample_gap_ns = 250000000; /* so the ring spans 16 seconds */
static const uint64_t line_gap_ns = 5000000000u; /* when standard error is no terminal */

void lode_progress_meter_init(lode_progress_meter *m, lode_console *console)
{
    *m = (lode_progress_meter){ .console = console };
}

char *lode_group_digits(char out[32], uint64_t value)
{
    char plain[24];
    int len = snprintf(plain, sizeof plain, "%" PRIu64, value);
    char *at = out;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *at++ = ',';
        *at++ = plain[i];
    }
    *at = '\0';
    return out;
}

char *lode_duration_text(char out[32], double seconds)
{
    long whole = seconds < 0 ? 0 : seconds > 1e9 ? 1000000000 : (long)(seconds + 0.5);

    if (whole >= 3600)
        snprintf(out, 32, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    else if (whole >= 60)
        snprintf(out, 32, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(out, 32, "%.*f s", seconds < 10 ? 2 : 0, seconds < 0 ? 0 : seconds);
    return out;
}

static const char *phase_word(lode_phase phase)
{
    switch (phase) {
    case LODE_PHASE_OPENING:
        return "opening";
    case LODE_PHASE_REPLAYING:
        return "replaying";
    case LODE_PHASE_IMPORTING:
        return "importing";
    case LODE_PHASE_CONNECTING:
        return "connecting";
    case LODE_PHASE_FLUSHING:
        return "flushing";
    case LODE_PHASE_INDEXING:
        return "indexing";
    case LODE_PHASE_DONE:
        return "done";
    }
    return "";
}

static lode_progress_sample sample_of(const lode_progress *p)
{
    return (lode_progress_sample){ p->elapsed_ns, p->blocks, p->inputs, p->fraction };
}

/* The oldest sample of the ring, or nothing done at time zero. */
static lode_progress_sample oldest(const lode_progress_meter *m)
{
    if (m->sample_count <= LODE_PROGRESS_SAMPLES)
        return (lode_progress_sample){ 0, 0, 0, 0.0 };
    return m->samples[m->sample_count % LODE_PROGRESS_SAMPLES];
}

static void take_sample(lode_progress_meter *m, const lode_progress *p)
{
    size_t last = (m->sample_count + LODE_PROGRESS_SAMPLES - 1) % LODE_PROGRESS_SAMPLES;

    if (m->sample_count && p->elapsed_ns < m->samples[last].elapsed_ns + sample_gap_ns)
        return;
    m->samples[m->sample_count++ % LODE_PROGRESS_SAMPLES] = sample_of(p);
}

static uint64_t rate(uint64_t now, uint64_t then, double seconds)
{
    return seconds > 0 && now > then ? (uint64_t)((double)(now - then) / seconds + 0.5) : 0;
}

/* The file's name without its folders. */
static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return !path ? "" : slash ? slash + 1 : path;
}

void lode_progress_line(char *out, size_t capacity, const lode_progress_meter *m, const lode_progress *p)
{
    lode_progress_sample then = oldest(m);
    double seconds = (double)(p->elapsed_ns - then.elapsed_ns) / 1e9;
    double done = p->fraction - then.fraction;
    time_t when = (time_t)p->block_time;
    struct tm day;
    char date[16] = "", blocks[32], inputs[32], share[16] = "", left[48] = "", duration[32];

    if (p->block_time && gmtime_r(&when, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    if (p->fraction > 0)
        snprintf(share, sizeof share, " %.1f %%", 100 * (p->fraction < 1 ? p->fraction : 1));
    if (p->fraction > 0 && p->fraction < 1 && done > 1e-6 && p->elapsed_ns > 2000000000u)
        snprintf(left, sizeof left, ", %s left", lode_duration_text(duration, (1 - p->fraction) / done * seconds));
    snprintf(out, capacity, "%s%s%s  height %d  %s  %s blocks/s  %s inputs/s  cache %" PRIu64 "/%" PRIu64 " MiB  %s",
             phase_word(p->phase), share, left, p->height, date,
             lode_group_digits(blocks, rate(p->blocks, then.blocks, seconds)),
             lode_group_digits(inputs, rate(p->inputs, then.inputs, seconds)), p->cache_bytes >> 20,
             p->cache_limit_bytes >> 20, base_name(p->file));
}

void lode_progress_show(lode_progress_meter *m, const lode_progress *p)
{
    char line[512];
    bool is_due = p->elapsed_ns >= m->last_line_ns + line_gap_ns;

    take_sample(m, p);
    if (!m->console->is_terminal && !is_due)
        return;
    lode_progress_line(line, sizeof line, m, p);
    if (m->console->is_terminal)
        lode_console_set_live(m->console, line);
    else
        lode_console_line(m->console, "%s", line);
    m->last_line_ns = p->elapsed_ns;
}
