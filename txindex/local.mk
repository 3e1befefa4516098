# txindex/local.mk
