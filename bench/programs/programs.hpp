// What the programs share: inputs with fixed seeds, competitors and forms that are compared before they are timed, interleaved
// timing, and the memory that a call takes. A file holds one program, and registers it under the name that the JAX script uses.
#pragma once

#include "../aligned_buffer.hpp"

#include <tracexpr/tracexpr.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#ifndef PROGRAMS_REAL // double: to check the numbers closely
#define PROGRAMS_REAL float
#endif

namespace programs {

using real = PROGRAMS_REAL;
using complex = std::complex<real>;

using ::bench::buffer;

inline buffer<real> uniform(std::int64_t n, double low, double high, std::uint32_t seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(low, high);
    buffer<real> values(static_cast<std::size_t>(n));
    for (real& value : values) value = static_cast<real>(static_cast<float>(draw(engine)));
    return values;
}
template <class T> buffer<T> integers(std::int64_t n, std::int64_t below, std::uint32_t seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<std::int64_t> draw(0, below - 1);
    buffer<T> values(static_cast<std::size_t>(n));
    for (T& value : values) value = static_cast<T>(draw(engine));
    return values;
}

// The same elements as a tensor whose type knows all extents, or, where it knows none, of the extents given.
template <std::int64_t... Extents, class T> auto fixed(buffer<T> const& x) {
    return tx::from_data<tx::shape<Extents...>>(x.data());
}
template <class T, class... N> auto open(buffer<T> const& x, N... extents) {
    return tx::from_data<tx::shape<(static_cast<void>(extents), tx::dyn)...>>(x.data(), extents...);
}
// Of those that are known `Extents` says which, tx::dyn stands for the others.
template <std::int64_t... Extents, class T, class... N> auto partly(buffer<T> const& x, N... extents) {
    return tx::from_data<tx::shape<Extents...>>(x.data(), extents...);
}

// What a competitor writes: a buffer of each type, of so many elements.
template <class... T> struct results {
    std::array<std::int64_t, sizeof...(T)> sizes;
};

namespace detail {
template <class T> struct widened {
    using type = T;
};
template <> struct widened<float> {
    using type = double;
};
template <> struct widened<std::complex<float>> {
    using type = std::complex<double>;
};
template <class T> buffer<typename widened<T>::type> widen(buffer<T> const& x) { return {x.begin(), x.end()}; }
template <class T> T const& widen(T const& number) { return number; }
template <class T> T const* given(buffer<T> const& x) { return x.data(); }
template <class T> T given(T number) { return number; }

template <class T> void flatten(std::vector<double>& out, T const* values, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) out.push_back(static_cast<double>(values[i]));
}
template <class T> void flatten(std::vector<double>& out, std::complex<T> const* values, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) out.push_back(values[i].real()), out.push_back(values[i].imag());
}
template <class T, class S> void flatten_tree(std::vector<double>& out, tx::tensor<T, S> const& x) {
    flatten(out, x.data(), x.size());
}
template <class... T> void flatten_tree(std::vector<double>& out, std::tuple<T...> const& parts) {
    std::apply([&](auto const&... part) { (flatten_tree(out, part), ...); }, parts);
}
template <class A, class B> void flatten_tree(std::vector<double>& out, std::pair<A, B> const& parts) {
    flatten_tree(out, parts.first), flatten_tree(out, parts.second);
}
template <class T, class S> std::int64_t bytes_of(tx::tensor<T, S> const& x) { return x.size() * std::int64_t{sizeof(T)}; }
template <class... T> std::int64_t bytes_of(std::tuple<T...> const& parts) {
    return std::apply([](auto const&... part) { return (bytes_of(part) + ... + 0); }, parts);
}
template <class A, class B> std::int64_t bytes_of(std::pair<A, B> const& parts) {
    return bytes_of(parts.first) + bytes_of(parts.second);
}
template <class F, class... T> void call(F const& f, std::tuple<buffer<T>...>& outs, auto const&... arguments) {
    std::apply([&](auto&... out) { f(out.data()..., given(arguments)...); }, outs);
}
} // namespace detail

// One program's competitors and forms.
class bench {
public:
    // Elements may differ from the competitor's in double by so much of their own or their mean size; in `strays` of all elements
    // (places of the smallest of nearly equal numbers) by anything.
    explicit bench(std::string name, double tolerance = 1e-4, double strays = 0);
    // Times everything in turn, and writes a line for each.
    ~bench();
    bench(bench const&) = delete;
    bench& operator=(bench const&) = delete;

