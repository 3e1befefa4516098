# test/support/local.mk
