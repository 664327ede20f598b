// What is known of a call that is traced at run time.
#pragma once

#include <tracexpr/run/callable.hpp>
#include <tracexpr/run/captured_leaves.hpp>
#include <tracexpr/run/signature.hpp>

namespace tx::detail {

// The shapes of a call's leaves, as its types tell them, with their ranks, and with their extents where types leave the rank
// open; and the values that its trace depends on.
struct call_facts {
    buffer<dims> given, typed, ranked, exact;
    key_values keys;
};
template <class F, class... A> call_facts facts_of_call(F const& f, A const&... a) {
    call_facts out;
    auto const look = [&]<class Part>(Part const& part) {
        using reader = leaf_access<Part>;
        dims const type = dims_of<typename reader::shape_type>;
        out.given.push_back(reader::extents(part));
        out.typed.push_back(type);
        out.exact.push_back(type.rank < 0 ? out.given.back() : type);
        out.ranked.push_back(out.exact.back());
        for (int axis = 0; type.rank < 0 && axis < out.ranked.back().rank; ++axis) out.ranked.back()[axis] = dyn;
    };
    auto const keep = [&](auto const& value) { out.keys.add(value); };
    (for_each_leaf(a, look, keep), ...);
    std::size_t const arguments = out.exact.size();
    callable_form<F>::visit(f, look, keep);
    for (std::size_t k = arguments; k < out.exact.size(); ++k) out.typed[k] = out.ranked[k] = out.exact[k];
    return out;
}

} // namespace tx::detail
