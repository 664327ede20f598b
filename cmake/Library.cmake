# libtracexpr: what depends on no program's types, as a shared library, for programs that don't compile it themselves. On x86-64 Linux it is
# built for four levels of the processor, of which the C library's loader takes the best (man ld.so, glibc-hwcaps), so that programs built
# for any processor run at the speed of theirs.
include_guard()
include(GNUInstallDirs)

set(TRACEXPR_ABI 1) # another number with each change after which programs must be compiled anew

set(levels default)
set(others "")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(levels x86-64 x86-64-v2 x86-64-v3 x86-64-v4)
endif()
foreach(level IN LISTS levels)
    set(target tracexpr_prebuilt_${level})
    set(folder "")
    if(level MATCHES "-v")
        set(folder "/glibc-hwcaps/${level}")
        list(APPEND others ${target})
    else()
        set(target tracexpr_prebuilt)
    endif()
    tracexpr_add_compiled(${target} "${PROJECT_SOURCE_DIR}/include" tracexpr::header_only SHARED)
    if(level MATCHES "^x86")
        target_compile_options(${target} PRIVATE -march=${level})
    endif()
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL OFF EXPORT_NAME prebuilt OUTPUT_NAME tracexpr
        VERSION ${TRACEXPR_ABI}.${PROJECT_VERSION} SOVERSION ${TRACEXPR_ABI} CXX_VISIBILITY_PRESET default
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib${folder}")
    if(TRACEXPR_INSTALL AND folder)
        install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}${folder}" COMPONENT library NAMELINK_SKIP)
    endif()
endforeach()
target_compile_definitions(tracexpr_prebuilt INTERFACE TRACEXPR_PREBUILT)
if(others)
    add_dependencies(tracexpr_prebuilt ${others}) # the loader prefers them
endif()
add_library(tracexpr::prebuilt ALIAS tracexpr_prebuilt)

if(TRACEXPR_INSTALL)
    install(TARGETS tracexpr_prebuilt EXPORT tracexprLibrary
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT tracexpr)
    install(EXPORT tracexprLibrary NAMESPACE tracexpr:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/tracexpr"
        COMPONENT tracexpr)
    string(REGEX REPLACE "[^/]+" ".." TRACEXPR_PREFIX_FROM_PC "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    configure_file(cmake/tracexpr-prebuilt.pc.in tracexpr-prebuilt.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/tracexpr-prebuilt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT tracexpr)
endif()
