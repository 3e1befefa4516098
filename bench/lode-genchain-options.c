/* bench/lode-genchain-options.c: the command line of lode-genchain.
 *
 * Room:     getopt_long, and the help text.
 * Touches:  standard output and error, for help and complaints.
 */
#include "bench/lode-genchain-options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/options.h"
#include "support/bytes.h"
#include "support/thread.h"

static const char help_text[] =
    "Usage: lode-genchain [options] --out=PATH\n"
    "Writes a regtest chain with real signatures as block files, the same bytes every time.\n"
    "\n"
    "  --out=PATH            a file, - for standard output, or a directory for blkNNNNN.dat (exists, or ends in /)\n"
    "  --blocks=N            height of the chain (default 200 when no size or set is asked for)\n"
    "  --size=BYTES          stop after about so many bytes (K, M, G: powers of 1000)\n"
    "  --empty-tail=N        N more blocks with nothing but a coinbase\n"
    "  --seed=N              another seed, another chain (default 1)\n"
    "  --mix=MIX             2012, 2017, 2024 (default), all, or KIND:WEIGHT,... with the kinds of --list-kinds\n"
    "  --txs-per-block=N     with the coinbase; 1 is a chain of empty blocks\n"
    "  --inputs=X            mean inputs of a transaction, as 2.27\n"
    "  --outputs=X           mean outputs of a transaction\n"
    "  --keys=N              key pairs, used in turn (default 1024)\n"
    "  --old-coins[=PERCENT] inputs drawn over the whole set (alone: all of them)\n"
    "  --chains=PERCENT      transactions that spend an output of their own block\n"
    "  --sighashes=PERCENT   inputs with another hash type than ALL or DEFAULT\n"
    "  --fan-out=PERCENT     transactions with many outputs, so that the set grows\n"
    "  --fan-out-size=N      how many (default 100)\n"
    "  --grow=COINS          fan-outs until the set holds so many (K, M, G); alone, the chain ends there\n"
    "  --forks=N             side branches; every second one is the best chain for a while\n"
    "  --bad-forks=N         side branches with more work than the chain, but for a block that must be refused\n"
    "  --fork-depth=N        the longest of them (default 3)\n"
    "  --invalid=WHAT        blocks that must be refused: how many, or all, or KIND,... of --list-kinds\n"
    "  --shuffle=WINDOW      blocks out of order, none by more than WINDOW places, as parallel download leaves them\n"
    "  --xor-key=HEX         16 digits: obfuscate the directory's files as Core does\n"
    "  --manifest=FILE       one line of JSON for each block, in the order in which they were made\n"
    "  --muhash              print the hash of the set of coins at the end, as gettxoutsetinfo muhash has it\n"
    "  --threads=N           that sign (default: all processors); the bytes stay the same\n"
    "  --progress            say on standard error how far it is\n"
    "  --list-kinds          print the kinds of outputs and of invalid blocks\n";

enum {
    OPT_OUT = 256,
    OPT_BLOCKS,
    OPT_SIZE,
    OPT_EMPTY_TAIL,
    OPT_SEED,
    OPT_MIX,
    OPT_TXS,
    OPT_INPUTS,
    OPT_OUTPUTS,
    OPT_KEYS,
    OPT_OLD_COINS,
    OPT_CHAINS,
    OPT_SIGHASHES,
    OPT_FAN_OUT,
    OPT_FAN_OUT_SIZE,
    OPT_GROW,
    OPT_FORKS,
    OPT_BAD_FORKS,
    OPT_FORK_DEPTH,
    OPT_INVALID,
    OPT_SHUFFLE,
    OPT_XOR_KEY,
    OPT_MANIFEST,
    OPT_THREADS,
    OPT_PROGRESS,
    OPT_MUHASH,
    OPT_LIST_KINDS,
    OPT_HELP
};

