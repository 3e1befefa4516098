# chainstate/local.mk
