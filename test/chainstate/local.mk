# test/chainstate/local.mk
