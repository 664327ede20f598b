# Files that the tests compile but do not run. Each goes through cmake/CheckCompile.cmake.
#   fail/*.cpp    must not compile: the compiler's first error holds the text after "// expect:"; with FIXED it must compile, all
#                 of them as one file (fail/controls), each in a namespace
#   budget/*.cpp  must compile within the evaluation limits on its first line: "// budget: gcc=20000000 clang=700000 [nvcc]"
#   archs/*.cpp   must compile without warnings for each level of x86-64: some are given only where code is made
#   cuda/*.cu     must compile under nvcc for sm_80 and sm_90, and host and device must name the same kernels
add_library(compile_flags OBJECT EXCLUDE_FROM_ALL odr/b.cpp) # never built; its properties hold the flags
target_link_libraries(compile_flags PRIVATE tracexpr_program)
set(include_dirs "$<TARGET_PROPERTY:compile_flags,INCLUDE_DIRECTORIES>")
set(options "$<TARGET_PROPERTY:compile_flags,COMPILE_OPTIONS>")

# tracexpr_check_compile(<test> <source> [arguments of CheckCompile.cmake...])
function(tracexpr_check_compile name source)
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DSOURCE=${source}"
        "-DINCLUDES=${include_dirs}" "-DOPTIONS=-std=c++20;${what_for};${options}" ${ARGN}
        -P "${PROJECT_SOURCE_DIR}/cmake/CheckCompile.cmake")
endfunction()

# What all of fail/ include is parsed once. What is said of shadowing there g++ forgets.
set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/precompiled.hpp")
file(CONFIGURE OUTPUT "${precompiled}" CONTENT "#include <tracexpr/tracexpr.hpp>\n" @ONLY)
set(what_for -x c++-header -o "${precompiled}.gch")
tracexpr_check_compile(fail/precompiled "${precompiled}")
set_tests_properties(fail/precompiled PROPERTIES FIXTURES_SETUP precompiled)

set(what_for -fsyntax-only -include "${precompiled}")
file(GLOB sources CONFIGURE_DEPENDS fail/*.cpp)
tracexpr_take_part(sources)
set(fixed "")
set(fixed_includes "")
foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    tracexpr_bridges_of("${source}" bridges missing)
    if(missing)
        continue()
    endif()
    tracexpr_first_line(text "${source}" "expect:")
    if(text STREQUAL "")
        message(FATAL_ERROR "${source}: the first line must read \"// expect: <text>\"")
    endif()
    tracexpr_check_compile(fail/${name} "${source}" -DFAILS=ON -DEXTRA=-Wno-shadow)
    set_tests_properties(fail/${name} PROPERTIES FIXTURES_REQUIRED precompiled)
    file(STRINGS "${source}" includes REGEX "^#include")
    list(TRANSFORM includes REPLACE "\"\\.\\./" "\"${CMAKE_CURRENT_SOURCE_DIR}/")
    list(APPEND fixed_includes ${includes})
    string(APPEND fixed "namespace fixed_${name} {\n#include \"${source}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES fixed_includes)
list(JOIN fixed_includes "\n" fixed_includes)
set(what_for -fsyntax-only)
file(CONFIGURE OUTPUT fail_controls.cpp CONTENT "#define FIXED\n@fixed_includes@\n@fixed@" @ONLY)
tracexpr_check_compile(fail/controls "${CMAKE_CURRENT_BINARY_DIR}/fail_controls.cpp" -DEXTRA=-Wno-return-type)

if(TRACEXPR_TEST_PART)
    return()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(limit_flag -fconstexpr-ops-limit)
    set(limit_name gcc)
else()
    set(limit_flag -fconstexpr-steps)
    set(limit_name clang)
endif()
if(TRACEXPR_WITH_CUDA)
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin REQUIRED)
else()
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin)
endif()
set(nvcc_options -x;cu;-std=c++20;--expt-relaxed-constexpr;--extended-lambda;-c)
set(nvcc_sm -gencode;arch=compute_80,code=sm_80;-gencode;arch=compute_90,code=sm_90)

# nvcc takes g++ for its host compiler whatever compiles the rest.
function(tracexpr_check_nvcc name source)
    if(TRACEXPR_NVCC)
        string(REPLACE "/" "_" object "${name}.o")
        set(object "${CMAKE_CURRENT_BINARY_DIR}/${object}")
        add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${TRACEXPR_NVCC}" "-DSOURCE=${source}"
            "-DINCLUDES=${include_dirs}" "-DOPTIONS=${nvcc_options};-o;${object};${ARGN}" "-DNM=${CMAKE_NM}"
            "-DKERNELS_OF=${object}" -P "${PROJECT_SOURCE_DIR}/cmake/CheckCompile.cmake")
    endif()
endfunction()

file(GLOB sources CONFIGURE_DEPENDS budget/*.cpp)
foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    tracexpr_first_line(budget "${source}" "budget:")
    if(NOT budget MATCHES "${limit_name}=([0-9]+)")
        message(FATAL_ERROR "${source}: the first line must read \"// budget: gcc=<operations> clang=<steps>\"")
    endif()
    tracexpr_check_compile(budget/${name} "${source}" "-DEXTRA=${limit_flag}=${CMAKE_MATCH_1}")
    if(budget MATCHES "nvcc")
        tracexpr_check_nvcc(budget/${name}/nvcc "${source}" -arch=sm_90)
    endif()
endforeach()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(what_for -c -o /dev/null -O1)
    file(GLOB sources CONFIGURE_DEPENDS archs/*.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        foreach(arch x86-64 x86-64-v2 x86-64-v3 x86-64-v4)
            tracexpr_check_compile(archs/${name}/${arch} "${source}" "-DEXTRA=-march=${arch};-Werror")
        endforeach()
    endforeach()
endif()

file(GLOB sources CONFIGURE_DEPENDS cuda/*.cu)
foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    tracexpr_check_nvcc(cuda/${name} "${source}" ${nvcc_sm})
endforeach()
