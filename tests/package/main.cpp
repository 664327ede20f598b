// The smallest use of the library.
#include <tracexpr/base/shape.hpp>

#include <iostream>

int main() { std::cout << tx::to_string(tx::broadcast(tx::dims_of<tx::shape<2, 1>>, tx::dims_of<tx::shape<3>>)) << '\n'; }
