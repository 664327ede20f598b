// The base headers are shared with CUDA kernels.
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/shape.hpp>

static_assert(tx::broadcast(tx::dims_of<tx::shape<2, 1>>, tx::dims_of<tx::shape<3>>) == tx::dims_of<tx::shape<2, 3>>);
static_assert(tx::half{1.5f} * tx::half{2} == tx::half{3});

__global__ void scale(tx::half* values, tx::bfloat16* others, float factor, int count) {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    values[i] = values[i] * tx::half{factor};
    others[i] = tx::bfloat16{others[i].value() * factor};
}
