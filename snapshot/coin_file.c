/* snapshot/coin_file.c: the first 51 bytes of a coin file.
 *
 * Touches:  its arguments.
 */
#include "snapshot/coin_file.h"

static const uint8_t magic[5] = { 'u', 't', 'x', 'o', 0xff };

void lode_coin_file_put_header(uint8_t out[LODE_COIN_FILE_HEADER], const lode_coin_file_header *header,
                               const lode_chain_params *params)
{
    memcpy(out, magic, sizeof magic);
    lode_write_le16(out + 5, LODE_COIN_FILE_VERSION);
    memcpy(out + 7, params->magic, 4);
    memcpy(out + 11, header->base.bytes, 32);
    lode_write_le64(out + 43, header->coins);
}

static bool is_known_network(const uint8_t bytes[4])
{
    static const lode_network networks[] = { LODE_CHAIN_MAIN, LODE_CHAIN_TEST, LODE_CHAIN_TESTNET4, LODE_CHAIN_SIGNET,
                                             LODE_CHAIN_REGTEST };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        lode_chain_params params;
        lode_chain_params_init(&params, networks[i]);
        if (memcmp(params.magic, bytes, 4) == 0)
            return true;
    }
    return false;
}

const char *lode_coin_file_read_header(lode_coin_file_header *header, const uint8_t *bytes, size_t len,
                                       const lode_chain_params *params)
{
    if (len < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return "it does not begin as a coin snapshot does";
    if (len < LODE_COIN_FILE_HEADER)
        return "it ends within its header";
    if (lode_read_le16(bytes + 5) != LODE_COIN_FILE_VERSION)
        return "it is of another version than 2";
    if (memcmp(bytes + 7, params->magic, 4) != 0)
        return is_known_network(bytes + 7) ? "it is for another network" : "it is for a network that is not known";
    memcpy(header->base.bytes, bytes + 11, 32);
    header->coins = lode_read_le64(bytes + 43);
    return NULL;
}
