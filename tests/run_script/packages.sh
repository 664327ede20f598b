#!/bin/sh
# Tests which packages ./run asks apt for, on a machine that has none of them, that it never lets apt remove one, and what it
# builds then.
#   packages.sh <root of the project>
set -eu
root="$1"
box="$(mktemp -d)"
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin"
for name in sh env sed grep tr mkdir dirname ls cat nproc id cp; do ln -s "$(command -v $name)" "$box/bin/$name"; done
fake() { # fake <command> <body>
    printf '#!/bin/sh\n%s\n' "$2" >"$box/bin/$1"
    chmod +x "$box/bin/$1"
}
fake dpkg-query 'exit 1'
fake apt-get 'echo "$*" >>"$BOX/log"; case "$*" in *-s\ *) echo "Remv libomp-14-dev [14]" ;; install*) exit "$REFUSES" ;; esac'
mkdir -p "$box/project/examples"
cp "$root/run" "$box/project/run"
for name in digits graphs xtensor_in_and_out; do cp "$root/examples/$name.cpp" "$box/project/examples/"; done

failed=0
asked() { # asked <compiler> <words of the command>: the packages
    : >"$box/log"
    said="$(env -i PATH="$box/bin" BOX="$box" REFUSES="${refuses:-0}" CXX="$1" sh "$box/project/run" $2 2>&1 || true)"
    sed -n 's/^install -y -qq --no-install-recommends --no-remove *//p' "$box/log"
}
check() { # check <compiler> <command> <packages>
    given="$(asked "$1" "$2")"
    [ "$given" = "$3" ] && return 0
    echo "CXX=$1 ./run $2 asks for: $given"
    echo "it should ask for:       $3"
    failed=1
}
tools="cmake ninja-build"
core="libc6-dev libxsimd-dev xtl-dev"
arrays="libxtensor-dev libxtensor-blas-dev libopenblas-dev"
mpi="libopenmpi-dev openmpi-bin"
both_mpi="$mpi libmpich-dev mpich"
for_tests="pkg-config doctest-dev zlib1g-dev libeigen3-dev"
fake nvcc 'exit 0'
check g++ "example graphs" "$tools g++ $core"
check g++ "example" "$tools g++ $core"
check g++ "example xtensor_in_and_out" "$tools g++ $core $arrays"
check clang++-19 "example xtensor_in_and_out" "$tools clang-19 $core $arrays"
check g++ "tests" "$tools g++ $core $arrays $both_mpi $for_tests"
check clang++-19 "tests" "$tools clang-19 $core $arrays $both_mpi $for_tests libomp-19-dev"
check clang++-19 "asan" "$tools clang-19 $core $arrays $for_tests libclang-rt-19-dev"
check clang++-19 "tsan" "$tools clang-19 $core ${for_tests% *} libclang-rt-19-dev"
check g++ "aarch64" "$tools g++-aarch64-linux-gnu qemu-user $core doctest-dev"
check g++ "docs" "doxygen python3"
check g++ "bench" "$tools g++ $core $arrays $mpi libbenchmark-dev libeigen3-dev"

refuses=100
asked clang++-19 "tests" >/dev/null
: >"$box/log"
said="$(env -i PATH="$box/bin" BOX="$box" REFUSES=100 CXX=clang++-19 sh "$box/project/run" tests 2>&1 || true)"
case "$said" in
    *"It would have to remove libomp-14-dev, which this script never does"*) ;;
    *) echo "a refusal of apt should say what stands in the way; it says: $said"; failed=1 ;;
esac

refuses=0
fake cmake 'echo "$*" >>"$BOX/built"'
for command in "example:digits" "example graphs:graphs"; do
    : >"$box/built"
    asked g++ "${command%:*}" >/dev/null
    grep -q -- "--target example_${command#*:} " "$box/built" && continue
    echo "./run ${command%:*} should build example_${command#*:}; it called cmake so: $(cat "$box/built")"
    failed=1
done
exit $failed
