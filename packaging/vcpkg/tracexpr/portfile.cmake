# An overlay port of the copy of the repository that it lies in.
get_filename_component(source "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # headers: there is nothing to debug. A feature is what its bridge depends on
vcpkg_cmake_configure(SOURCE_PATH "${source}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/tracexpr)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc") # the licence, which vcpkg has in a place of its own
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
