#!/bin/sh
# fails.sh <compiler> <include folder> <fails.cpp>: checks that what files with TRACEXPR_KERNELS_NONE must not do fails to
# compile, with the right message.
set -eu
failed=0
expect() { # expect <case> <text> <flags>...
    case_of="$1" text="$2"
    shift 2
    if said="$("$compiler" -std=c++20 -fsyntax-only -DTRACEXPR_KERNELS_NONE "-I$include" "-DCASE=$case_of" "$@" "$source" 2>&1)"; then
        echo "case $case_of compiles"
        failed=1
    elif ! printf '%s\n' "$said" | grep -m 1 -E 'error' | grep -qF -e "$text"; then
        printf '%s\n' "case $case_of does not say first: $text" "$said" | head -20
        failed=1
    fi
}
compiler="$1" include="$2" source="$3"
"$compiler" -std=c++20 -fsyntax-only -DTRACEXPR_KERNELS_NONE -DTRACEXPR_COMPILED "-I$include" -DCASE=0 "$source"
expect 0 'TRACEXPR_KERNELS_NONE: link tracexpr::compiled'
expect 1 'tx: static_function: the compiler must trace the callable, and traces nothing in a file with TRACEXPR_KERNELS_NONE' -DTRACEXPR_COMPILED
expect 2 'tx: function: tx::kernels::native needs a file without TRACEXPR_KERNELS_NONE' -DTRACEXPR_COMPILED
case "$("$compiler" --version)" in
*clang*) expect 3 "constexpr variable 'sum' must be initialized by a constant expression" -DTRACEXPR_COMPILED ;;
*) expect 3 'not_a_constant_with_kernels_none' -DTRACEXPR_COMPILED ;;
esac
exit "$failed"
