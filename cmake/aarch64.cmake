# A toolchain: AArch64 by Debian's cross compiler, run by QEMU. Libraries that are headers are those of this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(NOT CMAKE_CXX_COMPILER)
    set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
find_program(TRACEXPR_QEMU qemu-aarch64 REQUIRED)
mark_as_advanced(TRACEXPR_QEMU)
set(CMAKE_CROSSCOMPILING_EMULATOR "${TRACEXPR_QEMU};-L;/usr/aarch64-linux-gnu")
file(GLOB folders /usr/lib/*/cmake) # where Debian's packages of this machine have their CMake files
list(APPEND CMAKE_PREFIX_PATH ${folders})
