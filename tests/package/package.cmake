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
add_test(NAME package/recipes COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
    "-DBRIDGES=${TRACEXPR_BRIDGES}" -P "${CMAKE_CURRENT_SOURCE_DIR}/package/recipes.cmake")
