# The interpreter, signature hashes and the signature pool.
noinst_LTLIBRARIES += libscript.la
libscript_la_SOURCES = \
	validate/script/checker.c \
	validate/script/collector.c validate/script/collector.h \
	validate/script/delete_sig.c \
	validate/script/encoding.c validate/script/encoding.h \
	validate/script/eval.c validate/script/eval.h \
	validate/script/flags.h \
	validate/script/gather.h \
	validate/script/interpreter.h \
	validate/script/lax_der.c validate/script/lax_der.h \
	validate/script/number.h \
	validate/script/op_bytes.c \
	validate/script/op_control.c \
	validate/script/op_crypto.c \
	validate/script/op_locktime.c \
	validate/script/op_multisig.c \
	validate/script/op_numeric.c \
	validate/script/op_push.c \
	validate/script/op_stack.c \
	validate/script/opcode.h validate/script/opcode_table.c \
	validate/script/script.c \
	validate/script/script_error.c validate/script/script_error.h \
	validate/script/sig_cache.c validate/script/sig_cache.h \
	validate/script/sigcheck.h \
	validate/script/sighash.c validate/script/sighash.h validate/script/sighash_legacy.c \
	validate/script/signature.c \
	validate/script/stack.h \
	validate/script/taproot.c validate/script/taproot.h \
	validate/script/txout_bytes.h \
	validate/script/verify.c
