# loadblock/local.mk
