/* cli/options.c: every option there is, in one table.
 *
 * Room:     names, kinds and help texts. settings.c reads values, setup.c gives them their meaning.
 */
#include "cli/options.h"

#include <string.h>

static const lode_option options[] = {
    { "datadir", LODE_OPTION_TEXT, LODE_OPTIONS_DIRECTORY, "DIR",
      "the data directory; networks other than main have a folder below it. Required: there is no default" },
    { "blocksdir", LODE_OPTION_TEXT, LODE_OPTIONS_DIRECTORY, "DIR",
      "block and undo files live in DIR/[network]/blocks instead" },
    { "conf", LODE_OPTION_TEXT, LODE_OPTIONS_DIRECTORY, "FILE",
      "settings to read (default: bitcoin.conf in the data directory, if it is there); a relative path counts from the "
      "data directory. Keys that Lode does not know are ignored" },

    { "chain", LODE_OPTION_TEXT, LODE_OPTIONS_CHAIN, "NAME", "main (default), test, testnet4, signet or regtest" },
    { "testnet", LODE_OPTION_BOOL, LODE_OPTIONS_CHAIN, NULL, "as -chain=test" },
    { "testnet4", LODE_OPTION_BOOL, LODE_OPTIONS_CHAIN, NULL, "as -chain=testnet4" },
    { "signet", LODE_OPTION_BOOL, LODE_OPTIONS_CHAIN, NULL, "as -chain=signet" },
    { "regtest", LODE_OPTION_BOOL, LODE_OPTIONS_CHAIN, NULL, "as -chain=regtest" },
    { "testactivationheight", LODE_OPTION_LIST, LODE_OPTIONS_CHAIN, "NAME@HEIGHT",
      "regtest: activation height of segwit, bip34, dersig, cltv or csv" },
    { "test", LODE_OPTION_LIST, LODE_OPTIONS_CHAIN, "OPTION", "regtest: bip94 enforces the timewarp rules of BIP 94" },
    { "vbparams", LODE_OPTION_LIST, LODE_OPTIONS_CHAIN, "DEPLOYMENT:START:END[:HEIGHT]",
      "regtest: version bits parameters" },
    { "signetchallenge", LODE_OPTION_LIST, LODE_OPTIONS_CHAIN, "HEX", "signet: the block challenge of another signet" },

    { "par", LODE_OPTION_INTEGER, LODE_OPTIONS_IMPORT, "N",
      "threads; 0 (default): one per processor; below 0: leave that many processors free" },
    { "dbcache", LODE_OPTION_INTEGER, LODE_OPTIONS_IMPORT, "MIB",
      "memory for coins and the database, in MiB (default 450)" },
    { "txindex", LODE_OPTION_BOOL, LODE_OPTIONS_IMPORT, NULL, "keep an index of all transactions (default 0)" },
    { "loadblock", LODE_OPTION_LIST, LODE_OPTIONS_IMPORT, "FILE", "import FILE, as if it were named after `import`" },
    { "blocksxorkey", LODE_OPTION_TEXT, LODE_OPTIONS_IMPORT, "HEX",
      "16 digits: the key that hides the inputs (default: xor.dat beside each file, if it is there)" },
    { "blocksxor", LODE_OPTION_BOOL, LODE_OPTIONS_IMPORT, NULL,
      "hide the block files of a new directory with a random key (default 0, unlike Core)" },
    { "checksigs", LODE_OPTION_BOOL, LODE_OPTIONS_IMPORT, NULL,
      "run scripts (default 1); 0: everything but scripts is checked, and blocks are marked as Core marks those it "
      "assumes valid" },
    { "assumevalid", LODE_OPTION_TEXT, LODE_OPTIONS_IMPORT, "HASH",
      "do not run scripts of this block and its ancestors, on Core's conditions (default 0: run all, unlike Core)" },
    { "minimumchainwork", LODE_OPTION_TEXT, LODE_OPTIONS_IMPORT, "HEX",
      "work that a chain must have before -assumevalid counts (default: the network's)" },
    { "stopatheight", LODE_OPTION_INTEGER, LODE_OPTIONS_IMPORT, "N", "stop after this height (default 0: never)" },
    { "reindex", LODE_OPTION_BOOL, LODE_OPTIONS_IMPORT, NULL,
      "rebuild everything from the directory's own block files" },
    { "blocksfrom", LODE_OPTION_TEXT, LODE_OPTIONS_IMPORT, "DIR",
      "take over a node's block files: full ones are linked, the last one is copied, then all are indexed here; "
      "nothing in DIR is written" },
    { "reindex-chainstate", LODE_OPTION_BOOL, LODE_OPTIONS_IMPORT, NULL,
      "rebuild the coins from the directory's own block files" },

    { "deep", LODE_OPTION_BOOL, LODE_OPTIONS_CHECK, NULL,
      "check: hold the coins against the set hash that all blocks and their undo data give (default 0)" },

    { "assumeutxo", LODE_OPTION_TEXT, LODE_OPTIONS_CHECK, "HASH",
      "loadtxoutset: a set with this hash_serialized_3 is trusted, also where Bitcoin Core does not vouch for its block" },

    { "json", LODE_OPTION_BOOL, LODE_OPTIONS_OUTPUT, NULL, "import: the report as one JSON object" },
    { "printtoconsole", LODE_OPTION_BOOL, LODE_OPTIONS_OUTPUT, NULL, "the log goes to standard error (default 0)" },
    { "debug", LODE_OPTION_LIST, LODE_OPTIONS_OUTPUT, "CATEGORY", "bench: timings of each stage while it works" },
    { "help", LODE_OPTION_BOOL, LODE_OPTIONS_OUTPUT, NULL, "this text" },
    { "version", LODE_OPTION_BOOL, LODE_OPTIONS_OUTPUT, NULL, "the version" },
};

const lode_option *lode_option_at(size_t i)
{
    return i < sizeof options / sizeof *options ? &options[i] : NULL;
}

const lode_option *lode_option_find(const char *name, size_t name_len)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == name_len && memcmp(options[i].name, name, name_len) == 0)
            return &options[i];
    if ((name_len == 1 && (*name == 'h' || *name == '?')))
        return lode_option_find("help", 4);
    return NULL;
}

const char *lode_option_declined(const char *name, size_t name_len)
{
    static const struct {
        const char *name, *why;
    } declined[] = {
        { "prune", "Lode keeps all blocks; bitcoind -prune can remove them afterwards" },
        { "coinstatsindex", "Lode does not build this index; bitcoind -coinstatsindex does, on the same directory" },
        { "txospenderindex", "Lode does not build this index; bitcoind -txospenderindex does, on the same directory" },
        { "blockfilterindex",
          "Lode does not build this index; bitcoind -blockfilterindex does, on the same directory" },
    };

    for (size_t i = 0; i < sizeof declined / sizeof *declined; i++)
        if (strlen(declined[i].name) == name_len && memcmp(declined[i].name, name, name_len) == 0)
            return declined[i].why;
    return NULL;
}

const char *lode_option_group_title(lode_option_group group)
{
    switch (group) {
    case LODE_OPTIONS_DIRECTORY:
        return "Directory";
    case LODE_OPTIONS_CHAIN:
        return "Chain";
    case LODE_OPTIONS_IMPORT:
        return "Import";
    case LODE_OPTIONS_CHECK:
        return "Checks and snapshots";
    case LODE_OPTIONS_OUTPUT:
        return "Output";
    case LODE_OPTION_GROUP_COUNT:
        break;
    }
    return "";
}
