# Two files that include every header link, one of them in the reverse order, so that hardly a header can do without an include of its own.
# The suite `all` compiles each alone as well, without making code, for any processor: a test for each folder. avx512_*.hpp are parts of
# the headers that they name.
set(alone "")
set(every_header "")
set(every_header_reversed "")
foreach(library IN ITEMS tracexpr_header_only tracexpr_xtensor tracexpr_blas tracexpr_thrust tracexpr_zlib tracexpr_eigen tracexpr_mpi tracexpr_dlpack tracexpr_arrow)
    if(NOT TARGET ${library})
        continue()
    endif()
    list(APPEND libraries ${library})
    get_target_property(headers ${library} HEADER_SET)
    foreach(header IN LISTS headers)
        file(RELATIVE_PATH header "${PROJECT_SOURCE_DIR}/include" "${header}")
        string(APPEND every_header "#include <${header}>\n")
        string(PREPEND every_header_reversed "#include <${header}>\n")
        list(APPEND alone "${header}")
    endforeach()
endforeach()

if(TRACEXPR_TEST_SUITE STREQUAL "all")
    add_library(header_flags OBJECT EXCLUDE_FROM_ALL odr/b.cpp) # never built; its properties hold the flags
    target_link_libraries(header_flags PRIVATE tracexpr_program ${libraries})
    set(flags "$<FILTER:$<TARGET_PROPERTY:header_flags,COMPILE_OPTIONS>,EXCLUDE,^-march=>")
    tracexpr_take_part(alone)
    foreach(header IN LISTS alone)
        string(REGEX REPLACE "^tracexpr/|/?[^/]+$" "" folder "${header}")
        if(folder STREQUAL "")
            set(folder core)
        endif()
        set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <@header@>\n" @ONLY)
        list(APPEND folders "${folder}")
        list(APPEND "sources_of_${folder}" "${source}")
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
        add_test(NAME "headers/${folder}" COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DSOURCE=${sources_of_${folder}}"
            "-DINCLUDES=$<TARGET_PROPERTY:header_flags,INCLUDE_DIRECTORIES>"
            "-DOPTIONS=-std=c++20;-fsyntax-only;-Werror;${flags};-D$<JOIN:$<TARGET_PROPERTY:header_flags,COMPILE_DEFINITIONS>,;-D>"
            -P "${PROJECT_SOURCE_DIR}/cmake/CheckCompile.cmake")
    endforeach()
endif()
if(TRACEXPR_TEST_PART)
    return()
endif()

file(CONFIGURE OUTPUT every_header.hpp CONTENT "#pragma once\n@every_header@" @ONLY)
file(CONFIGURE OUTPUT every_header_reversed.hpp CONTENT "#pragma once\n@every_header_reversed@" @ONLY)
add_executable(test_odr odr/a.cpp odr/b.cpp)
target_include_directories(test_odr PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
target_link_libraries(test_odr PRIVATE tracexpr_program ${libraries})
target_compile_options(test_odr PRIVATE ${TRACEXPR_TEST_FLAGS})
add_test(NAME odr COMMAND test_odr)
# Nor instantiate kernels.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_test(NAME headers/no_kernels COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/headers/no_kernels.sh" "${CMAKE_CXX_COMPILER}"
        "${PROJECT_SOURCE_DIR}/include")
    add_test(NAME headers/compile_budget COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/headers/compile_budget.sh" "${CMAKE_CXX_COMPILER}"
        "${PROJECT_SOURCE_DIR}/include")
    set_tests_properties(headers/compile_budget PROPERTIES SKIP_RETURN_CODE 77)
endif()
