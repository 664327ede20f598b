# Runs a compiler on one file, which must compile.
#   cmake -DCOMPILER=g++ -DSOURCE=a.cpp -DINCLUDES="dir;dir" -DOPTIONS="-O1;..." [-DEXTRA=...] [-DKERNELS_OF=<object made by nvcc> -DNM=nm]
#       [-DFAILS=ON] -P CheckCompile.cmake
# With FAILS it must not: each file of fail/ that it includes must fail as CheckFails.cmake says.
cmake_policy(VERSION 3.24)
set(command "${COMPILER}" ${OPTIONS} ${EXTRA})
foreach(folder IN LISTS INCLUDES)
    if(EXISTS "${folder}/tracexpr/base/config.hpp")
        list(APPEND command "-I${folder}")
    elseif(folder AND NOT folder STREQUAL "/usr/include") # as a system folder that one hides the C++ library's own headers
        list(APPEND command -isystem "${folder}")
    endif()
endforeach()
list(APPEND command ${SOURCE})
string(REPLACE ";" " " shown "${command}")

set(ENV{LC_ALL} C)
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(FAILS)
    include("${CMAKE_CURRENT_LIST_DIR}/CheckFails.cmake")
    tracexpr_check_fails("${SOURCE}" "${output}")
    return()
elseif(NOT status EQUAL 0)
    message("${shown}\n${output}")
    message(FATAL_ERROR "does not compile")
elseif(KERNELS_OF)
    include("${CMAKE_CURRENT_LIST_DIR}/CheckKernels.cmake")
    tracexpr_check_kernels("${NM}" "${KERNELS_OF}")
    file(REMOVE "${KERNELS_OF}")
endif()
