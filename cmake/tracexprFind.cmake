# Libraries without a CMake package of their own. Installed with ours, which needs them too.
include_guard()

# tracexpr::cblas: cblas.h and a LAPACK; OpenBLAS where it is found and BLA_VENDOR does not ask for another.
macro(tracexpr_find_blas)
    if(NOT DEFINED BLA_VENDOR AND NOT DEFINED ENV{BLA_VENDOR})
        set(BLA_VENDOR OpenBLAS)
        find_package(LAPACK QUIET)
        unset(BLA_VENDOR)
    endif()
    if(NOT LAPACK_FOUND)
        find_package(LAPACK REQUIRED)
    endif()
    find_path(TRACEXPR_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread REQUIRED)
    mark_as_advanced(TRACEXPR_CBLAS_INCLUDE_DIR)
    if(NOT TARGET tracexpr::cblas)
        add_library(tracexpr::cblas INTERFACE IMPORTED GLOBAL)
        set_target_properties(tracexpr::cblas PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${TRACEXPR_CBLAS_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES LAPACK::LAPACK)
    endif()
endmacro()

# tracexpr::thrust_headers: from the CUDA toolkit (under include/cccl since CUDA 13), or a package of its own. Compilers
# other than nvcc use Thrust's system TRACEXPR_THRUST_SYSTEM: OMP, TBB or CPP. Where the project has enabled CUDA, its CUDA files
# are linked to cuBLAS and cuSOLVER if they are there.
macro(tracexpr_find_thrust)
    find_program(TRACEXPR_NVCC nvcc PATHS /usr/local/cuda/bin)
    get_filename_component(tracexpr_nvcc "${TRACEXPR_NVCC}" REALPATH)
    get_filename_component(tracexpr_cuda_root "${tracexpr_nvcc}/../.." ABSOLUTE)
    find_path(TRACEXPR_THRUST_INCLUDE_DIR thrust/version.h REQUIRED
        HINTS "${tracexpr_cuda_root}/include/cccl" "${tracexpr_cuda_root}/include")
    if(NOT DEFINED TRACEXPR_THRUST_SYSTEM)
        set(TRACEXPR_THRUST_SYSTEM OMP)
    endif()
    set(tracexpr_thrust_library "")
    if(TRACEXPR_THRUST_SYSTEM STREQUAL "OMP")
        find_package(OpenMP REQUIRED COMPONENTS CXX)
        set(tracexpr_thrust_library OpenMP::OpenMP_CXX)
    elseif(TRACEXPR_THRUST_SYSTEM STREQUAL "TBB")
        find_package(TBB REQUIRED)
        set(tracexpr_thrust_library TBB::tbb)
    endif()
    mark_as_advanced(TRACEXPR_NVCC TRACEXPR_THRUST_INCLUDE_DIR)
    if(NOT TARGET tracexpr::thrust_headers)
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
