#!/bin/sh
# How the program ends, and what it prints where: usage, missing directories, damaged and incomplete input.
# It makes what it needs with lode-genchain; run in the build folder.
LODE=${LODE:-$PWD/lode}
GENCHAIN=${GENCHAIN:-$PWD/lode-genchain}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/lode-exit.XXXXXX") || exit 99
trap 'rm -rf "$WORK"' EXIT
FAILURES=0

# expect NAME STATUS COMMAND...: runs it; standard output and error are left in $WORK/out and $WORK/err.
expect() {
	name=$1 want=$2
	shift 2
	"$@" >"$WORK/out" 2>"$WORK/err" </dev/null
	got=$?
	if [ $got = "$want" ]; then
		echo "ok   $name"
	else
		echo "FAIL $name: status $got, expected $want"
		sed 's/^/     /' "$WORK/err" | head -n 5
		FAILURES=$((FAILURES + 1))
	fi
}

# must NAME COMMAND...: the command succeeds.
must() {
	name=$1
	shift
	if "$@"; then
		echo "ok   $name"
	else
		echo "FAIL $name"
		FAILURES=$((FAILURES + 1))
	fi
}

is_empty() { [ ! -s "$1" ]; }
says() { grep -q -- "$2" "$1"; }

expect version_is_told 0 "$LODE" -version
expect help_is_told 0 "$LODE" help
must help_names_every_option says "$WORK/out" -reindex-chainstate
expect help_of_a_command_is_told 0 "$LODE" help getblock
expect help_of_no_command_is_usage 2 "$LODE" help nonsense
expect no_command_is_usage 2 "$LODE"
expect an_unknown_command_is_usage 2 "$LODE" -datadir="$WORK/d" nonsense
expect an_unknown_option_is_usage 2 "$LODE" -datadir="$WORK/d" -nonsense import
expect a_number_that_is_none_is_usage 2 "$LODE" -datadir="$WORK/d" -par=many import
expect a_query_without_datadir_is_usage 2 env HOME="$WORK" "$LODE" getblockcount
must it_says_what_is_missing says "$WORK/err" -datadir
expect an_import_without_datadir_is_usage 2 env HOME="$WORK" "$LODE" import
must nothing_is_written_at_home test ! -e "$WORK/.bitcoin"
expect two_networks_are_usage 2 "$LODE" -datadir="$WORK/d" -regtest -signet getblockcount
expect a_missing_directory_is_an_error_for_readers 1 "$LODE" -datadir="$WORK/absent" getblockcount
must readers_create_nothing test ! -e "$WORK/absent"
must errors_leave_standard_output_empty is_empty "$WORK/out"
expect an_input_that_cannot_be_opened_is_an_error 1 "$LODE" -regtest -datadir="$WORK/d" import "$WORK/no-such.dat"
must the_input_is_named says "$WORK/err" no-such.dat

if [ ! -x "$GENCHAIN" ]; then
	echo "lode-genchain is not built, skipped: the cases that need a chain"
	[ $FAILURES = 0 ]
	exit
fi
"$GENCHAIN" --blocks=130 --mix=all --out="$WORK/chain.dat" 2>"$WORK/err" || exit 99
IMPORT="$LODE -regtest -datadir=$WORK/d -txindex"
ASK="$LODE -regtest -datadir=$WORK/d"

expect an_import_ends_well 0 $IMPORT import "$WORK/chain.dat"
must the_report_has_a_table says "$WORK/out" 'signature checks'
must the_start_line_tells_which_scripts_run says "$WORK/err" 'scripts: run at every height'
expect the_height_is_bare_text 0 $ASK getblockcount
must standard_output_has_the_answer_alone test "$(cat "$WORK/out")" = 130
must readers_are_quiet is_empty "$WORK/err"
expect a_second_import_is_a_no_op 0 $IMPORT -json import "$WORK/chain.dat"
must its_report_is_json python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(r["blocks_connected"] != 0 or r["height"] != 130)' "$WORK/out"
expect import_without_inputs_is_fine 0 $IMPORT import
expect a_block_that_is_unknown_is_an_error 1 $ASK getblock 0000000000000000000000000000000000000000000000000000000000000001
must the_error_is_bitcoin_clis says "$WORK/err" 'error code: -5'
expect too_many_arguments_are_usage 2 $ASK getblockcount 1
expect an_argument_that_is_no_json_is_an_error 1 $ASK getblockhash x
expect a_spent_output_prints_nothing 0 $ASK gettxout 0000000000000000000000000000000000000000000000000000000000000001 0
must no_line_at_all is_empty "$WORK/out"
expect options_may_follow_the_command 0 "$LODE" getblockcount --regtest --datadir="$WORK/d"
expect another_network_has_no_directory_yet 1 "$LODE" -datadir="$WORK/d" -signet getblockcount

