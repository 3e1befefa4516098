# test/storage/local.mk