static const struct option long_options[] = {
    { "out", required_argument, NULL, OPT_OUT },
    { "blocks", required_argument, NULL, OPT_BLOCKS },
    { "size", required_argument, NULL, OPT_SIZE },
    { "empty-tail", required_argument, NULL, OPT_EMPTY_TAIL },
    { "seed", required_argument, NULL, OPT_SEED },
    { "mix", required_argument, NULL, OPT_MIX },
    { "txs-per-block", required_argument, NULL, OPT_TXS },
    { "inputs", required_argument, NULL, OPT_INPUTS },
    { "outputs", required_argument, NULL, OPT_OUTPUTS },
    { "keys", required_argument, NULL, OPT_KEYS },
    { "old-coins", optional_argument, NULL, OPT_OLD_COINS },
    { "chains", required_argument, NULL, OPT_CHAINS },
    { "sighashes", required_argument, NULL, OPT_SIGHASHES },
    { "fan-out", required_argument, NULL, OPT_FAN_OUT },
    { "fan-out-size", required_argument, NULL, OPT_FAN_OUT_SIZE },
    { "grow", required_argument, NULL, OPT_GROW },
    { "forks", required_argument, NULL, OPT_FORKS },
    { "bad-forks", required_argument, NULL, OPT_BAD_FORKS },
    { "fork-depth", required_argument, NULL, OPT_FORK_DEPTH },
    { "invalid", required_argument, NULL, OPT_INVALID },
    { "shuffle", required_argument, NULL, OPT_SHUFFLE },
    { "xor-key", required_argument, NULL, OPT_XOR_KEY },
    { "manifest", required_argument, NULL, OPT_MANIFEST },
    { "threads", required_argument, NULL, OPT_THREADS },
    { "progress", no_argument, NULL, OPT_PROGRESS },
    { "muhash", no_argument, NULL, OPT_MUHASH },
    { "list-kinds", no_argument, NULL, OPT_LIST_KINDS },
    { "help", no_argument, NULL, OPT_HELP },
    { NULL, 0, NULL, 0 },
};

static void list_kinds(void)
{
    puts("Outputs:");
    for (int i = 0; i < LODE_KIND_COUNT; i++)
        printf("  %s\n", lode_coin_kind_name((lode_coin_kind)i));
    puts("Invalid blocks, and why Core refuses them:");
    for (unsigned i = 0; i < lode_invalid_kind_count(); i++)
        printf("  %-28s %s\n", lode_invalid_kind_name(i), lode_invalid_kind_reject(i));
}

static bool read_u32(uint32_t *n, const char *text, uint32_t most)
{
    uint64_t value;

    if (!lode_option_number(&value, text, LODE_UNITS_NONE, most))
        return false;
    *n = (uint32_t)value;
    return true;
}

/* "2", "2.3" or "2.27" as hundredths. */
static bool read_hundredths(uint32_t *n, const char *text)
{
    uint32_t whole = 0, part = 0, digits = 0;

    if (!isdigit((unsigned char)*text))
        return false;
    while (isdigit((unsigned char)*text) && whole < 1000)
        whole = whole * 10 + (uint32_t)(*text++ - '0');
    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text) && digits < 2; digits++)
            part = part * 10 + (uint32_t)(*text++ - '0');
    }
    if (digits == 1)
        part *= 10;
    *n = whole * 100 + part;
    return *text == '\0';
}

static bool read_invalid_list(lode_genchain_options *o, const char *text)
{
    uint32_t kinds = lode_invalid_kind_count();
    uint32_t number = strcmp(text, "all") == 0 ? kinds : 0;
    size_t room = strlen(text) / 2 + 1;

    if (!number && isdigit((unsigned char)*text) && !read_u32(&number, text, 100000))
        return false;
    free(o->invalid);
    o->invalid_count = 0;
    o->invalid = (unsigned *)calloc(number > room ? number : room, sizeof *o->invalid);
    if (!o->invalid)
        return false;
    for (; o->invalid_count < number; o->invalid_count++)
        o->invalid[o->invalid_count] = (unsigned)(o->invalid_count % kinds);
    while (!number && *text && !isdigit((unsigned char)*text)) {
        size_t len = strcspn(text, ",");
        if (!lode_invalid_kind_from_name(&o->invalid[o->invalid_count++], text, len))
            return false;
        text += len + (text[len] == ',');
    }
    return true;
}

static bool read_xor_key(lode_genchain_options *o, const char *text)
{
    o->out.has_xor_key = true;
    return lode_hex_decode(o->out.xor_key, 8, text);
}

/* A mix sets all of the recipe, so it is read before what changes single fields. */
static bool read_mix(lode_genchain_options *o, int argc, char **argv)
{
    const char *mix = "2024";

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--mix=", 6) == 0)
            mix = argv[i] + 6;
        else if (strcmp(argv[i], "--mix") == 0 && i + 1 < argc)
            mix = argv[i + 1];
    }
    if (lode_chain_recipe_init(&o->recipe, mix))
        return true;
    fprintf(stderr, "lode-genchain: --mix=%s is no mix\n", mix);
    return false;
}

