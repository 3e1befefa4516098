/* test/validate/script_words.c: the language in which the public vectors write scripts and flags. */
#include "test/validate/script_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Opcodes from OP_NOP on, in order; the pushes before them have no names in the vectors, but for OP_RESERVED. */
static const char *const names[] = {
    "NOP",
    "VER",
    "IF",
    "NOTIF",
    "VERIF",
    "VERNOTIF",
    "ELSE",
    "ENDIF",
    "VERIFY",
    "RETURN",
    "TOALTSTACK",
    "FROMALTSTACK",
    "2DROP",
    "2DUP",
    "3DUP",
    "2OVER",
    "2ROT",
    "2SWAP",
    "IFDUP",
    "DEPTH",
    "DROP",
    "DUP",
    "NIP",
    "OVER",
    "PICK",
    "ROLL",
    "ROT",
    "SWAP",
    "TUCK",
    "CAT",
    "SUBSTR",
    "LEFT",
    "RIGHT",
    "SIZE",
    "INVERT",
    "AND",
    "OR",
    "XOR",
    "EQUAL",
    "EQUALVERIFY",
    "RESERVED1",
    "RESERVED2",
    "1ADD",
    "1SUB",
    "2MUL",
    "2DIV",
    "NEGATE",
    "ABS",
    "NOT",
    "0NOTEQUAL",
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "MOD",
    "LSHIFT",
    "RSHIFT",
    "BOOLAND",
    "BOOLOR",
    "NUMEQUAL",
    "NUMEQUALVERIFY",
    "NUMNOTEQUAL",
    "LESSTHAN",
    "GREATERTHAN",
    "LESSTHANOREQUAL",
    "GREATERTHANOREQUAL",
    "MIN",
    "MAX",
    "WITHIN",
    "RIPEMD160",
    "SHA1",
    "SHA256",
    "HASH160",
    "HASH256",
    "CODESEPARATOR",
    "CHECKSIG",
    "CHECKSIGVERIFY",
    "CHECKMULTISIG",
    "CHECKMULTISIGVERIFY",
    "NOP1",
    "CHECKLOCKTIMEVERIFY",
    "CHECKSEQUENCEVERIFY",
    "NOP4",
    "NOP5",
    "NOP6",
    "NOP7",
    "NOP8",
    "NOP9",
    "NOP10",
    "CHECKSIGADD",
};

static void stop(const char *what, const char *word, size_t len)
{
    fprintf(stderr, "%s: %.*s\n", what, (int)len, word);
    abort();
}

void script_put_push(lode_buf *out, lode_slice data)
{
    uint8_t length[4];
    lode_write_le32(length, (uint32_t)data.len);
    if (data.len < 0x4c) {
        lode_buf_append(out, length, 1);
    } else if (data.len <= 0xff) {
        lode_buf_put_u8(out, 0x4c);
        lode_buf_append(out, length, 1);
    } else if (data.len <= 0xffff) {
        lode_buf_put_u8(out, 0x4d);
        lode_buf_append(out, length, 2);
    } else {
        lode_buf_put_u8(out, 0x4e);
        lode_buf_append(out, length, 4);
    }
    lode_buf_append(out, data.data, data.len);
}

void script_put_number(lode_buf *out, int64_t n)
{
    uint8_t bytes[9];
    size_t len = 0;
    if (n == -1 || (n >= 1 && n <= 16)) {
        lode_buf_put_u8(out, (uint8_t)(0x50 + n));
        return;
    }
    for (uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n; left; left >>= 8)
        bytes[len++] = (uint8_t)left;
    if (len > 0 && (bytes[len - 1] & 0x80))
        bytes[len++] = 0;
    if (n < 0)
        bytes[len - 1] |= 0x80;
    script_put_push(out, lode_slice_of(bytes, len));
}

static bool is_number(const char *word, size_t len)
{
    size_t first = len > 1 && word[0] == '-';
    for (size_t i = first; i < len; i++)
        if (!isdigit((unsigned char)word[i]))
            return false;
    return true;
}

static void put_hex(lode_buf *out, const char *digits, size_t len)
{
    char pair[3] = { 0 };
    for (size_t i = 0; i + 1 < len; i += 2) {
        uint8_t byte;
        memcpy(pair, digits + i, 2);
        if (!lode_hex_decode(&byte, 1, pair))
            stop("not hexadecimal", digits, len);
        lode_buf_put_u8(out, byte);
    }
}

