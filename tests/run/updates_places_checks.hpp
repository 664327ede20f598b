#include <run/updates_checks.hpp>

namespace {
tx::tensor<std::int32_t, tx::shape<4>> const rows{0, 2, -1, 2};
tx::tensor<std::int64_t, tx::shape<4>> const columns{1, 3, 4, -2};
tx::tensor<double, tx::shape<4>> const weights{1.5, -2, 3, 0.25};

// Gives the matrix after the values have been applied one after the other.
template <class Change> auto one_by_one(Change const& change) {
    matrix out = given;
    for (int k = 0; k < 4; ++k) {
        double const next = change(static_cast<double>(out(rows(k), columns(k))), static_cast<double>(weights(k)));
        out(rows(k), columns(k)) = next;
    }
    return [out](auto const& got) { CHECK(tx::equal(got, out)); };
}
} // namespace
