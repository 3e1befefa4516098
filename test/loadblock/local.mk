# test/loadblock/local.mk
