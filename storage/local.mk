# storage/local.mk
