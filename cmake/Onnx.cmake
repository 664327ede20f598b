# tracexpr_add_onnx(<target> <model.onnx> [NAME <name>] [SHAPES <input>=<extents>...]): #include <name.hpp> in the target's files declares
# the model as an object `name`, the file's name where none is given, whose graph the compiler sees and whose weights lie in the program.
# SHAPES gives extents to inputs that have unknown ones in the model: "x=1,3,224,224", and ? where one stays unknown.
include_guard(GLOBAL)

function(tracexpr_add_onnx target model)
    cmake_parse_arguments(PARSE_ARGV 2 onnx "" "NAME" "SHAPES")
    if(onnx_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "tracexpr_add_onnx(<target> <model.onnx> [NAME <name>] [SHAPES <input>=<extents>...]) was given ${onnx_UNPARSED_ARGUMENTS}")
    endif()
    cmake_path(ABSOLUTE_PATH model)
    if(NOT onnx_NAME)
        cmake_path(GET model STEM LAST_ONLY onnx_NAME)
        string(MAKE_C_IDENTIFIER "${onnx_NAME}" onnx_NAME)
    endif()
    if(NOT onnx_NAME MATCHES "^[A-Za-z][A-Za-z0-9_]*$" OR onnx_NAME MATCHES "^(auto|bool|char|class|const|default|delete|double|float|int|long|namespace|new|operator|public|return|short|signed|static|std|struct|switch|template|this|tx|typename|union|unsigned|using|void)$")
        message(FATAL_ERROR "tracexpr_add_onnx: NAME must be a C++ identifier that no keyword or namespace has; given ${onnx_NAME}")
    endif()
    if(NOT TARGET tracexpr_onnx_header)
        add_executable(tracexpr_onnx_header EXCLUDE_FROM_ALL "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/onnx_header.cpp")
        target_link_libraries(tracexpr_onnx_header PRIVATE tracexpr::tracexpr)
        target_compile_definitions(tracexpr_onnx_header PRIVATE TRACEXPR_KERNELS_NONE)
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_onnx")
    set(made "${folder}/${onnx_NAME}.hpp" "${folder}/${onnx_NAME}_weights.cpp" "${folder}/${onnx_NAME}.weights")
    add_custom_command(OUTPUT ${made}
        COMMAND tracexpr_onnx_header "${model}" "${onnx_NAME}" "${folder}" ${onnx_SHAPES}
        DEPENDS "${model}" tracexpr_onnx_header
        COMMENT "Reading ${onnx_NAME}.onnx" VERBATIM)
    set_source_files_properties("${folder}/${onnx_NAME}_weights.cpp" PROPERTIES OBJECT_DEPENDS "${folder}/${onnx_NAME}.weights")
    target_sources(${target} PRIVATE "${folder}/${onnx_NAME}.hpp" "${folder}/${onnx_NAME}_weights.cpp")
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()
