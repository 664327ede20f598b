# How the project's own programs (tests, examples, benches) are compiled: flags that users of the target never see.
include_guard()
include(FirstLine)
set(TRACEXPR_SANITIZE "" CACHE STRING "Sanitizers for the project's own programs, such as address,undefined")
set(TRACEXPR_TEST_ARCH native CACHE STRING "-march of tests and examples; empty for the compiler's default")
option(TRACEXPR_WERROR "Warnings in the project's own programs are errors" OFF)

add_library(tracexpr_warnings INTERFACE)
target_compile_options(tracexpr_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${TRACEXPR_WERROR}>:-Werror>)

add_library(tracexpr_program INTERFACE)
target_link_libraries(tracexpr_program INTERFACE tracexpr_header_only tracexpr_warnings)
target_compile_definitions(tracexpr_program INTERFACE TRACEXPR_SHOW_SHADOWING)
# g++ collects garbage less often: a fifth of its time for the larger tests.
target_compile_options(tracexpr_program INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)
# Of processors with AVX10.1 Clang 19 says, whenever it compiles for them, that it takes vectors of 512 bits to be there.
set(tracexpr_quiet_arch $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,19>>:-Wno-invalid-feature-combination>)
if(TRACEXPR_TEST_ARCH)
    target_compile_options(tracexpr_program INTERFACE -march=${TRACEXPR_TEST_ARCH} ${tracexpr_quiet_arch})
endif()
if(TRACEXPR_SANITIZE)
    target_compile_options(tracexpr_program INTERFACE
        -fsanitize=${TRACEXPR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitize_ignore.txt>)
    target_link_options(tracexpr_program INTERFACE -fsanitize=${TRACEXPR_SANITIZE})
endif()

# The bridges that a source file includes, as targets in `out`; `missing` names the first that this build has not.
function(tracexpr_bridges_of source out missing)
    set(targets "")
    set(${missing} "" PARENT_SCOPE)
    foreach(bridge IN LISTS TRACEXPR_BRIDGES)
        file(STRINGS "${source}" includes REGEX "#include <tracexpr/${bridge}(\\.hpp|/)")
        if(includes AND TARGET tracexpr_${bridge})
            list(APPEND targets tracexpr_${bridge})
        elseif(includes)
            set(${missing} ${bridge} PARENT_SCOPE)
        endif()
    endforeach()
    set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# tracexpr_add_program(<target> <source> [libraries...]): an executable, linked to the bridges its source includes.
# Where one of them is not built there is no target.
function(tracexpr_add_program target source)
    tracexpr_bridges_of("${source}" bridges missing)
    if(missing)
        message(STATUS "tracexpr: no ${target}: it needs tracexpr::${missing}")
        return()
    endif()
    add_executable(${target} "${source}")
    target_link_libraries(${target} PRIVATE ${bridges} ${ARGN})
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
