// This file is linked with b.cpp: the linker rejects a header that defines something twice.
#include <every_header.hpp>

std::string shape_from_other_file();

int main() { return tx::to_string(tx::dims_of<tx::shape<2, tx::dyn>>) == shape_from_other_file() ? 0 : 1; }
