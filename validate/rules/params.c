/* validate/rules/params.c: one table per network. Every number is Core's, from kernel/chainparams.cpp of 31.99.
 *
 * Room:     constants, and the genesis blocks made from them.
 * Touches:  the caller's struct.
 */
#include "validate/rules/params.h"

#include "support/check.h"
#include "validate/script/flags.h"

#define TWO_WEEKS (14 * 24 * 60 * 60)
#define ONE_DAY (24 * 60 * 60)
#define TEN_MINUTES (10 * 60)

#define LIMIT_OF_32_BITS "00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define HEADLINE_OF_2009 "The Times 03/Jan/2009 Chancellor on brink of second bailout for banks"
#define KEY_OF_2009                                                                                                    \
    "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d" \
    "578a4c702b6bf11d5f"
#define ROOT_OF_2009 "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
#define HEADLINE_OF_2024 "03/May/2024 000000000000000000001ebd58c244970b3aa9d783bb001011fbe8ea8e98e00e"
#define KEY_OF_2024 "000000000000000000000000000000000000000000000000000000000000000000"
#define ROOT_OF_2024 "7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e"

/* BIP 325; two of these keys, one signature. */
#define DEFAULT_CHALLENGE                                                                                              \
    "512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce9688" \
    "3fe3b278760f048f5189f2e6c452ae"

/* Hashes and numbers as people read them; NULL is zero. */
typedef struct network {
    const char *name, *folder, *bech32_prefix;
    uint8_t magic[4];
    uint8_t pubkey_prefix, script_prefix;
    int32_t halving_interval;
    int32_t bip34_height, bip65_height, bip66_height, csv_height, segwit_height;
    const char *bip34_hash;
    struct {
        const char *hash;
        uint32_t flags;
    } exceptions[2];
    const char *pow_limit;
    int64_t target_timespan;
    bool allow_min_difficulty, no_retargeting, enforce_bip94;
    const char *signet_challenge;
    const char *minimum_chain_work, *default_assume_valid;
    const char *genesis_headline, *genesis_key, *genesis_root, *genesis_hash;
    uint32_t genesis_time, genesis_bits, genesis_nonce;
} network;

