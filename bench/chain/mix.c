/* bench/chain/mix.c: recipes of eras, and weights by hand.
 *
 * Room:     a table; the header says where each mix comes from.
 * Touches:  nothing.
 */
#include "bench/chain/chain_maker.h"

#include <stdlib.h>
#include <string.h>

typedef struct lode_mix {
    const char *name;
    lode_chain_recipe recipe; /* weights in hundredths of a percent */
} lode_mix;

static const lode_mix mixes[] = {
    { "2012",
      { .weights = { [LODE_KIND_P2PK] = 100,
                     [LODE_KIND_P2PK_UNCOMPRESSED] = 300,
                     [LODE_KIND_P2PKH] = 4700,
                     [LODE_KIND_P2PKH_UNCOMPRESSED] = 4700,
                     [LODE_KIND_MULTISIG] = 40,
                     [LODE_KIND_P2SH_MULTISIG] = 60,
                     [LODE_KIND_OP_RETURN] = 100 },
        .inputs_x100 = 210,
        .outputs_x100 = 220,
        .txs_per_block = 450,
        .chain_percent = 10,
        .sighash_percent = 0 } },
    { "2017",
      { .weights = { [LODE_KIND_P2PKH] = 5700,
                     [LODE_KIND_P2PKH_UNCOMPRESSED] = 300,
                     [LODE_KIND_P2SH_MULTISIG] = 2500,
                     [LODE_KIND_P2SH_P2WPKH] = 900,
                     [LODE_KIND_P2SH_P2WSH] = 200,
                     [LODE_KIND_P2WPKH] = 200,
                     [LODE_KIND_P2PK] = 20,
                     [LODE_KIND_CLTV_P2SH] = 20,
                     [LODE_KIND_CSV_P2SH] = 10,
                     [LODE_KIND_OP_RETURN] = 150 },
        .inputs_x100 = 220,
        .outputs_x100 = 240,
        .txs_per_block = 2000,
        .chain_percent = 15,
        .sighash_percent = 1,
        .version2_percent = 20,
        .locktime_percent = 20,
        .rbf_percent = 5 } },
    { "2024",
      { .weights = { [LODE_KIND_P2WPKH] = 4500,
                     [LODE_KIND_P2TR] = 3000,
                     [LODE_KIND_P2PKH] = 1200,
                     [LODE_KIND_P2SH_P2WPKH] = 500,
                     [LODE_KIND_P2SH_MULTISIG] = 200,
                     [LODE_KIND_P2SH_P2WSH] = 100,
                     [LODE_KIND_P2WSH] = 300,
                     [LODE_KIND_P2TR_SCRIPT] = 40,
                     [LODE_KIND_CLTV_P2WSH] = 10,
                     [LODE_KIND_CSV_P2WSH] = 10,
                     [LODE_KIND_OP_RETURN] = 140 },
        .inputs_x100 = 227,
        .outputs_x100 = 240,
        .txs_per_block = 2500,
        .chain_percent = 15,
        .sighash_percent = 1,
        .version2_percent = 80,
        .locktime_percent = 30,
        .relative_percent = 1,
        .rbf_percent = 60 } },
    { "all",
      { .weights = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
        .inputs_x100 = 220,
        .outputs_x100 = 240,
        .txs_per_block = 100,
        .chain_percent = 30,
        .sighash_percent = 40,
        .version2_percent = 50,
        .locktime_percent = 30,
        .relative_percent = 20,
        .rbf_percent = 30 } },
};

static void set_defaults(lode_chain_recipe *r)
{
    r->seed = 1;
    r->threads = 1;
    r->key_count = 1024;
    r->old_percent = 30;
    r->fan_out_size = 100;
}

/* KIND:WEIGHT, once. */
static bool read_weight(lode_chain_recipe *r, const char *text, size_t len)
{
    const char *colon = (const char *)memchr(text, ':', len);
    lode_coin_kind kind;
    unsigned long weight;
    char *end;

    if (!colon || !lode_coin_kind_from_name(&kind, text, (size_t)(colon - text)))
        return false;
    if (colon[1] < '0' || colon[1] > '9')
        return false;
    weight = strtoul(colon + 1, &end, 10);
    if (end != text + len || weight > 1000000)
        return false;
    r->weights[kind] = (uint32_t)weight;
    return true;
}

static bool read_weights(lode_chain_recipe *r, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, ",");

        if (!read_weight(r, text, len))
            return false;
        text += len;
        if (*text == ',')
            text++;
    }
    return true;
}

bool lode_chain_recipe_init(lode_chain_recipe *recipe, const char *mix)
{
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        if (strcmp(mixes[i].name, mix) == 0) {
            *recipe = mixes[i].recipe;
            set_defaults(recipe);
            return true;
        }
    }
    /* By hand: the habits of 2024 without its kinds. */
    *recipe = mixes[2].recipe;
    memset(recipe->weights, 0, sizeof recipe->weights);
    set_defaults(recipe);
    return *mix && read_weights(recipe, mix);
}
