# Runs tests/mpi/*.cpp with each implementation of MPI that is installed, on 1 to 4 ranks, and programs in which a rank goes
# wrong.
if(NOT TRACEXPR_WITH_MPI OR TRACEXPR_SANITIZE OR TRACEXPR_TEST_PART)
    return()
endif()
include(Mpi)

# Ranks that wait leave their processor to those that compute. MPICH has them spin.
if("mpich" IN_LIST TRACEXPR_MPI_IMPLEMENTATIONS)
    add_library(mpich_yields SHARED mpi/launch/yields.cpp)
    target_link_libraries(mpich_yields PRIVATE ${CMAKE_DL_LIBS})
    set(environment_of_mpich "LD_PRELOAD=$<TARGET_FILE:mpich_yields>")
endif()

# A fault, the status of the launcher, and what it prints, if anything: see faults/faults.sh.
set(faults
    "throws|other|rank 1: an exception that nobody catches: something is wrong"
    "throws_number|other|rank 1: an exception that nobody catches, which is no std::exception"
    "throws_in_thread|other|rank 1: an exception that nobody catches: a thread went wrong"
    "terminates|other|rank 1: std::terminate was called"
    "unwinds|other|rank 1: an exception leaves tx::mpi::session"
    "unwinds|other|something is wrong"
    "catches|zero|-"
    "exits|other|rank 1: the program exits within its tx::mpi::session"
    "exits_at_once|other|-"
    "aborts|other|-"
    "killed|other|-"
    "signal_in_collective|other|-"
    "slow|zero|-"
    "ends_late|zero|-"
    "root_returns|zero|-"
    "exchange_ends|other|tx::mpi::exchange waits for rank 1, which has ended its session without sending to this rank"
    "returns|other|tx::mpi::all_reduce waits for rank 1, which has ended its session without taking part"
    "returns_in_part|other|for rank 1"
    "returns_before_comparison|other|the comparison of a program's collectives waits for rank 1, which has ended its session without taking part"
    "checked_returns_before_comparison|other|rank 1 ends its session, ranks 0 and 2 call a program that is new"
    "checked_returns|other|rank 1 ends its session, ranks 0 and 2 call tx::mpi::all_reduce(sum, float32 (8,))"
    "checked_absent|other|rank 1 has not arrived after 1 s"
    "checked_differs|other|rank 1 calls tx::mpi::communicator::duplicate(), ranks 0 and 2 tx::mpi::all_reduce(sum, float32 (8,))"
    "checked_is_caught|zero|-"
    "outside|zero|-"
    "outside_of_mpi|zero|-"
    "again|zero|-")

# tracexpr_launch_test(<name> <implementation> <command>...)
function(tracexpr_launch_test name implementation)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES PROCESSORS 2 TIMEOUT 60 ENVIRONMENT "${environment_of_${implementation}}")
endfunction()