static bool read_recipe_option(lode_chain_recipe *r, int option, const char *text)
{
    switch (option) {
    case OPT_SEED:
        return lode_option_number(&r->seed, text, LODE_UNITS_NONE, UINT64_MAX);
    case OPT_TXS:
        return read_u32(&r->txs_per_block, text, 100000);
    case OPT_INPUTS:
        return read_hundredths(&r->inputs_x100, text);
    case OPT_OUTPUTS:
        return read_hundredths(&r->outputs_x100, text);
    case OPT_KEYS:
        return read_u32(&r->key_count, text, 65536);
    case OPT_OLD_COINS:
        return read_u32(&r->old_percent, text ? text : "100", 100);
    case OPT_CHAINS:
        return read_u32(&r->chain_percent, text, 100);
    case OPT_SIGHASHES:
        return read_u32(&r->sighash_percent, text, 100);
    case OPT_FAN_OUT:
        return read_u32(&r->fan_out_percent, text, 100);
    case OPT_FAN_OUT_SIZE:
        return read_u32(&r->fan_out_size, text, 2000);
    case OPT_GROW:
        return lode_option_number(&r->grow_to, text, LODE_UNITS_DECIMAL, UINT64_C(1000000000));
    case OPT_THREADS:
        return read_u32(&r->threads, text, 256);
    default:
        return false;
    }
}

static bool read_option(lode_genchain_options *o, int option, const char *text)
{
    switch (option) {
    case OPT_OUT:
        o->out.path = text;
        return *text != '\0';
    case OPT_BLOCKS:
        return read_u32(&o->blocks, text, 10000000);
    case OPT_SIZE:
        return lode_option_number(&o->size_bytes, text, LODE_UNITS_DECIMAL, UINT64_MAX);
    case OPT_EMPTY_TAIL:
        return read_u32(&o->empty_tail, text, 10000000);
    case OPT_MIX:
        return true;
    case OPT_FORKS:
        return read_u32(&o->forks, text, 100000);
    case OPT_BAD_FORKS:
        return read_u32(&o->bad_forks, text, 100000);
    case OPT_FORK_DEPTH:
        return read_u32(&o->fork_depth, text, 100) && o->fork_depth > 0;
    case OPT_INVALID:
        return read_invalid_list(o, text);
    case OPT_SHUFFLE:
        return read_u32(&o->out.shuffle_window, text, 1000000);
    case OPT_XOR_KEY:
        return read_xor_key(o, text);
    case OPT_MANIFEST:
        o->manifest = text;
        return true;
    case OPT_MUHASH:
        o->muhash = true;
        return true;
    case OPT_PROGRESS:
        o->progress = true;
        return true;
    default:
        return read_recipe_option(&o->recipe, option, text);
    }
}

/* Grown sets need fan-outs; chains that nothing bounds are short ones. */
static void settle(lode_genchain_options *o)
{
    if (o->recipe.grow_to && !o->recipe.fan_out_percent)
        o->recipe.fan_out_percent = 20;
    if (!o->blocks && !o->size_bytes && !o->recipe.grow_to)
        o->blocks = 200;
    o->out.seed = o->recipe.seed;
}

static lode_genchain_wish complain(const char *what, const char *value)
{
    fprintf(stderr, "lode-genchain: %s%s%s: see --help\n", what, value ? "=" : "", value ? value : "");
    return LODE_GENCHAIN_USAGE;
}

lode_genchain_wish lode_genchain_read_options(lode_genchain_options *o, int argc, char **argv)
{
    int option, index = 0;

    *o = (lode_genchain_options){ .fork_depth = 3 };
    if (!read_mix(o, argc, argv))
        return LODE_GENCHAIN_USAGE;
    o->recipe.threads = lode_cpu_count();
    while ((option = getopt_long(argc, argv, "o:", long_options, &index)) != -1) {
        if (option == '?')
            return LODE_GENCHAIN_USAGE; /* getopt has said why */
        if (option == OPT_HELP) {
            fputs(help_text, stdout);
            return LODE_GENCHAIN_DONE;
        }
        if (option == OPT_LIST_KINDS) {
            list_kinds();
            return LODE_GENCHAIN_DONE;
        }
        if (!read_option(o, option == 'o' ? OPT_OUT : option, optarg))
            return complain(option == 'o' ? "-o" : long_options[index].name, optarg);
    }
    if (optind < argc)
        return complain(argv[optind], NULL);
    if (!o->out.path)
        return complain("--out is missing", NULL);
    settle(o);
    return LODE_GENCHAIN_MAKE;
}
