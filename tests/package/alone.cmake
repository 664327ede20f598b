# cmake -DROOT=... -DCOMPILER=g++ -DGENERATOR=Ninja -DFOLDER=... -DBRIDGES="eigen;..." -P alone.cmake: checks that the two
# commands of the README install all headers where nothing is installed and there is no network. The libraries that bridges
# include are looked for by their users; those in BRIDGES can be found here.
file(REMOVE_RECURSE "${FOLDER}")
set(nothing -DFETCHCONTENT_FULLY_DISCONNECTED=ON -DFETCHCONTENT_QUIET=OFF)
foreach(package IN ITEMS xsimd xtl xtensor xtensor-blas doctest benchmark Eigen3 Threads ZLIB LAPACK BLAS OpenMP TBB MPI Python3 PkgConfig)
    list(APPEND nothing -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${ROOT}" -B "${FOLDER}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
        --no-warn-unused-cli ${nothing}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${FOLDER}/build" --prefix "${FOLDER}/prefix" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE headers RELATIVE "${ROOT}/include" "${ROOT}/include/*")
file(GLOB_RECURSE installed RELATIVE "${FOLDER}/prefix/include" "${FOLDER}/prefix/include/*")
foreach(lists IN ITEMS "headers installed" "installed headers")
    separate_arguments(lists)
    list(GET lists 0 some)
    list(GET lists 1 others)
    set(only "${${some}}")
    list(REMOVE_ITEM only ${${others}})
    if(only)
        message(FATAL_ERROR "what is installed is not what include/ has; among the ${some} only: ${only}")
    endif()
endforeach()

# consumer(<what its configuring says, or empty where it must succeed> <arguments>...)
function(consumer expected)
    file(REMOVE_RECURSE "${FOLDER}/consumer")
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${ROOT}/tests/package" -B "${FOLDER}/consumer" -G "${GENERATOR}"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DTRACEXPR_PREFIX=${FOLDER}/prefix" ${ARGN}
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}") # CMake breaks lines
    string(FIND "${output}" "${expected}" position)
    if(expected AND (status EQUAL 0 OR position LESS 0))
        message(FATAL_ERROR "${ARGN}: should fail and say \"${expected}\"; it says\n${output}")
    elseif(NOT expected AND NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGN}: should be configured; it says\n${output}")
    endif()
endfunction()
set(no_eigen -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON)
consumer("" -DWAY=optional -DBRIDGES=eigen ${no_eigen})
consumer("tracexpr::eigen links Eigen3::Eigen, which is not installed, or not found." -DWAY=find_package -DBRIDGES=eigen ${no_eigen})
consumer("tracexpr has no component eigne; it has xtensor, blas, thrust, zlib, eigen, mpi, nccl, dlpack, arrow." -DWAY=find_package -DBRIDGES=eigne)
# Nor need xtl be there, which Debian's xsimd links.
consumer("" -DWAY=find_package -DSMALL=ON -DCMAKE_DISABLE_FIND_PACKAGE_xtl=ON)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/consumer" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(bridge IN LISTS BRIDGES)
    consumer("" -DWAY=find_package -DBRIDGES=${bridge})
endforeach()
