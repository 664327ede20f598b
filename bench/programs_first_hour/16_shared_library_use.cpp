// Loads the library when it runs, and doesn't include tracexpr: g++ 16_shared_library_use.cpp -ldl
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

int main(int, char** argv) {
    void* const library = dlopen(argv[1] ? argv[1] : "./libsmooth.so", RTLD_NOW);
    if (!library) return std::puts(dlerror()), 1;
    using kernel = int(float const*, std::int64_t, std::int64_t, float*);
    auto* const softmax = reinterpret_cast<kernel*>(dlsym(library, "smooth_softmax"));
    auto* const logsumexp = reinterpret_cast<kernel*>(dlsym(library, "smooth_logsumexp"));

    float const x[6] = {1, 2, 3, 1000, 1000, 1000};
    float soft[6], sums[2];
    int const failed = softmax(x, 2, 3, soft) + logsumexp(x, 2, 3, sums);
    std::printf("%d: %.6f %.6f %.6f, %.6f\n", failed, static_cast<double>(soft[0]), static_cast<double>(soft[1]),
                static_cast<double>(soft[2]), static_cast<double>(soft[3]));
    std::printf("%.6f (exact %.6f), %.4f\n", static_cast<double>(sums[0]),
                std::log(std::exp(1.0) + std::exp(2.0) + std::exp(3.0)), static_cast<double>(sums[1]));
    dlclose(library);
}
