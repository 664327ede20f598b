# The library as users take it: installed, as a subdirectory, fetched, and through pkg-config.
set(build_consumer "${CMAKE_CTEST_COMMAND}" --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/package")
set(build_options --build-generator "${CMAKE_GENERATOR}" --test-command consumer --build-options
    "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DTRACEXPR_SOURCE=${PROJECT_SOURCE_DIR}" "-DPREFIX=${PROJECT_BINARY_DIR}/package/prefix")
foreach(way IN ITEMS subdirectory fetch)
    add_test(NAME package/${way}
        COMMAND ${build_consumer} "${PROJECT_BINARY_DIR}/package/${way}" ${build_options} -DWAY=${way})
endforeach()

if(TRACEXPR_INSTALL)
    add_test(NAME package/install
        COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --prefix "${PROJECT_BINARY_DIR}/package/prefix")
    set_tests_properties(package/install PROPERTIES FIXTURES_SETUP installed)
    add_test(NAME package/find_package
        COMMAND ${build_consumer} "${PROJECT_BINARY_DIR}/package/find_package" ${build_options} -DWAY=find_package)
    add_test(NAME package/pkgconfig
        COMMAND ${build_consumer} "${PROJECT_BINARY_DIR}/package/pkgconfig" ${build_options} -DWAY=pkgconfig)
    set_tests_properties(package/find_package package/pkgconfig PROPERTIES FIXTURES_REQUIRED installed)
endif()
