# The library as users take it: installed, as a subdirectory, fetched, and through pkg-config.
set(prefix "${PROJECT_BINARY_DIR}/package/prefix")
set(bridges "")
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    if(TARGET tracexpr_${bridge})
        list(APPEND bridges ${bridge})
    endif()
endforeach()

# Configures, builds and runs tests/package/CMakeLists.txt.
function(tracexpr_check_package way)
    add_test(NAME package/${way} COMMAND "${CMAKE_CTEST_COMMAND}"
        --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/package" "${PROJECT_BINARY_DIR}/package/${way}"
        --build-generator "${CMAKE_GENERATOR}"
        --build-options "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DWAY=${way}" "-DTRACEXPR_SOURCE=${PROJECT_SOURCE_DIR}"
            "-DTRACEXPR_PREFIX=${prefix}" "-DBRIDGES=${bridges}"
        --test-command consumer)
endfunction()

tracexpr_check_package(subdirectory)
tracexpr_check_package(fetch)
if(TRACEXPR_INSTALL)
    add_test(NAME package/install COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${prefix}")
    set_tests_properties(package/install PROPERTIES FIXTURES_SETUP installed)
    tracexpr_check_package(find_package)
    set_tests_properties(package/find_package PROPERTIES FIXTURES_REQUIRED installed)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        tracexpr_check_package(pkgconfig)
        set_tests_properties(package/pkgconfig PROPERTIES FIXTURES_REQUIRED installed)
    endif()
endif()
