# The bridges: which packages each needs, and what it links of them. Installed with tracexpr's package, which finds them by this.
include_guard()

set(TRACEXPR_BRIDGES xtensor blas thrust zlib eigen mpi nccl dlpack arrow) # the last two need no package
set(tracexpr_packages_of_xtensor xtensor xtensor-blas BLAS) # xtensor-blas may not bring its BLAS
set(tracexpr_libraries_of_xtensor xtensor xtensor-blas tracexpr::cblas)
set(tracexpr_packages_of_blas BLAS)
set(tracexpr_libraries_of_blas tracexpr::cblas)
set(tracexpr_definitions_of_blas TRACEXPR_USE_BLAS=1)
set(tracexpr_packages_of_thrust Thrust)
set(tracexpr_libraries_of_thrust tracexpr::thrust_headers)
set(tracexpr_packages_of_zlib ZLIB)
set(tracexpr_libraries_of_zlib ZLIB::ZLIB)
set(tracexpr_packages_of_eigen Eigen3)
set(tracexpr_libraries_of_eigen Eigen3::Eigen)
set(tracexpr_packages_of_mpi MPI)
set(tracexpr_libraries_of_mpi MPI::MPI_CXX)
set(tracexpr_packages_of_nccl Thrust MPI NCCL) # for programs that nvcc compiles
set(tracexpr_libraries_of_nccl tracexpr::thrust_headers MPI::MPI_CXX tracexpr::nccl_library)

# tracexpr_free_xsimd_of_xtl(): Debian's xsimd 8.1 links xtl, which its package does not bring, and includes none of it; where xtl is not
# there the linker would look for a library of that name.
macro(tracexpr_free_xsimd_of_xtl)
    if(TARGET xsimd AND NOT TARGET xtl)
        get_target_property(tracexpr_libraries xsimd INTERFACE_LINK_LIBRARIES)
        if("xtl" IN_LIST tracexpr_libraries)
            list(REMOVE_ITEM tracexpr_libraries xtl)
            set_target_properties(xsimd PROPERTIES INTERFACE_LINK_LIBRARIES "${tracexpr_libraries}")
        endif()
    endif()
endmacro()

# tracexpr_find_bridge(<name> <missing>): looks for what a bridge needs; `missing`: what is not there.
macro(tracexpr_find_bridge name missing)
    foreach(tracexpr_package IN LISTS tracexpr_packages_of_${name})
        if(tracexpr_package STREQUAL "BLAS")
            tracexpr_find_blas()
        elseif(tracexpr_package STREQUAL "Thrust")
            tracexpr_find_thrust()
        elseif(tracexpr_package STREQUAL "MPI")
            tracexpr_find_mpi()
        elseif(tracexpr_package STREQUAL "NCCL")
            tracexpr_find_nccl()
        else()
            find_package(${tracexpr_package} QUIET)
        endif()
    endforeach()
    set(${missing} "")
    foreach(tracexpr_library IN LISTS tracexpr_libraries_of_${name})
        if(NOT TARGET ${tracexpr_library})
            list(APPEND ${missing} ${tracexpr_library})
        endif()
    endforeach()
endmacro()

