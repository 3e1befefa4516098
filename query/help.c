/* query/help.c: what each command is for: usage, then what it answers, then its arguments.
 *
 * Room:     texts for people. query.c has the rules that are enforced.
 */
#include "query/help.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} texts[] = {
    { "dumptxoutset",
      "dumptxoutset path ( type rollback=HEIGHT|HASH )\n"
      "\n"
      "Writes all unspent outputs at the best block, or at an earlier one, to a file that loadtxoutset reads, here and\n"
      "in bitcoind. It is PATH.incomplete until it is whole. An earlier block is reached by undoing blocks in memory\n"
      "(-dbcache): the directory stays as it is.\n"
      "\n"
      "Arguments:\n"
      "1. path       (string, required) a file that does not exist yet\n"
      "2. type       (string) latest: at the best block; rollback: at the block named next, or at the highest one whose\n"
      "              set Core's releases vouch for\n"
      "3. options    rollback=HEIGHT or rollback=HASH, in place of the type too; or {\"rollback\": HEIGHT or \"HASH\"}\n" },
    { "getbestblockhash", "getbestblockhash\n"
                          "\n"
                          "Hash of the last block of the fully validated chain with most work.\n" },
    { "getblock",
      "getblock \"blockhash\" ( verbosity )\n"
      "\n"
      "A stored block.\n"
      "\n"
      "Arguments:\n"
      "1. blockhash    (string, required) hash of the block\n"
      "2. verbosity    (number, default 1) 0: its bytes in hexadecimal; 1: an object with transaction ids;\n"
      "                2: with each transaction; 3: with the outputs that its inputs spend\n" },
    { "getblockchaininfo", "getblockchaininfo\n"
                           "\n"
                           "The chain's name, height, best block, work, size on disk.\n" },
    { "getblockcount", "getblockcount\n"
                       "\n"
                       "Height of the fully validated chain with most work; the genesis block has height 0.\n" },
    { "getblockhash", "getblockhash height\n"
                      "\n"
                      "Hash of the block at a height of the active chain.\n"
                      "\n"
                      "Arguments:\n"
                      "1. height    (number, required)\n" },
    { "getblockheader", "getblockheader \"blockhash\" ( verbose )\n"
                        "\n"
                        "A block's header and its place in the chain.\n"
                        "\n"
                        "Arguments:\n"
                        "1. blockhash    (string, required) hash of the block\n"
                        "2. verbose      (bool, default true) false: the 80 bytes in hexadecimal\n" },
    { "getchaintips", "getchaintips\n"
                      "\n"
                      "Every known tip: the active one, valid and invalid forks, and chains of bare headers.\n" },
    { "getdifficulty", "getdifficulty\n"
                       "\n"
                       "Proof-of-work difficulty of the best block, as a multiple of the smallest.\n" },
    { "getindexinfo", "getindexinfo ( \"index_name\" )\n"
                      "\n"
                      "How far the transaction index is; an empty object when there is none.\n"
                      "\n"
                      "Arguments:\n"
                      "1. index_name    (string, optional) only this index\n" },
    { "getrawtransaction",
      "getrawtransaction \"txid\" ( verbosity \"blockhash\" )\n"
      "\n"
      "A transaction of a stored block. Needs the transaction index (import with -txindex) unless the block is named.\n"
      "\n"
      "Arguments:\n"
      "1. txid         (string, required) id of the transaction\n"
      "2. verbosity    (number, default 0) 0: its bytes in hexadecimal; 1: an object; 2: with fee and spent outputs\n"
      "3. blockhash    (string, optional) the block to look in\n" },
    { "gettxout", "gettxout \"txid\" n ( include_mempool )\n"
                  "\n"
                  "An unspent output; nothing is printed when it is spent or never was.\n"
                  "\n"
                  "Arguments:\n"
                  "1. txid               (string, required) id of the transaction\n"
                  "2. n                  (number, required) which of its outputs, from 0\n"
                  "3. include_mempool    (bool, default true) accepted and without effect: there is no mempool\n" },
    { "gettxoutsetinfo",
      "gettxoutsetinfo ( \"hash_type\" hash_or_height use_index )\n"
      "\n"
      "Totals over all unspent outputs, and a hash of the set. Walks the whole set.\n"
      "\n"
      "Arguments:\n"
      "1. hash_type         (string, default hash_serialized_3) hash_serialized_3, muhash or none\n"
      "2. hash_or_height    (number or string, optional) needs an index that Lode does not keep: refused\n"
      "3. use_index         (bool, default true) accepted and without effect\n" },
    { "locate",
      "locate \"txid\" ...\n"
      "\n"
      "Lode's own. For each transaction id the hash of the block of the active chain that holds it, or null.\n"
      "Needs the transaction index.\n" },
    { "scantxoutset",
      "scantxoutset action ( [scanobjects] )\n"
      "\n"
      "Looks through all unspent outputs for those that pay to given scripts.\n"
      "\n"
      "Arguments:\n"
      "1. action         (string, required) start; abort and status find nothing to do, as each scan is over when it is\n"
      "                  answered\n"
      "2. scanobjects    (array) addresses and descriptors without derivation, as strings or {\"desc\": \"...\"}:\n"
      "                  addr(ADDRESS) raw(HEX) pk(KEY) pkh(KEY) wpkh(KEY) combo(KEY) tr(KEY) rawtr(KEY) multi(N,KEY,...)\n"
      "                  sortedmulti(N,KEY,...), and in sh(), wsh(), sh(wsh()) what may stand there\n" },
    { "stats", "stats\n"
               "\n"
               "Lode's own. Height, best block, work, totals and both hashes of the set, and the hashes of all blocks\n"
               "that are held invalid, in one object.\n" },
    { "verifychain",
      "verifychain ( checklevel nblocks )\n"
      "\n"
      "Reads the last blocks again and holds the coins against them; true when all is good. Nothing is changed: blocks\n"
      "are undone and connected in memory.\n"
      "\n"
      "Arguments:\n"
      "1. checklevel    (number, default 3) 0: blocks can be read; 1: they are valid by themselves; 2: undo data can be\n"
      "                 read; 3: undoing them finds the coins they made; 4: they connect again, scripts included\n"
      "2. nblocks       (number, default 6) how many; 0: all\n"
      "\n"
      "Exit status of the program: 0 good (true); 1 bad (false); 3 not finished (false), since something is missing,\n"
      "memory (-dbcache) was full, or it was interrupted. Standard error says what, where, and how far it came.\n" },
};

const char *lode_query_help_text(const char *command)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, command) == 0)
            return texts[i].text;
    return NULL;
}
