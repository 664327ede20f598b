#!/bin/sh
# faults.sh <program> <fault> <status: zero or other> <text, or -> <launcher>...: runs the program by the launcher. It must end within ten
# seconds with such a status, print the text, and leave no process.
program="$1" fault="$2" status="$3" text="$4"
shift 4
printed="$(mktemp)"
trap 'rm -f "$printed"' EXIT
begin="$(date +%s)"
timeout -k 5 20 "$@" "$program" "$fault" >"$printed" 2>&1 </dev/null
got=$?
seconds=$(($(date +%s) - begin))

running() { # those that are no zombies
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/exe" 2>/dev/null)" = "$program" ] && tr '\0' ' ' <"$process/cmdline" | grep -q " $fault "; then
            echo "${process#/proc/}"
        fi
    done
}
fail() {
    echo "$fault: $1; it printed:"
    cat "$printed"
    exit 1
}
[ "$seconds" -le 10 ] || fail "took $seconds s"
case "$status" in
    zero) [ "$got" = 0 ] || fail "ended with status $got" ;;
    other) [ "$got" != 0 ] || fail "ended with status 0" ;;
esac
[ "$text" = - ] || grep -qF "$text" "$printed" || fail "did not print: $text"
for attempt in 1 2 3 4 5; do
    left="$(running)"
    [ -n "$left" ] || exit 0
    sleep 1
done
fail "left processes: $left"
