#include <doctest/doctest.h>

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <vector>

namespace {

// As the library's kernels are: a struct that holds pointers, called with an index.
struct fill_with_index {
    std::int64_t* out;
    void operator()(std::int64_t i) const { out[i] = i; }
};

} // namespace

TEST_CASE("thrust: its host system runs a kernel over a counting iterator") {
    std::vector<std::int64_t> out(10'000, -1);
    thrust::for_each(thrust::device, thrust::counting_iterator<std::int64_t>(0),
                     thrust::counting_iterator<std::int64_t>(static_cast<std::int64_t>(out.size())), fill_with_index{out.data()});
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) wrong += out[i] != static_cast<std::int64_t>(i);
    CHECK(wrong == 0);
}
