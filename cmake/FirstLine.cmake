# tracexpr_first_line(<out> <file> <mark>): what follows the mark on a file's first line; "// expect: text" gives "text" for
# "expect:", and any other line the empty string.
function(tracexpr_first_line out file mark)
    file(READ "${file}" text LIMIT 1000)
    if(text MATCHES "^// ${mark} *([^\n]*)")
        set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    else()
        set(${out} "" PARENT_SCOPE)
    endif()
endfunction()
