#include <every_header_reversed.hpp>

std::string shape_from_other_file();
std::string shape_from_other_file() { return tx::to_string(tx::dims_of<tx::shape<2, tx::dyn>>); }