# tracexpr::cblas, where they are there: cblas.h and a LAPACK; OpenBLAS where it is found and BLA_VENDOR does not ask for another.
macro(tracexpr_find_blas)
    if(NOT DEFINED BLA_VENDOR AND NOT DEFINED ENV{BLA_VENDOR})
        set(BLA_VENDOR OpenBLAS)
        find_package(LAPACK QUIET)
        unset(BLA_VENDOR)
    endif()
    if(NOT LAPACK_FOUND)
        find_package(LAPACK QUIET)
    endif()
    find_path(TRACEXPR_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread)
    mark_as_advanced(TRACEXPR_CBLAS_INCLUDE_DIR)
    if(NOT TARGET tracexpr::cblas AND TARGET LAPACK::LAPACK AND TRACEXPR_CBLAS_INCLUDE_DIR)
        add_library(tracexpr::cblas INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::cblas PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_CBLAS_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
    endif()
endmacro()

# MPI::MPI_CXX, where MPI is there: the implementation of MPI_CXX_COMPILER, else Open MPI before MPICH, as CMake has it.
macro(tracexpr_find_mpi)
    set(MPI_CXX_SKIP_MPICXX ON) # the C++ interface that MPI 3 removed
    find_package(MPI QUIET COMPONENTS CXX)
endmacro()

# tracexpr::nccl_library, where nccl.h and libnccl are there: from NVIDIA's package, or beside the CUDA toolkit that nvcc belongs to.
macro(tracexpr_find_nccl)
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin)
    get_filename_component(tracexpr_nvcc "${TRACEXPR_NVCC}" REALPATH)
    get_filename_component(tracexpr_cuda_root "${tracexpr_nvcc}/../.." ABSOLUTE)
    find_path(TRACEXPR_NCCL_INCLUDE_DIR nccl.h HINTS "${tracexpr_cuda_root}/include")
    find_library(TRACEXPR_NCCL_LIBRARY nccl HINTS "${tracexpr_cuda_root}" PATH_SUFFIXES lib64 lib)
    mark_as_advanced(TRACEXPR_NVCC TRACEXPR_NCCL_INCLUDE_DIR TRACEXPR_NCCL_LIBRARY)
    if(NOT TARGET tracexpr::nccl_library AND TRACEXPR_NCCL_INCLUDE_DIR AND TRACEXPR_NCCL_LIBRARY)
        add_library(tracexpr::nccl_library INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::nccl_library PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_NCCL_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${TRACEXPR_NCCL_LIBRARY}")
    endif()
endmacro()

# tracexpr::thrust_headers, likewise: from the CUDA toolkit (under include/cccl since CUDA 13), or a package of its own. Compilers
# other than nvcc use Thrust's system TRACEXPR_THRUST_SYSTEM: OMP, TBB or CPP. Where the project has enabled CUDA, its CUDA files
# are linked to cuBLAS and cuSOLVER if they are there.
macro(tracexpr_find_thrust)
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin)
    get_filename_component(tracexpr_nvcc "${TRACEXPR_NVCC}" REALPATH)
    get_filename_component(tracexpr_cuda_root "${tracexpr_nvcc}/../.." ABSOLUTE)
    find_path(TRACEXPR_THRUST_INCLUDE_DIR thrust/version.h
        HINTS "${tracexpr_cuda_root}/include/cccl" "${tracexpr_cuda_root}/include")
    if(NOT DEFINED TRACEXPR_THRUST_SYSTEM)
        set(TRACEXPR_THRUST_SYSTEM OMP)
    endif()
    set(tracexpr_thrust_library "")
    if(TRACEXPR_THRUST_SYSTEM STREQUAL "OMP")
        find_package(OpenMP QUIET COMPONENTS CXX)
        set(tracexpr_thrust_library OpenMP::OpenMP_CXX)
    elseif(TRACEXPR_THRUST_SYSTEM STREQUAL "TBB")
        find_package(TBB QUIET)
        set(tracexpr_thrust_library TBB::tbb)
    endif()
    mark_as_advanced(TRACEXPR_NVCC TRACEXPR_THRUST_INCLUDE_DIR)
    if(NOT TARGET tracexpr::thrust_headers AND TRACEXPR_THRUST_INCLUDE_DIR AND (TARGET "${tracexpr_thrust_library}" OR NOT tracexpr_thrust_library))
        add_library(tracexpr::thrust_headers INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::thrust_headers PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_THRUST_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${tracexpr_thrust_library}"
            INTERFACE_COMPILE_DEFINITIONS "$<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_${TRACEXPR_THRUST_SYSTEM}>"
            INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;--extended-lambda>")
        if(CMAKE_CUDA_COMPILER)
            find_package(CUDAToolkit QUIET)
            foreach(library IN ITEMS cublas cusolver)
                if(TARGET CUDA::${library})
                    string(TOUPPER "TRACEXPR_USE_${library}" tracexpr_use)
                    target_link_libraries(tracexpr::thrust_headers INTERFACE CUDA::${library})
                    target_compile_definitions(tracexpr::thrust_headers INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${tracexpr_use}=1>")
                endif()
            endforeach()
        endif()
    endif()
endmacro()
