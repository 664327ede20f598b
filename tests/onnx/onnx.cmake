# ONNX's own tests of each operator, which lie in Python's package onnx (onnx/backend/test/data/node). Without them there is no test
# here. What fails is what onnx/expected.txt names: the test fails where that is another list.
if(NOT DEFINED TRACEXPR_ONNX_TESTS)
    find_package(Python3 COMPONENTS Interpreter)
    if(Python3_FOUND)
        execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import os, onnx; print(os.path.join(os.path.dirname(onnx.__file__), 'backend', 'test', 'data', 'node'))"
            OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    if(NOT found OR NOT EXISTS "${found}")
        set(found "")
    endif()
    set(TRACEXPR_ONNX_TESTS "${found}" CACHE PATH "ONNX's tests of operators: the folder onnx/backend/test/data/node of Python's package; empty: none")
endif()
tracexpr_add_program(onnx_node_tests "${CMAKE_CURRENT_LIST_DIR}/node_tests.cpp" test_compiled) # which has a main of its own
target_compile_definitions(onnx_node_tests PRIVATE TRACEXPR_KERNELS_NONE)
target_compile_options(onnx_node_tests PRIVATE ${TRACEXPR_TILES_TEST_FLAGS})
if(TRACEXPR_ONNX_TESTS)
    add_test(NAME onnx/nodes COMMAND onnx_node_tests "${TRACEXPR_ONNX_TESTS}" --expected "${CMAKE_CURRENT_LIST_DIR}/expected.txt")
endif()

# What the tests write is looked at by ONNX's checker and by ONNX Runtime, where Python has both.
if(NOT DEFINED TRACEXPR_ONNX_RUNTIME)
    set(found "")
    if(Python3_FOUND)
        execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import numpy, onnx, onnxruntime" RESULT_VARIABLE missing ERROR_QUIET)
        if(missing EQUAL 0)
            set(found "${Python3_EXECUTABLE}")
        endif()
    endif()
    set(TRACEXPR_ONNX_RUNTIME "${found}" CACHE FILEPATH "A Python with onnx and onnxruntime, which checks the models that the tests write; empty: none")
endif()
if(TRACEXPR_ONNX_RUNTIME AND TARGET test_bridges_onnx_ops AND TARGET test_bridges_onnx_programs AND TARGET test_bridges_onnx_dtypes)
    add_test(NAME onnx/exported COMMAND "${TRACEXPR_ONNX_RUNTIME}" "${CMAKE_CURRENT_LIST_DIR}/check_exported.py" "${CMAKE_CURRENT_BINARY_DIR}/exported_models"
        $<TARGET_FILE:test_bridges_onnx_ops> $<TARGET_FILE:test_bridges_onnx_programs> $<TARGET_FILE:test_bridges_onnx_dtypes>)
endif()

# Models that become headers.
if(TARGET test_bridges_onnx_static)
    add_executable(tracexpr_onnx_header EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/onnx_header.cpp") # with what the tests have compiled
    target_link_libraries(tracexpr_onnx_header PRIVATE test_compiled)
    target_compile_definitions(tracexpr_onnx_header PRIVATE TRACEXPR_KERNELS_NONE)
    target_compile_options(tracexpr_onnx_header PRIVATE ${TRACEXPR_TILES_TEST_FLAGS})
    tracexpr_add_onnx(test_bridges_onnx_static "${CMAKE_CURRENT_LIST_DIR}/data/net/net.onnx")
    tracexpr_add_onnx(test_bridges_onnx_static "${CMAKE_CURRENT_LIST_DIR}/data/net/net.onnx" NAME net_of_two SHAPES "x=2,1,8,8")
    tracexpr_add_onnx(test_bridges_onnx_static "${CMAKE_CURRENT_LIST_DIR}/data/loop/loop.onnx" NAME unrolled)
endif()
