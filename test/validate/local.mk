# test/validate/local.mk
