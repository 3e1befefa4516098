# test/primitives/local.mk