# Readers change nothing, and a writer keeps others out.
digest() { (cd "$1" && find . -type f -exec cksum {} + | sort && find . | sort) | cksum; }
BEFORE=$(digest "$WORK/d")
for command in getblockchaininfo getchaintips getindexinfo gettxoutsetinfo stats "getblock $($ASK getbestblockhash) 2"; do
	expect "answers_$(echo "$command" | cut -d' ' -f1)" 0 $ASK $command
	must one_json_value python3 -m json.tool "$WORK/out" /dev/null
done
must no_file_was_changed_or_made test "$BEFORE" = "$(digest "$WORK/d")"
mkfifo "$WORK/pipe"
"$LODE" -regtest -datadir="$WORK/d" import - <"$WORK/pipe" >/dev/null 2>&1 &
PID=$!
exec 7>"$WORK/pipe"
sleep 1
expect a_reader_meets_a_writer_with_an_error 1 $ASK getblockcount
must it_says_so says "$WORK/err" '[Ll]ock\|in use\|another'
expect a_second_writer_is_an_error 1 "$LODE" -regtest -datadir="$WORK/d" import
exec 7>&-
wait $PID
must the_writer_ends_well test $? = 0

# Standard input, and the file of settings.
printf 'regtest=1\n[regtest]\npar=1\n' >"$WORK/lode.conf"
"$LODE" -conf="$WORK/lode.conf" -datadir="$WORK/piped" import - <"$WORK/chain.dat" >"$WORK/out" 2>"$WORK/err"
must standard_input_is_imported_with_settings_from_a_file test $? = 0 -a -d "$WORK/piped/regtest/chainstate"
expect both_ways_end_with_the_same_coins 0 "$LODE" -regtest -datadir="$WORK/piped" gettxoutsetinfo muhash
A=$(grep muhash "$WORK/out")
expect the_coins_can_be_hashed 0 $ASK gettxoutsetinfo muhash
must the_hashes_agree test "$A" = "$(grep muhash "$WORK/out")"

# The tail alone: its blocks wait for a parent.
tail -c 700000 "$WORK/chain.dat" >"$WORK/tail.dat"
expect blocks_without_parents_are_incomplete 3 "$LODE" -regtest -datadir="$WORK/t" import "$WORK/tail.dat"
must it_says_how_many_wait says "$WORK/err" 'wait for a parent'

# A hole in a numbered set.
mkdir "$WORK/set"
cp "$WORK/chain.dat" "$WORK/set/blk00000.dat"
cp "$WORK/tail.dat" "$WORK/set/blk00002.dat"
expect a_missing_number_is_incomplete 3 "$LODE" -regtest -datadir="$WORK/h" import "$WORK/set"

# Refused blocks are reported and are no error.
if "$GENCHAIN" --blocks=130 --mix=all --invalid=3 --out="$WORK/bad.dat" 2>/dev/null; then
	expect refused_blocks_are_no_error 0 "$LODE" -regtest -datadir="$WORK/b" -json import "$WORK/bad.dat"
	must they_are_told_with_their_reason python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not r["rejected"] or not all(b["reason"] and b["hash"] for b in r["rejected"]))' "$WORK/out"
	must and_on_standard_error says "$WORK/err" 'rejected block'
fi

# Interrupted: 130, and the next run goes on.
"$GENCHAIN" --size=6M --mix=2012 --out="$WORK/long.dat" 2>/dev/null || exit 99
"$LODE" -regtest -datadir="$WORK/i" -par=1 import "$WORK/long.dat" >"$WORK/out" 2>"$WORK/err" &
PID=$!
sleep 0.7
kill -INT $PID 2>/dev/null
wait $PID
STATUS=$?
must an_interrupt_ends_with_130_unless_it_came_too_late test $STATUS = 130 -o $STATUS = 0
expect the_next_run_goes_on 0 "$LODE" -regtest -datadir="$WORK/i" import "$WORK/long.dat"
expect its_coins_can_be_hashed 0 "$LODE" -regtest -datadir="$WORK/i" gettxoutsetinfo muhash
A=$(grep muhash "$WORK/out")
expect a_clean_run_ends_well 0 "$LODE" -regtest -datadir="$WORK/j" import "$WORK/long.dat"
expect its_coins_can_be_hashed_too 0 "$LODE" -regtest -datadir="$WORK/j" gettxoutsetinfo muhash
must both_have_the_same_coins test "$A" = "$(grep muhash "$WORK/out")"

[ $FAILURES = 0 ]
