// What tx::capture gave a callable, as leaves of a call, behind those of its arguments and state. The compiler traces an object
// that stands for all callables of the type, and is never made (run/trees/prototype.hpp); the trace says where in it each
// captured tensor was met, and the call finds it at the same place of its own callable.
#pragma once

#include <tracexpr/run/tracing.hpp>

namespace tx::detail {

// The captures of a trace that lie in the callable; they are its last parameters.
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
    static constexpr tx::captured what = captured_number<Stages, K>();
    static constexpr std::size_t parameter = Stages::trace().parameters.size() - captured_count<Stages> + K;
    static constexpr dtype type = Stages::trace()[Stages::trace().parameters[parameter]].type;
    static constexpr dims value = Stages::trace().shape_of(Stages::trace().parameters[parameter]);
};
template <class Source> struct captured_leaf {
    void const* at; // in the callable

    // The same, for a trace that is made at run time.
    captured capture() const {
        captured out = Source::what;
        out.address = at, out.in_callable = 0;
        return out;
    }
};
template <class Source> struct leaf_access<captured_leaf<Source>> {
    using value_type = ctype<Source::type>;
    using shape_type = shape_from<Source>;
    static constexpr bool weak = false;
    static void const* data(captured_leaf<Source> const& a) { return Source::what.data(a.at); }
    static dims extents(captured_leaf<Source> const& a) { return Source::what.shape(a.at); }
};
template <class A> inline constexpr bool is_captured_leaf = false;
template <class Source> inline constexpr bool is_captured_leaf<captured_leaf<Source>> = true;

// Where in a callable that is called lies what the trace met in the one that stands for it? What it met elsewhere, in a callable
// with static storage duration that was called within, is there itself.
template <class F> TRACEXPR_INLINE void const* place_in(F const& f, void const* traced) {
    std::uintptr_t const offset =
        reinterpret_cast<std::uintptr_t>(traced) - reinterpret_cast<std::uintptr_t>(&unmade_object<F>.object);
    return offset < sizeof(F) ? reinterpret_cast<char const*>(&f) + offset : traced;
}
// leaf(each captured tensor or number)
template <class Stages, class F, class Visit> TRACEXPR_INLINE void visit_captures(F const& f, Visit const& leaf) {
    if constexpr (captured_count<Stages> > 0) {
        auto const& callee = callable_form<F>::callee(f);
        [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
            (leaf(captured_leaf<captured_source<Stages, K>>{place_in(callee, captured_source<Stages, K>::what.address)}), ...);
        }(std::make_index_sequence<captured_count<Stages>>{});
    }
}

} // namespace tx::detail