static void put_opcode(lode_buf *out, const char *word, size_t len)
{
    const char *name = word;
    size_t name_len = len;
    if (len > 3 && memcmp(word, "OP_", 3) == 0) {
        name += 3;
        name_len -= 3;
    }
    if (name_len == 8 && memcmp(name, "RESERVED", 8) == 0) {
        lode_buf_put_u8(out, 0x50);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == name_len && memcmp(names[i], name, name_len) == 0) {
            lode_buf_put_u8(out, (uint8_t)(0x61 + i));
            return;
        }
    }
    stop("no opcode", word, len);
}

static void put_word(lode_buf *out, const char *word, size_t len)
{
    if (is_number(word, len))
        script_put_number(out, strtoll(word, NULL, 10));
    else if (len > 2 && word[0] == '0' && word[1] == 'x')
        put_hex(out, word + 2, len - 2);
    else if (len >= 2 && word[0] == '\'' && word[len - 1] == '\'')
        script_put_push(out, lode_slice_of(word + 1, len - 2));
    else
        put_opcode(out, word, len);
}

void script_put_words(lode_buf *out, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " \t\n");
        if (len > 0)
            put_word(out, words, len);
        words += len;
        words += *words != '\0';
    }
}

static const struct {
    const char *name;
    uint32_t flag;
} flags_by_name[SCRIPT_FLAG_COUNT] = {
    { "P2SH", LODE_VERIFY_P2SH },
    { "STRICTENC", LODE_VERIFY_STRICTENC },
    { "DERSIG", LODE_VERIFY_DERSIG },
    { "LOW_S", LODE_VERIFY_LOW_S },
    { "NULLDUMMY", LODE_VERIFY_NULLDUMMY },
    { "SIGPUSHONLY", LODE_VERIFY_SIGPUSHONLY },
    { "MINIMALDATA", LODE_VERIFY_MINIMALDATA },
    { "DISCOURAGE_UPGRADABLE_NOPS", LODE_VERIFY_DISCOURAGE_UPGRADABLE_NOPS },
    { "CLEANSTACK", LODE_VERIFY_CLEANSTACK },
    { "CHECKLOCKTIMEVERIFY", LODE_VERIFY_CHECKLOCKTIMEVERIFY },
    { "CHECKSEQUENCEVERIFY", LODE_VERIFY_CHECKSEQUENCEVERIFY },
    { "WITNESS", LODE_VERIFY_WITNESS },
    { "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", LODE_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM },
    { "MINIMALIF", LODE_VERIFY_MINIMALIF },
    { "NULLFAIL", LODE_VERIFY_NULLFAIL },
    { "WITNESS_PUBKEYTYPE", LODE_VERIFY_WITNESS_PUBKEYTYPE },
    { "CONST_SCRIPTCODE", LODE_VERIFY_CONST_SCRIPTCODE },
    { "TAPROOT", LODE_VERIFY_TAPROOT },
    { "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", LODE_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION },
    { "DISCOURAGE_OP_SUCCESS", LODE_VERIFY_DISCOURAGE_OP_SUCCESS },
    { "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", LODE_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE },
};

const uint32_t script_all_flags = (1u << SCRIPT_FLAG_COUNT) - 1;

static uint32_t find_flag(const char *name, size_t len)
{
    for (size_t i = 0; i < SCRIPT_FLAG_COUNT; i++)
        if (strlen(flags_by_name[i].name) == len && memcmp(flags_by_name[i].name, name, len) == 0)
            return flags_by_name[i].flag;
    if (len != 4 || memcmp(name, "NONE", 4) != 0)
        stop("no flag", name, len);
    return 0;
}

uint32_t script_read_flags(const char *list)
{
    uint32_t flags = 0;
    while (*list) {
        size_t len = strcspn(list, ",");
        flags |= find_flag(list, len);
        list += len;
        list += *list != '\0';
    }
    return flags;
}

uint32_t script_trim_flags(uint32_t flags)
{
    if (!(flags & LODE_VERIFY_P2SH))
        flags &= ~(uint32_t)LODE_VERIFY_WITNESS;
    if (!(flags & LODE_VERIFY_WITNESS))
        flags &= ~(uint32_t)LODE_VERIFY_CLEANSTACK;
    return flags;
}

uint32_t script_fill_flags(uint32_t flags)
{
    if (flags & LODE_VERIFY_CLEANSTACK)
        flags |= LODE_VERIFY_WITNESS;
    if (flags & LODE_VERIFY_WITNESS)
        flags |= LODE_VERIFY_P2SH;
    return flags;
}
