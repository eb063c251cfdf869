#!/bin/sh
# Looks for leaks and invalid accesses with valgrind: one run of everything on the CPU plugin.
# Fails on memory that is definitely lost, and on reads and writes outside of allocations.
# Uninitialised values are not looked for: the plugin's own compiler branches on some.
set -eu
cd "$(dirname "$0")/.."
command -v valgrind > /dev/null || { echo "leaks.sh: valgrind is missing: apt-get install valgrind" >&2; exit 2; }
test=$(cargo test -p hloom-pjrt --test it --no-run --message-format=json 2> /dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
exec valgrind --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --undef-value-errors=no --error-exitcode=1 --num-callers=30 \
    "$test" --exact leak::everything_once --ignored --test-threads=1
