# example/local.mk
