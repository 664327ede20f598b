#!/bin/sh
# no_kernels.sh <g++> <include folder>: a file that includes the library and uses nothing of it must have no kernels of the tile
# executor, which cost each such file seconds. g++ writes into an object what inline functions a file has when it is asked to.
set -eu
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo '#include <tracexpr/tracexpr.hpp>' > "$work/empty.cpp"
"$1" -std=c++20 -fkeep-inline-functions -w "-I$2" -c "$work/empty.cpp" -o "$work/empty.o"
nm -C "$work/empty.o" > "$work/names"
grep -q 'tx::' "$work/names" || { echo "no inline function of the library is in the object"; exit 1; }
if grep -m 1 'routines_of_dtype' "$work/names"; then
    echo "including tracexpr.hpp instantiates kernels: some function that is no template calls what makes them"
    exit 1
fi
