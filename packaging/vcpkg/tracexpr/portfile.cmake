# An overlay port of the copy of the repository that it lies in.
get_filename_component(source "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS bridges FEATURES
    xtensor TRACEXPR_WITH_XTENSOR
    blas TRACEXPR_WITH_BLAS
    zlib TRACEXPR_WITH_ZLIB
    eigen TRACEXPR_WITH_EIGEN)
set(VCPKG_BUILD_TYPE release) # headers: there is nothing to debug
vcpkg_cmake_configure(SOURCE_PATH "${source}" OPTIONS ${bridges}
    -DTRACEXPR_BUILD_TESTS=OFF -DTRACEXPR_BUILD_EXAMPLES=OFF -DTRACEXPR_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/tracexpr)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