    // f(outs..., arguments...), for float and double: the second gives the numbers that all others are compared with.
    template <class F, class... T, class... A> void loop(results<T...> sizes, F f, A const&... arguments) {
        auto outs = made<typename detail::widened<T>::type...>(sizes.sizes, std::index_sequence_for<T...>{});
        detail::call(f, outs, detail::widen(arguments)...);
        std::apply([&](auto const&... out) { (detail::flatten(truth_, out.data(), std::ssize(out)), ...); }, outs);
        (dump(arguments), ...);
        dump(truth_);
        rival("loop", sizes, f, arguments...);
    }
    // The same for the programs' dtype only.
    template <class F, class... T, class... A>
    void rival(std::string const& who, results<T...> sizes, F f, A const&... arguments) {
        auto outs = std::make_shared<std::tuple<buffer<T>...>>(made<T...>(sizes.sizes, std::index_sequence_for<T...>{}));
        auto const run = [outs, f, ... arguments = std::make_shared<A>(arguments)] { detail::call(f, *outs, *arguments...); };
        run();
        std::vector<double> got;
        std::apply([&](auto const&... out) { (detail::flatten(got, out.data(), std::ssize(out)), ...); }, *outs);
        add(who, run, got, 0, 0);
    }
    template <class F, class... T, class... A> void eigen(results<T...> sizes, F f, A const&... arguments) {
        rival("eigen", sizes, f, arguments...);
    }

    template <class F, class... A> void ours(std::string const& form, F f, A const&... arguments) {
        if (!is_wanted(form)) return;
        auto const function = std::make_shared<F>(f);
        using specs = std::tuple<tx::spec<typename A::value_type, typename A::shape_type>...>;
        if (explains()) explain(form, plan_of(*function, specs()));
        auto const out = std::make_shared<std::decay_t<decltype((*function)(arguments...))>>((*function)(arguments...));
        auto const run = [=] { function->into(*out, arguments...); };
        run();
        std::vector<double> got;
        detail::flatten_tree(got, *out);
        std::int64_t const moved = (detail::bytes_of(arguments) + ... + detail::bytes_of(*out));
        add(form, run, got, bytes_of_call(run), moved);
        if (form == "unknown") traced(*function, arguments...);
    }

private:
    // The same program, traced at run time.
    template <class F, class... A> void traced(F const& f, A const&... arguments) {
        if (!is_wanted("traced")) return;
        auto const program = [f, unused = 0](auto const&... x) { return static_cast<void>(unused), f(x...); };
        auto const function = std::make_shared<tx::function<std::remove_const_t<decltype(program)>>>(program);
        auto const out = std::make_shared<std::decay_t<decltype((*function)(arguments...))>>((*function)(arguments...));
        auto const run = [=] { function->into(*out, arguments...); };
        run();
        std::vector<double> got;
        detail::flatten_tree(got, *out);
        add("traced", run, got, bytes_of_call(run), (detail::bytes_of(arguments) + ... + detail::bytes_of(*out)));
    }

    struct contender {
        std::string who;
        std::function<void()> run;
        std::int64_t arena;
        std::int64_t moved;
        std::int64_t rounds = 1;
        double best = 1e300;
    };
    template <class... T, std::size_t... I>
    static std::tuple<buffer<T>...> made(std::array<std::int64_t, sizeof...(T)> sizes, std::index_sequence<I...>) {
        return {buffer<T>(static_cast<std::size_t>(sizes[I]))...};
    }
    void add(std::string who, std::function<void()> run, std::vector<double> const& got, std::int64_t arena, std::int64_t moved);
    // For the JAX script: files name.0, name.1, ... of the arguments' elements, and after those of the results' in double.
    template <class V> void dump(V const& values) {
        if constexpr (requires { values.data(); }) write(values.data(), values.size() * sizeof(values[0]));
    }
    void write(void const* data, std::size_t bytes);
    static bool is_wanted(std::string const& form);
    static bool explains();
    template <class F, class... S> static std::string plan_of(F const& f, std::tuple<S...>) {
        return f.template concrete<S...>().explain_passes();
    }
    void explain(std::string const& form, std::string const& plan) const;
    // The most memory of the heap that a call on a thread without a past holds.
    static std::int64_t bytes_of_call(std::function<void()> const& run);

    std::string name_;
    double tolerance_, strays_;
    int files_ = 0;
    std::vector<double> truth_;
    std::vector<contender> contenders_;
};

struct registered {
    registered(std::string name, void (*program)());
};

} // namespace programs
