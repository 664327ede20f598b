# cpack -G DEB in the build folder: libtracexpr-dev, for all processors. What the bridges need it only recommends: their libraries are looked
# for where the bridges are asked for. The licence is in it as its copyright.
set(packages_of_xtensor libxtensor-dev libxtensor-blas-dev libopenblas-dev)
set(packages_of_blas libopenblas-dev)
set(packages_of_thrust libthrust-dev)
set(packages_of_zlib zlib1g-dev)
set(packages_of_eigen libeigen3-dev)
set(recommended g++)
foreach(bridge IN LISTS TRACEXPR_BRIDGES)
    list(APPEND recommended ${packages_of_${bridge}})
endforeach()
list(REMOVE_DUPLICATES recommended)
list(JOIN recommended ", " recommended)

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME libtracexpr-dev)
set(CPACK_PACKAGE_VENDOR "tracexpr contributors")
set(CPACK_PACKAGE_CONTACT "tracexpr contributors")
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tracexpr;tracexpr;/;${PROJECT_BINARY_DIR};tracexpr;debian;/")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libxsimd-dev (>= 8.1), xtl-dev") # Debian's xsimd links xtl, which it does not depend on
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${recommended}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtracexpr-dev" RENAME copyright
        COMPONENT debian EXCLUDE_FROM_ALL)
include(CPack)
