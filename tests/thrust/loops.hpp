// This file compares loops on Thrust's host system with the reference executor: with arguments at aligned addresses, where
// threads may handle several elements at once, and at others.
#pragma once

#include <op_cases.hpp>
#include <thrust/run_on_thrust.hpp>

namespace tx::testing {

// Copies of the arguments, each one element behind an aligned address.
class moved_arrays {
public:
    explicit moved_arrays(std::vector<host_array> const& arrays) {
        for (host_array const& a : arrays) {
            std::size_t const bytes = size_in_bytes(a.type), alignment = 64;
            std::vector<std::byte>& to = memory_.emplace_back(a.bytes.size() + alignment + bytes);
            std::size_t const off = alignment - reinterpret_cast<std::uintptr_t>(to.data()) % alignment;
            std::byte* const at = to.data() + off % alignment + bytes;
            std::copy(a.bytes.begin(), a.bytes.end(), at);
            views_.push_back({at, a.type, a.shape});
        }
    }
    std::vector<array_view> const& views() const { return views_; }

private:
    std::vector<std::vector<std::byte>> memory_;
    std::vector<array_view> views_;
};

template <class F, class... A> void check_loops(std::vector<host_array> const& arguments) {
    using trace = tx::detail::compile_time_trace<F, A...>;
    for (host_array const& a : arguments) INFO(to_string(a.shape));
    auto const wanted = run_reference(tx::detail::stages<trace>::trace(), views_of(arguments));
    CHECK(difference(run_on_thrust<trace>(views_of(arguments)), wanted) == "");
    CHECK(difference(run_on_thrust<trace>(moved_arrays(arguments).views()), wanted) == "");
}
template <class... E> dims extents(E... extent) { return {{static_cast<std::int64_t>(extent)...}, sizeof...(E)}; }
template <class T, class... E> host_array array_of(E... extent) { return tame_values(dtype_of<T>, extents(extent...)); }

template <class T = float> using open_row = tensor<T, shape<dyn>>;
template <class T = float> using open_matrix = tensor<T, shape<dyn, dyn>>;
template <std::int64_t... E> using floats = tensor<float, shape<E...>>;

} // namespace tx::testing
