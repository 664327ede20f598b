# Libraries without a CMake package of their own. Installed with ours, which needs them too.
include_guard()

# cblas.h and liblapack; OpenBLAS unless BLA_VENDOR says otherwise.
macro(tracexpr_find_blas)
    if(NOT DEFINED BLA_VENDOR AND NOT DEFINED ENV{BLA_VENDOR})
        set(BLA_VENDOR OpenBLAS)
    endif()
    find_package(LAPACK REQUIRED)
    find_path(TRACEXPR_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread REQUIRED)
    mark_as_advanced(TRACEXPR_CBLAS_INCLUDE_DIR)
    if(NOT TARGET tracexpr::cblas)
        add_library(tracexpr::cblas INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::cblas PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_CBLAS_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
    endif()
endmacro()

# Thrust: from the CUDA toolkit (under include/cccl since CUDA 13), or a package of its own.
macro(tracexpr_find_thrust)
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin)
    get_filename_component(tracexpr_nvcc "${TRACEXPR_NVCC}" REALPATH)
    get_filename_component(tracexpr_cuda_root "${tracexpr_nvcc}/../.." ABSOLUTE)
    find_path(TRACEXPR_THRUST_INCLUDE_DIR thrust/version.h REQUIRED
        HINTS "${tracexpr_cuda_root}/include/cccl" "${tracexpr_cuda_root}/include")
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    mark_as_advanced(TRACEXPR_NVCC TRACEXPR_THRUST_INCLUDE_DIR)
    if(NOT TARGET tracexpr::thrust_headers)
        add_library(tracexpr::thrust_headers INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::thrust_headers PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_THRUST_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
    endif()
endmacro()
