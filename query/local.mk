# query/local.mk