file(GLOB mpi_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/mpi" mpi/*.cpp)
foreach(implementation IN LISTS TRACEXPR_MPI_IMPLEMENTATIONS)
    set(launch ${tracexpr_launch_${implementation}})
    add_library(test_${implementation}_main OBJECT mpi/main/main.cpp)
    target_link_libraries(test_${implementation}_main PUBLIC tracexpr_program tracexpr_mpi_${implementation} doctest::doctest)
    target_compile_options(test_${implementation}_main PUBLIC ${TRACEXPR_TEST_FLAGS})
    target_compile_definitions(test_${implementation}_main PUBLIC DOCTEST_CONFIG_VOID_CAST_EXPRESSIONS)
    foreach(source IN LISTS mpi_sources)
        get_filename_component(name "${source}" NAME_WE)
        set(target test_${implementation}_${name})
        add_executable(${target} "mpi/${source}")
        target_link_libraries(${target} PRIVATE test_${implementation}_main)
        if(name STREQUAL "programs") # which the compiler traces
            target_link_libraries(${target} PRIVATE tiles_tests)
        elseif(name MATCHES "^(data_parallel|exchanges|grids|lifetimes|sequences|sharded.*)$")
            target_link_libraries(${target} PRIVATE untraced_tests)
        endif()
        foreach(ranks RANGE 1 4)
            tracexpr_launch_test(mpi/${name}/${implementation}_${ranks} ${implementation} ${launch} ${ranks} $<TARGET_FILE:${target}>)
        endforeach()
    endforeach()

    # The examples of the reference, and the first program of docs/machines.md, which shows what four ranks print.
    add_executable(test_${implementation}_docs docs/mpi.cpp)
    target_link_libraries(test_${implementation}_docs PRIVATE test_${implementation}_main tiles_tests)
    foreach(ranks RANGE 1 4)
        tracexpr_launch_test(docs/mpi/${implementation}_${ranks} ${implementation} ${launch} ${ranks} $<TARGET_FILE:test_${implementation}_docs>)
    endforeach()
    set(source "${PROJECT_SOURCE_DIR}/examples/mpi_first_steps.cpp")
    add_executable(test_${implementation}_first_steps "${source}")
    target_link_libraries(test_${implementation}_first_steps PRIVATE tracexpr_program tracexpr_mpi_${implementation} test_compiled)
    target_compile_definitions(test_${implementation}_first_steps PRIVATE TRACEXPR_KERNELS_TILES)
    string(JOIN " " launch_four ${launch} 4)
    tracexpr_launch_test(docs/machines/${implementation} ${implementation} "${CMAKE_COMMAND}" "-DLAUNCHER=${launch_four}"
        "-DPROGRAM=$<TARGET_FILE:test_${implementation}_first_steps>" "-DSOURCE=${source}" "-DFILE=${PROJECT_SOURCE_DIR}/docs/machines.md"
        -P "${PROJECT_SOURCE_DIR}/cmake/CheckDocs.cmake")
    # The other examples print what they say for any number of ranks, and but for random numbers of each rank's own the same.
    string(JOIN " " launch_some ${launch})
    foreach(name heat digits monte_carlo)
        set(source "${PROJECT_SOURCE_DIR}/examples/mpi_${name}.cpp")
        set(target test_${implementation}_example_${name})
        add_executable(${target} "${source}")
        target_link_libraries(${target} PRIVATE tracexpr_program tracexpr_mpi_${implementation} test_compiled)
        target_compile_options(${target} PRIVATE ${TRACEXPR_TILES_TEST_FLAGS})
        target_compile_definitions(${target} PRIVATE TRACEXPR_KERNELS_TILES TRACEXPR_EXAMPLE_DATA="${PROJECT_SOURCE_DIR}/examples/data")
        set(same ON)
        if(name STREQUAL "monte_carlo")
            set(same OFF)
        endif()
        tracexpr_launch_test(example/mpi_${name}/${implementation} ${implementation} "${CMAKE_COMMAND}" "-DLAUNCHER=${launch_some}"
            "-DPROGRAM=$<TARGET_FILE:${target}>" "-DSOURCE=${source}" -DSAME=${same} -P "${PROJECT_SOURCE_DIR}/cmake/CheckRanks.cmake")
    endforeach()
    if(TARGET tracexpr_thrust) # nccl/nccl.h stands for NCCL's
        set(target test_${implementation}_nccl)
        add_executable(${target} mpi/nccl/nccl.cpp)
        target_include_directories(${target} BEFORE PRIVATE mpi/nccl)
        target_link_libraries(${target} PRIVATE test_${implementation}_main tracexpr_thrust)
        target_compile_options(${target} PRIVATE -UTHRUST_DEVICE_SYSTEM -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
        foreach(ranks RANGE 1 3)
            tracexpr_launch_test(mpi/nccl/${implementation}_${ranks} ${implementation} ${launch} ${ranks} $<TARGET_FILE:${target}>)
        endforeach()
    endif()

    set(target test_${implementation}_faults)
    add_executable(${target} mpi/faults/faults.cpp)
    target_link_libraries(${target} PRIVATE tracexpr_program tracexpr_mpi_${implementation})
    target_compile_options(${target} PRIVATE ${TRACEXPR_TEST_FLAGS})
    foreach(line IN LISTS faults)
        string(REGEX MATCH "^([^|]*)\\|([^|]*)\\|(.*)$" line "${line}")
        set(name mpi/faults/${CMAKE_MATCH_1}_${implementation})
        if(TEST ${name})
            string(APPEND name _again)
        endif()
        tracexpr_launch_test(${name} ${implementation} sh "${CMAKE_CURRENT_SOURCE_DIR}/mpi/faults/faults.sh" $<TARGET_FILE:${target}>
            ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} "${CMAKE_MATCH_3}" ${launch} 3)
    endforeach()
endforeach()
