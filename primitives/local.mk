noinst_LTLIBRARIES += libprimitives.la
libprimitives_la_SOURCES = \
	primitives/address.c primitives/address.h primitives/address_decode.c \
	primitives/amount.h \
	primitives/encode.c primitives/encode.h primitives/encode_script.c \
	primitives/hash.c primitives/hash.h \
	primitives/merkle.c \
	primitives/muhash.c primitives/muhash.h \
	primitives/tx.c primitives/tx.h
