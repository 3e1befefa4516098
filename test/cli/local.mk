# test/cli/local.mk
