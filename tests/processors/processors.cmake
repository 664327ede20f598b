# Tests one program of files for several processors: that it runs, and which functions its files share.
function(tracexpr_add_programs name arch)
    add_library(processors_${name} OBJECT processors/programs.cpp)
    target_link_libraries(processors_${name} PRIVATE prebuilt_program)
    target_compile_options(processors_${name} PRIVATE ${TRACEXPR_TEST_FLAGS} -march=${arch})
    target_compile_definitions(processors_${name} PRIVATE PROGRAMS=${name})
endfunction()
tracexpr_add_programs(for_v2 x86-64-v2)
tracexpr_add_programs(for_v4 x86-64-v4)
set(programs for_v2 for_v4) # the oldest first: of functions that both have the linker keeps the first
list(TRANSFORM programs REPLACE ".+" "$<TARGET_OBJECTS:processors_\\0>" OUTPUT_VARIABLE objects)

add_executable(test_processors processors/main.cpp ${objects})
target_link_libraries(test_processors PRIVATE test_main test_compiled)
target_compile_options(test_processors PRIVATE ${TRACEXPR_TEST_FLAGS})
add_test(NAME processors/run COMMAND test_processors)

add_executable(processors_symbols processors/symbols.cpp)
target_compile_features(processors_symbols PRIVATE cxx_std_20)
target_link_libraries(processors_symbols PRIVATE tracexpr_warnings)
add_test(NAME processors/symbols COMMAND processors_symbols "${CMAKE_NM}" "${CMAKE_OBJDUMP}" ${objects} COMMAND_EXPAND_LISTS)
add_test(NAME processors/link COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include"
    "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/processors" -P "${CMAKE_CURRENT_SOURCE_DIR}/processors/link.cmake")
