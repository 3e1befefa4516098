# validate/local.mk
include validate/script/local.mk
include validate/rules/local.mk
