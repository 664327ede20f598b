# Makes the old layout of xtensor's headers: a folder of headers with the new names that include them.
if(NOT TARGET tracexpr_xtensor)
    return()
endif()
get_target_property(folders xtensor INTERFACE_INCLUDE_DIRECTORIES)
find_file(old_layout xtensor/xtensor.hpp HINTS ${folders} NO_CACHE)
if(NOT old_layout)
    return()
endif()
set(folder "${CMAKE_CURRENT_BINARY_DIR}/xtensor_layout")
foreach(header IN ITEMS containers/xadapt containers/xarray containers/xfixed containers/xtensor core/xnoalias views/xview)
    get_filename_component(name ${header} NAME)
    file(CONFIGURE OUTPUT "${folder}/xtensor/${header}.hpp" @ONLY CONTENT
        "#pragma once\n#define XTENSOR_LAYOUT_SINCE_0_26\n#include <xtensor/xstorage.hpp>\n#include <xtensor/@name@.hpp>\n")
endforeach()
add_library(test_xtensor_layout OBJECT xtensor_layout/main.cpp)
target_include_directories(test_xtensor_layout BEFORE PRIVATE "${folder}")
target_link_libraries(test_xtensor_layout PRIVATE tracexpr_xtensor tracexpr_program)
target_compile_options(test_xtensor_layout PRIVATE ${TRACEXPR_TEST_FLAGS})
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19) # xtensor 0.24 needs it
    target_compile_options(test_xtensor_layout PRIVATE
        -fno-relaxed-template-template-args -Wno-deprecated-no-relaxed-template-template-args)
endif()
