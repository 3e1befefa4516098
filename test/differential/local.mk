# test/differential/local.mk: whole blocks and chains against Bitcoin Core's verdicts.
check_PROGRAMS += test/differential/lode_pipe
test_differential_lode_pipe_SOURCES = test/differential/lode_pipe.c
test_differential_lode_pipe_CPPFLAGS = $(TEST_CPPFLAGS)
test_differential_lode_pipe_LDFLAGS = $(AM_LDFLAGS) -static
test_differential_lode_pipe_LDADD = liblode.la $(EXTERNAL_LIBS)
EXTRA_DIST += \
	test/differential/beside_core_blocks.py \
	test/differential/block_faults.py \
	test/differential/chain_bytes.py \
	test/differential/coin_locks.py \
	test/differential/curve.py \
	test/differential/fault_list.py \
	test/differential/recorded_answers.json
TESTS += test/differential/beside_core_blocks.py
