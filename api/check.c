/* api/check.c: checks of the whole directory through the handle.
 *
 * Threads:  one call at a time works on the chain; interrupt from any.
 */
#include <string.h>

#include "api/handle.h"
#include "snapshot/check.h"

void lode_set_progress(lode *h, void *context,
                       void (*on_progress)(void *context, const char *what, uint64_t done, uint64_t total))
{
    if (!h || lode_mutex_is_held(&h->lock))
        return;
    lode_mutex_lock(&h->lock);
    h->chain->on_progress = on_progress;
    h->chain->progress_context = context;
    lode_mutex_unlock(&h->lock);
}

/* Also a check that found something may have been stopped: its answer does not say so. */
static lode_status end_check(lode *h, lode_status s)
{
    lode_handle_forget_interrupt(h);
    return lode_handle_end_answer(h, s);
}

static int answer_of(lode_verify_answer answer)
{
    switch (answer) {
    case LODE_VERIFY_GOOD:
        return LODE_CHECK_GOOD;
    case LODE_VERIFY_BAD:
        return LODE_CHECK_BAD;
    case LODE_VERIFY_UNFINISHED:
        break;
    }
    return LODE_CHECK_UNFINISHED;
}

lode_status lode_verify_chain(lode *h, lode_check_result *result, int level, int32_t blocks)
{
    lode_chain_verdict verdict;
    lode_check_result full;
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_TRY(lode_handle_lock_for_walk(h, result, __func__));
    s = lode_chain_verify(&verdict, h->chain, level, blocks);
    if (!lode_failed(s)) {
        full = (lode_check_result){ .size = sizeof full,
                                       .answer = answer_of(verdict.answer),
                                       .checked = (uint64_t)verdict.checked,
                                       .asked = (uint64_t)verdict.asked,
                                       .height = verdict.bad_height };
        memcpy(full.text, verdict.text, sizeof verdict.text);
        LODE_PUT_RESULT(result, full);
    }
    return end_check(h, s);
}

void lode_check_options_init(lode_check_options *options)
{
    if (!options)
        return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

lode_status lode_check_directory(lode *h, lode_check_result *result, const lode_check_options *given)
{
    lode_check_options o;
    lode_directory_check_options options;
    lode_directory_verdict verdict;
    lode_check_result full;
    lode_status s;

    LODE_NEEDS_SIZE(result);
    lode_check_options_init(&o);
    if (given) {
        LODE_NEEDS(given->size >= sizeof given->size, "options are not initialised: call lode_check_options_init");
        lode_take_options(&o, given, sizeof o);
    }
    options = (lode_directory_check_options){ o.deep, o.context, o.on_finding };
    LODE_TRY(lode_handle_lock_for_walk(h, result, __func__));
    s = lode_directory_check(&verdict, h->chain, &options);
    if (!lode_failed(s)) {
        full = (lode_check_result){ .size = sizeof full,
                                       .answer = answer_of(verdict.answer),
                                       .checked = verdict.blocks,
                                       .asked = verdict.asked,
                                       .height = -1 };
        memcpy(full.text, verdict.text, sizeof verdict.text);
        LODE_PUT_RESULT(result, full);
    }
    return end_check(h, s);
}
