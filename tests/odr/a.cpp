// Linked with b.cpp: a header that defines something twice does not get past the linker.
#include <every_header.hpp>

std::string shape_from_other_file();

int main() { return tx::to_string(tx::dims_of<tx::shape<2, tx::dyn>>) == shape_from_other_file() ? 0 : 1; }
