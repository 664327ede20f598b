// This file makes what tx::capture gave a callable leaves of a call; they follow those of its arguments and state. The compiler
// traces an object that stands for all callables of the type, and is never made (run/trees/prototype.hpp). The trace says where
// in that object each captured tensor lies, and a call finds it at the same place in its own callable.
#pragma once

#include <tracexpr/run/tracing.hpp>

namespace tx::detail {

// Counts the captures of a trace that lie in the callable; they are the trace's last parameters.
template <class Stages> inline constexpr std::size_t captured_count = [] {
    std::size_t count = 0;
    for (captured const& c : Stages::trace().captures) count += c.in_callable > 0;
    return count;
}();
template <class Stages, std::size_t K> constexpr captured captured_number() {
    std::size_t seen = 0;
    for (captured const& c : Stages::trace().captures)
        if (c.in_callable > 0 && seen++ == K) return c;
    return {};
}
template <class Stages, std::size_t K> struct captured_source {
    static constexpr tx::captured captured_value = captured_number<Stages, K>();
    static constexpr std::size_t parameter = Stages::trace().parameters.size() - captured_count<Stages> + K;
    static constexpr dtype type = Stages::trace()[Stages::trace().parameters[parameter]].type;
    static constexpr dims value = Stages::trace().shape_of(Stages::trace().parameters[parameter]);
};
template <class Source> struct captured_leaf {
    void const* at; // its address in the callable

    // Returns the capture for a trace that is made at run time.
    captured capture() const {
        captured out = Source::captured_value;
        out.address = at, out.in_callable = 0;
        return out;
    }
};
template <class Source> struct leaf_access<captured_leaf<Source>> {
    using value_type = ctype<Source::type>;
    using shape_type = shape_from<Source>;
    static constexpr bool weak = false;
    static void const* data(captured_leaf<Source> const& a) { return Source::captured_value.data(a.at); }
    static dims extents(captured_leaf<Source> const& a) { return Source::captured_value.shape(a.at); }
};
template <class A> inline constexpr bool is_captured_leaf = false;
template <class Source> inline constexpr bool is_captured_leaf<captured_leaf<Source>> = true;

// Returns where in a called callable a capture lies that the trace found at `traced` in the object that stands for it. A capture
// that the trace found elsewhere, in a callable with static storage duration that was called within, lies at `traced` itself.
template <class F> TRACEXPR_INLINE void const* place_in(F const& f, void const* traced) {
    std::uintptr_t const offset =
        reinterpret_cast<std::uintptr_t>(traced) - reinterpret_cast<std::uintptr_t>(&unmade_object<F>.object);
    return offset < sizeof(F) ? reinterpret_cast<char const*>(&f) + offset : traced;
}
// Calls leaf(x) for each captured tensor or number x.
template <class Stages, class F, class Visit> TRACEXPR_INLINE void visit_captures(F const& f, Visit const& leaf) {
    if constexpr (captured_count<Stages> > 0) {
        auto const& callee = callable_form<F>::callee(f);
        [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
            (leaf(
                 captured_leaf<captured_source<Stages, K>>{place_in(callee, captured_source<Stages, K>::captured_value.address)}),
             ...);
        }(std::make_index_sequence<captured_count<Stages>>{});
    }
}

} // namespace tx::detail
