# api/local.mk
