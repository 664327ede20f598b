# Headers, CMake package and pkg-config file. Each bridge is a component with an export file of its own, so that
# find_package(tracexpr) asks for a bridge's dependencies only where the bridge is wanted.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tracexpr)
set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/tracexpr") # nothing here depends on the machine
install(TARGETS tracexpr EXPORT tracexprTargets FILE_SET HEADERS)
install(EXPORT tracexprTargets NAMESPACE tracexpr:: DESTINATION "${package_dir}")
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    if(TARGET tracexpr_${bridge})
        install(TARGETS tracexpr_${bridge} EXPORT tracexpr-${bridge} FILE_SET HEADERS)
        install(EXPORT tracexpr-${bridge} NAMESPACE tracexpr:: DESTINATION "${package_dir}")
    endif()
endforeach()

configure_package_config_file(cmake/tracexprConfig.cmake.in tracexprConfig.cmake INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(tracexprConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
configure_file(cmake/tracexpr.pc.in tracexpr.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tracexprConfig.cmake" "${PROJECT_BINARY_DIR}/tracexprConfigVersion.cmake"
        cmake/tracexprFind.cmake cmake/Compiled.cmake DESTINATION "${package_dir}")
file(GLOB compiled_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/tracexpr/compiled*.cpp")
install(FILES ${compiled_files} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tracexpr")
install(FILES "${PROJECT_BINARY_DIR}/tracexpr.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
