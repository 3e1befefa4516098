# bench/local.mk
include bench/chain/local.mk
include bench/script_local.mk
