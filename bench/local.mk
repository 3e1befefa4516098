# bench/local.mk
include bench/script_local.mk
