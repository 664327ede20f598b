# Headers, CMake package and pkg-config file. The headers of all bridges are there: find_package(tracexpr) looks for what they include
# where they are asked for as components.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tracexpr)
set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/tracexpr") # nothing here depends on the machine
set_target_properties(tracexpr_header_only PROPERTIES EXPORT_NAME header_only)
install(TARGETS tracexpr_header_only EXPORT tracexprTargets FILE_SET HEADERS)
install(EXPORT tracexprTargets NAMESPACE tracexpr:: DESTINATION "${package_dir}")
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    tracexpr_bridge_headers(headers ${bridge})
    foreach(header IN LISTS headers)
        cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/include" OUTPUT_VARIABLE name)
        cmake_path(GET name PARENT_PATH folder)
        install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
    endforeach()
endforeach()

configure_package_config_file(cmake/tracexprConfig.cmake.in tracexprConfig.cmake INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(tracexprConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
set(TRACEXPR_ADVISED header-only)
if(TRACEXPR_BUILD_LIBRARY)
    set(TRACEXPR_ADVISED prebuilt)
endif()
configure_file(cmake/tracexpr.pc.in tracexpr.pc @ONLY)
configure_file(cmake/tracexpr-header-only.pc.in tracexpr-header-only.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tracexprConfig.cmake" "${PROJECT_BINARY_DIR}/tracexprConfigVersion.cmake"
        cmake/tracexprFind.cmake cmake/Compiled.cmake cmake/Onnx.cmake cmake/onnx_header.cpp DESTINATION "${package_dir}")
file(GLOB compiled_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/tracexpr/compiled*.cpp")
install(FILES ${compiled_files} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tracexpr")
install(FILES "${PROJECT_BINARY_DIR}/tracexpr.pc" "${PROJECT_BINARY_DIR}/tracexpr-header-only.pc"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence) # packages put it where theirs lie