/* clang-format off: one thought a line */
static const network networks[] = {
    [LODE_CHAIN_MAIN] = {
        .name = "main", .folder = "", .bech32_prefix = "bc",
        .magic = { 0xf9, 0xbe, 0xb4, 0xd9 }, .pubkey_prefix = 0, .script_prefix = 5,
        .halving_interval = 210000,
        .bip34_height = 227931, .bip65_height = 388381, .bip66_height = 363725, .csv_height = 419328, .segwit_height = 481824,
        .bip34_hash = "000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8",
        .exceptions = {
            /* height 170,060 breaks P2SH; the other spends a version 1 output before taproot */
            { "00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22", LODE_VERIFY_NONE },
            { "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad", LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS },
        },
        .pow_limit = LIMIT_OF_32_BITS, .target_timespan = TWO_WEEKS,
        .minimum_chain_work = "1128750f82f4c366153a3a030",
        .default_assume_valid = "00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac", /* 938,343 */
        .genesis_headline = HEADLINE_OF_2009, .genesis_key = KEY_OF_2009, .genesis_root = ROOT_OF_2009,
        .genesis_hash = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
        .genesis_time = 1231006505, .genesis_bits = 0x1d00ffff, .genesis_nonce = 2083236893,
    },
    [LODE_CHAIN_TEST] = {
        .name = "test", .folder = "testnet3", .bech32_prefix = "tb",
        .magic = { 0x0b, 0x11, 0x09, 0x07 }, .pubkey_prefix = 111, .script_prefix = 196,
        .halving_interval = 210000,
        .bip34_height = 21111, .bip65_height = 581885, .bip66_height = 330776, .csv_height = 770112, .segwit_height = 834624,
        .bip34_hash = "0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8",
        .exceptions = {
            { "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105", LODE_VERIFY_NONE },
        },
        .pow_limit = LIMIT_OF_32_BITS, .target_timespan = TWO_WEEKS, .allow_min_difficulty = true,
        .minimum_chain_work = "17dde1c649f3708d14b6",
        .default_assume_valid = "000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4", /* 4,842,348 */
        .genesis_headline = HEADLINE_OF_2009, .genesis_key = KEY_OF_2009, .genesis_root = ROOT_OF_2009,
        .genesis_hash = "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
        .genesis_time = 1296688602, .genesis_bits = 0x1d00ffff, .genesis_nonce = 414098458,
    },
    [LODE_CHAIN_TESTNET4] = {
        .name = "testnet4", .folder = "testnet4", .bech32_prefix = "tb",
        .magic = { 0x1c, 0x16, 0x3f, 0x28 }, .pubkey_prefix = 111, .script_prefix = 196,
        .halving_interval = 210000,
        .bip34_height = 1, .bip65_height = 1, .bip66_height = 1, .csv_height = 1, .segwit_height = 1,
        .pow_limit = LIMIT_OF_32_BITS, .target_timespan = TWO_WEEKS, .allow_min_difficulty = true, .enforce_bip94 = true,
        .minimum_chain_work = "9a0fe15d0177d086304",
        .default_assume_valid = "0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a", /* 123,613 */
        .genesis_headline = HEADLINE_OF_2024, .genesis_key = KEY_OF_2024, .genesis_root = ROOT_OF_2024,
        .genesis_hash = "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043",
        .genesis_time = 1714777860, .genesis_bits = 0x1d00ffff, .genesis_nonce = 393743547,
    },
    [LODE_CHAIN_SIGNET] = { /* the magic is made from the challenge */
        .name = "signet", .folder = "signet", .bech32_prefix = "tb",
        .pubkey_prefix = 111, .script_prefix = 196,
        .halving_interval = 210000,
        .bip34_height = 1, .bip65_height = 1, .bip66_height = 1, .csv_height = 1, .segwit_height = 1,
        .pow_limit = "00000377ae000000000000000000000000000000000000000000000000000000", .target_timespan = TWO_WEEKS,
        .signet_challenge = DEFAULT_CHALLENGE,
        .minimum_chain_work = "b463ea0a4b8",
        .default_assume_valid = "00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329", /* 293,175 */
        .genesis_headline = HEADLINE_OF_2009, .genesis_key = KEY_OF_2009, .genesis_root = ROOT_OF_2009,
        .genesis_hash = "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
        .genesis_time = 1598918400, .genesis_bits = 0x1e0377ae, .genesis_nonce = 52613770,
    },
    [LODE_CHAIN_REGTEST] = {
        .name = "regtest", .folder = "regtest", .bech32_prefix = "bcrt",
        .magic = { 0xfa, 0xbf, 0xb5, 0xda }, .pubkey_prefix = 111, .script_prefix = 196,
        .halving_interval = 150,
        .bip34_height = 1, .bip65_height = 1, .bip66_height = 1, .csv_height = 1, .segwit_height = 0,
        .pow_limit = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", .target_timespan = ONE_DAY,
        .allow_min_difficulty = true, .no_retargeting = true,
        .genesis_headline = HEADLINE_OF_2009, .genesis_key = KEY_OF_2009, .genesis_root = ROOT_OF_2009,
        .genesis_hash = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
        .genesis_time = 1296688602, .genesis_bits = 0x207fffff, .genesis_nonce = 2,
    },
};
/* clang-format on */

static void fill_hash(uint8_t bytes[32], const char *hex)
{
    memset(bytes, 0, 32);
    if (hex)
        LODE_CHECK(lode_hash_from_hex(bytes, hex));
}

static uint8_t *put(uint8_t *at, const void *data, size_t len)
{
    memcpy(at, data, len);
    return at + len;
}

/* The one transaction of a genesis block:
 *   version 1 | one input: no prevout, script { push bits of mainnet's limit, push 4, push headline }, sequence
 * ffffffff | one output: 50 coins, script { push key, OP_CHECKSIG } | lock time 0
 */
static uint8_t *put_genesis_coinbase(uint8_t *at, const network *n)
{
    static const uint8_t start[] = { 1, 0, 0, 0, 1 };
    static const uint8_t numbers[] = { 4, 0xff, 0xff, 0x00, 0x1d, 1, 4 };
    static const uint8_t fifty_coins[] = { 0xff, 0xff, 0xff, 0xff, 1, 0x00, 0xf2, 0x05, 0x2a, 0x01, 0, 0, 0 };
    size_t headline_len = strlen(n->genesis_headline), key_len = strlen(n->genesis_key) / 2;
    bool is_long = headline_len > 75; /* then the push needs OP_PUSHDATA1 */

    at = put(at, start, sizeof start);
    memset(at, 0, 32);
    memset(at + 32, 0xff, 4);
    at += 36;
    *at++ = (uint8_t)(sizeof numbers + (is_long ? 2 : 1) + headline_len);
    at = put(at, numbers, sizeof numbers);
    if (is_long)
        *at++ = 0x4c;
    *at++ = (uint8_t)headline_len;
    at = put(at, n->genesis_headline, headline_len);
    at = put(at, fifty_coins, sizeof fifty_coins);
    *at++ = (uint8_t)(key_len + 2);
    *at++ = (uint8_t)key_len;
    LODE_CHECK(lode_hex_decode(at, key_len, n->genesis_key));
    at += key_len;
    *at++ = 0xac; /* OP_CHECKSIG */
    memset(at, 0, 4);
    return at + 4;
}

