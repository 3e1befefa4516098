/* loadblock/import.h: a whole import: inputs, scan, pipeline, flush, and what is told at the end. */
#ifndef LODE_LOADBLOCK_IMPORT_H
#define LODE_LOADBLOCK_IMPORT_H

#include "lode.h"
#include "chainstate/chain.h"

/* As lode_import of lode.h says, over an open chain. stop_at_height 0: none. */
lode_status lode_import_run(lode_chain *chain, const lode_import_options *options, int32_t stop_at_height, lode_import_result *result);
/* One block in memory. As lode_submit_block says. */
lode_status lode_import_one(lode_chain *chain, lode_submit_result *result, const void *raw, size_t len);

/* As lode_check_block, lode_check_block_alone (any thread) and lode_submit_header say. */
lode_status lode_import_try(lode_chain *chain, lode_submit_result *result, const void *raw, size_t len, bool with_work);
lode_status lode_import_judge_alone(lode_submit_result *result, const lode_chain_params *params, const void *raw, size_t len,
                                    bool with_work);
lode_status lode_import_header(lode_chain *chain, lode_submit_result *result, const uint8_t raw[LODE_HEADER_SIZE]);

/* Core's InvalidateBlock and ReconsiderBlock; the best chain that remains is connected. genesis cannot be invalidated. */
lode_status lode_import_invalidate(lode_chain *chain, lode_entry *entry);
lode_status lode_import_reconsider(lode_chain *chain, lode_entry *entry);

#endif
