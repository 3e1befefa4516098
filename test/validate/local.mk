# test/validate/local.mk
include test/validate/rules_local.mk
include test/validate/script_local.mk