static void build_genesis(lode_chain_params *params, const network *n)
{
    lode_header header = { .version = 1, .time = n->genesis_time, .bits = n->genesis_bits, .nonce = n->genesis_nonce };
    uint8_t *at = params->genesis_raw;

    fill_hash(header.merkle_root.bytes, n->genesis_root);
    fill_hash(params->genesis_hash.bytes, n->genesis_hash);
    lode_header_serialize(at, &header);
    at += LODE_HEADER_SIZE;
    *at++ = 1;
    at = put_genesis_coinbase(at, n);
    params->genesis_size = (uint32_t)(at - params->genesis_raw);
}

void lode_chain_params_set_challenge(lode_chain_params *params, const uint8_t *challenge, size_t len)
{
    uint8_t prefix[3], hash[32];
    size_t prefix_len = 1;
    lode_sha256_stream stream;

    LODE_CHECK(len <= LODE_SIGNET_CHALLENGE_MAX);
    memcpy(params->signet_challenge, challenge, len);
    params->signet_challenge_len = (uint32_t)len;
    /* The magic is the start of the hash of the script and its CompactSize. Source: BIP 325. */
    prefix[0] = (uint8_t)len;
    if (len >= 253) {
        prefix[0] = 253;
        lode_write_le16(prefix + 1, (uint16_t)len);
        prefix_len = 3;
    }
    lode_sha256_begin(&stream);
    lode_sha256_add(&stream, prefix, prefix_len);
    lode_sha256_add(&stream, challenge, len);
    lode_sha256d_end(&stream, hash);
    memcpy(params->magic, hash, 4);
}

static void fill_signet(lode_chain_params *params, const char *challenge_hex)
{
    uint8_t challenge[128];
    size_t len = strlen(challenge_hex) / 2;

    params->is_signet = true;
    LODE_CHECK(len <= sizeof challenge && lode_hex_decode(challenge, len, challenge_hex));
    lode_chain_params_set_challenge(params, challenge, len);
}

void lode_chain_params_init(lode_chain_params *params, lode_network chain)
{
    const network *n = &networks[chain];

    memset(params, 0, sizeof *params);
    params->chain = chain;
    params->name = n->name;
    params->folder = n->folder;
    memcpy(params->magic, n->magic, 4);
    build_genesis(params, n);
    params->halving_interval = n->halving_interval;
    params->bip34_height = n->bip34_height;
    params->bip65_height = n->bip65_height;
    params->bip66_height = n->bip66_height;
    params->csv_height = n->csv_height;
    params->segwit_height = n->segwit_height;
    fill_hash(params->bip34_hash.bytes, n->bip34_hash);
    for (int i = 0; i < 2 && n->exceptions[i].hash; i++) {
        fill_hash(params->exceptions[i].hash.bytes, n->exceptions[i].hash);
        params->exceptions[i].flags = n->exceptions[i].flags;
        params->exception_count++;
    }
    LODE_CHECK(lode_u256_from_hex(&params->pow_limit, n->pow_limit));
    params->pow_limit_bits = lode_u256_to_compact(&params->pow_limit);
    params->target_timespan = n->target_timespan;
    params->target_spacing = TEN_MINUTES;
    params->allow_min_difficulty = n->allow_min_difficulty;
    params->no_retargeting = n->no_retargeting;
    params->enforce_bip94 = n->enforce_bip94;
    if (n->signet_challenge)
        fill_signet(params, n->signet_challenge);
    if (n->minimum_chain_work)
        LODE_CHECK(lode_u256_from_hex(&params->minimum_chain_work, n->minimum_chain_work));
    fill_hash(params->default_assume_valid.bytes, n->default_assume_valid);
    params->pubkey_prefix = n->pubkey_prefix;
    params->script_prefix = n->script_prefix;
    memcpy(params->bech32_prefix, n->bech32_prefix, strlen(n->bech32_prefix) + 1);
}

bool lode_chain_from_name(lode_network *chain, const char *name)
{
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        if (strcmp(networks[i].name, name) == 0) {
            *chain = (lode_network)i;
            return true;
        }
    }
    return false;
}
