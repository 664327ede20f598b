# Tests the library as users get it: installed, as one header, from a .deb, as a subdirectory, fetched, and through pkg-config. The
# last three are small programs every day. In the suite `all` they are larger ones, for which the library's files are compiled, too.
set(prefix "${PROJECT_BINARY_DIR}/package/prefix")
set(bridges "")
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    if(TARGET tracexpr_${bridge})
        list(APPEND bridges ${bridge})
    endif()
endforeach()

# tracexpr_check_package(<way> [SMALL] [COMPILER <which is not the build's>]) configures, builds and runs tests/package/CMakeLists.txt.
function(tracexpr_check_package way)
    cmake_parse_arguments(PARSE_ARGV 1 package "SMALL" "COMPILER" "")
    set(name ${way})
    set(compiler "${CMAKE_CXX_COMPILER}")
    if(package_COMPILER)
        set(compiler "${package_COMPILER}")
        string(APPEND name _other_compiler)
    endif()
    add_test(NAME package/${name} COMMAND "${CMAKE_CTEST_COMMAND}"
        --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/package" "${PROJECT_BINARY_DIR}/package/${name}"
        --build-generator "${CMAKE_GENERATOR}"
        --build-options -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=${compiler}" "-DWAY=${way}" "-DSMALL=${package_SMALL}"
            "-DTRACEXPR_SOURCE=${PROJECT_SOURCE_DIR}" "-DTRACEXPR_PREFIX=${prefix}" "-DBRIDGES=${bridges}"
        --test-command consumer)
endfunction()

set(ways subdirectory fetch)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    list(APPEND ways pkgconfig)
endif()
tracexpr_take_part(ways)
set(small "")
if(TRACEXPR_TEST_SUITE STREQUAL "everyday")
    set(small SMALL)
endif()
foreach(way IN LISTS ways)
    tracexpr_check_package(${way} ${small})
endforeach()
if(TEST package/pkgconfig)
    set_tests_properties(package/pkgconfig PROPERTIES FIXTURES_REQUIRED installed)
endif()
if(TRACEXPR_TEST_PART AND NOT TEST package/pkgconfig)
    return()
endif()
if(TRACEXPR_INSTALL)
    add_test(NAME package/install COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${prefix}")
    set_tests_properties(package/install PROPERTIES FIXTURES_SETUP installed)
    if(TRACEXPR_TEST_PART)
        return()
    endif()
    tracexpr_check_package(find_package)
    set_tests_properties(package/find_package PROPERTIES FIXTURES_REQUIRED installed)
    find_program(DPKG_DEB dpkg-deb)
    mark_as_advanced(DPKG_DEB)
    if(DPKG_DEB)
        set(prefix "${PROJECT_BINARY_DIR}/package/unpacked/usr")
        add_test(NAME package/make_deb COMMAND "${CMAKE_COMMAND}" "-DCPACK=${CMAKE_CPACK_COMMAND}" "-DDPKG_DEB=${DPKG_DEB}"
            "-DBUILD=${PROJECT_BINARY_DIR}" "-DFOLDER=${PROJECT_BINARY_DIR}/package" -P "${CMAKE_CURRENT_SOURCE_DIR}/package/deb.cmake")
        set_tests_properties(package/make_deb PROPERTIES FIXTURES_SETUP unpacked)
        tracexpr_check_package(deb)
        set_tests_properties(package/deb PROPERTIES FIXTURES_REQUIRED unpacked)
    endif()
endif()
add_test(NAME package/alone COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DCOMPILER=${CMAKE_CXX_COMPILER}"
    "-DGENERATOR=${CMAKE_GENERATOR}" "-DFOLDER=${PROJECT_BINARY_DIR}/package/alone" "-DBRIDGES=${bridges}"
    -P "${CMAKE_CURRENT_SOURCE_DIR}/package/alone.cmake")
add_test(NAME package/recipes COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
    "-DBRIDGES=${TRACEXPR_BRIDGES}" -P "${CMAKE_CURRENT_SOURCE_DIR}/package/recipes.cmake")

# As one file, with more in it than by default, and with Clang where g++ makes the build.
if(Python3_FOUND)
    set(prefix "${PROJECT_BINARY_DIR}/package/single_header_prefix")
    file(MAKE_DIRECTORY "${prefix}/include/tracexpr")
    set(more files inspect plot testing)
    list(TRANSFORM more REPLACE ".+" "tracexpr/\\0.hpp")
    add_test(NAME package/make_single_header COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/single_header.py"
        "${prefix}/include/tracexpr/tracexpr.hpp" tracexpr/tracexpr.hpp ${more})
    set_tests_properties(package/make_single_header PROPERTIES FIXTURES_SETUP single_header)
    tracexpr_check_package(single_header)
    set_tests_properties(package/single_header PROPERTIES FIXTURES_REQUIRED single_header)
    find_program(TRACEXPR_CLANG NAMES clang++-19 clang++)
    mark_as_advanced(TRACEXPR_CLANG)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND TRACEXPR_CLANG)
        tracexpr_check_package(single_header COMPILER "${TRACEXPR_CLANG}")
        set_tests_properties(package/single_header_other_compiler PROPERTIES FIXTURES_REQUIRED single_header)
    endif()
endif()
