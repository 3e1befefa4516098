/* validate/rules/params_set.c: options that change a network, taken and refused as Core does.
 *
 * Room:     parsing. The sentences are Core's where a user may have met them (chainparams.cpp, init.cpp).
 * Touches:  the caller's parameters.
 */
#include "validate/rules/params.h"

/* Core's ToIntegral: an optional minus and digits, nothing else. */
static bool parse_i64(int64_t *out, const char *text, size_t len)
{
    bool is_negative = len > 0 && text[0] == '-';
    int64_t value = 0;

    if (len == (size_t)is_negative)
        return false;
    for (size_t i = is_negative; i < len; i++) {
        int digit = text[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) /* downwards: the range has one more negative */
            return false;
    }
    if (!is_negative && __builtin_sub_overflow(0, value, &value))
        return false;
    *out = value;
    return true;
}

static int32_t *find_height(lode_chain_params *params, const char *name, size_t len)
{
    const struct {
        const char *name;
        int32_t *height;
    } deployments[] = {
        { "segwit", &params->segwit_height }, { "bip34", &params->bip34_height }, { "dersig", &params->bip66_height },
        { "cltv", &params->bip65_height },    { "csv", &params->csv_height },
    };

    for (size_t i = 0; i < sizeof deployments / sizeof *deployments; i++)
        if (strlen(deployments[i].name) == len && memcmp(deployments[i].name, name, len) == 0)
            return deployments[i].height;
    return NULL;
}

static lode_status set_activation_height(lode_chain_params *params, const char *value)
{
    const char *at = strchr(value, '@');
    int32_t *height;
    int64_t number;

    if (!at)
        return lode_fail(LODE_INVALID_ARGUMENT, "Invalid format (%s) for -testactivationheight=name@height.", value);
    if (!parse_i64(&number, at + 1, strlen(at + 1)) || number < 0 || number >= INT32_MAX)
        return lode_fail(LODE_INVALID_ARGUMENT, "Invalid height value (%s) for -testactivationheight=name@height.",
                         value);
    height = find_height(params, value, (size_t)(at - value));
    if (!height)
        return lode_fail(LODE_INVALID_ARGUMENT, "Invalid name (%s) for -testactivationheight=name@height.", value);
    if (params->chain == LODE_CHAIN_MAIN)
        return lode_fail(LODE_INVALID_ARGUMENT, "The -testactivationheight option may not be used on mainnet.");
    *height = (int32_t)number;
    return lode_ok();
}

/* The only deployment by version bits in Core 31 is a dummy; no rule depends on it. */
static lode_status check_version_bits(const lode_chain_params *params, const char *value)
{
    static const char *const numbers[] = { NULL, "nStartTime", "nTimeout", "min_activation_height" };
    const char *fields[4] = { value };
    size_t lengths[4];
    size_t count = 1;
    int64_t number;

    for (const char *c = value; *c; c++) {
        if (*c != ':')
            continue;
        if (count == 4)
            return lode_fail(LODE_INVALID_ARGUMENT, "Version bits parameters malformed, expecting "
                                                    "deployment:start:end[:min_activation_height]");
        lengths[count - 1] = (size_t)(c - fields[count - 1]);
        fields[count++] = c + 1;
    }
    lengths[count - 1] = strlen(fields[count - 1]);
    if (count < 3)
        return lode_fail(LODE_INVALID_ARGUMENT, "Version bits parameters malformed, expecting "
                                                "deployment:start:end[:min_activation_height]");
    for (size_t i = 1; i < count; i++)
        if (!parse_i64(&number, fields[i], lengths[i]))
            return lode_fail(LODE_INVALID_ARGUMENT, "Invalid %s (%.*s)", numbers[i], (int)lengths[i], fields[i]);
    if (lengths[0] != strlen("testdummy") || memcmp(fields[0], "testdummy", lengths[0]) != 0)
        return lode_fail(LODE_INVALID_ARGUMENT, "Invalid deployment (%.*s)", (int)lengths[0], fields[0]);
    if (params->chain == LODE_CHAIN_MAIN)
        return lode_fail(LODE_INVALID_ARGUMENT, "The -vbparams option may not be used on mainnet.");
    return lode_ok();
}

static lode_status set_test_option(lode_chain_params *params, const char *value)
{
    if (params->chain != LODE_CHAIN_REGTEST)
        return lode_fail(LODE_INVALID_ARGUMENT, "-test=<option> can only be used with regtest");
    if (strcmp(value, "bip94") != 0)
        return lode_fail(LODE_UNSUPPORTED, "Unrecognised option \"%s\" provided in -test=<option>.", value);
    params->enforce_bip94 = true;
    return lode_ok();
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* White space may stand between bytes, as in Core's TryParseHex. */
static lode_status set_challenge(lode_chain_params *params, const char *value)
{
    uint8_t challenge[LODE_SIGNET_CHALLENGE_MAX];
    size_t len = 0;

    if (params->chain != LODE_CHAIN_SIGNET)
        return lode_ok();
    if (params->has_own_challenge)
        return lode_fail(LODE_INVALID_ARGUMENT, "-signetchallenge cannot be multiple values.");
    for (const char *c = value; *c;) {
        if (strchr(" \f\n\r\t\v", *c)) {
            c++;
            continue;
        }
        int high = hex_digit(c[0]), low = c[1] ? hex_digit(c[1]) : -1;
        if (high < 0 || low < 0)
            return lode_fail(LODE_INVALID_ARGUMENT, "-signetchallenge must be hex, not '%s'.", value);
        if (len == sizeof challenge)
            return lode_fail(LODE_INVALID_ARGUMENT,
                             "-signetchallenge is longer than %d bytes: no block could satisfy it",
                             LODE_SIGNET_CHALLENGE_MAX);
        challenge[len++] = (uint8_t)(high << 4 | low);
        c += 2;
    }
    lode_chain_params_set_challenge(params, challenge, len);
    params->has_own_challenge = true;
    params->minimum_chain_work = lode_u256_from_u64(0);
    memset(&params->default_assume_valid, 0, sizeof params->default_assume_valid);
    return lode_ok();
}

lode_status lode_chain_params_set(lode_chain_params *params, const char *name, const char *value)
{
    if (strcmp(name, "testactivationheight") == 0)
        return set_activation_height(params, value);
    if (strcmp(name, "vbparams") == 0)
        return check_version_bits(params, value);
    if (strcmp(name, "test") == 0)
        return set_test_option(params, value);
    if (strcmp(name, "signetchallenge") == 0)
        return set_challenge(params, value);
    return lode_fail(LODE_UNSUPPORTED, "-%s does not concern the network", name);
}
