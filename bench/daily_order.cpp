// Elements in order: sort, argsort, topk, median, quantile, unique, searchsorted, against the standard library's algorithms.
#include "daily.hpp"

#include <functional>
#include <numeric>

namespace {

using daily::compare;

template <class T> std::vector<std::int64_t> std_argsort(std::vector<T> const& x) {
    std::vector<std::int64_t> places(x.size());
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(),
              [&](auto a, auto b) { return x[static_cast<std::size_t>(a)] < x[static_cast<std::size_t>(b)]; });
    return places;
}
template <class T> T std_quantile(std::vector<T> const& x, double q) {
    std::vector<T> copy = x;
    double const place = q * static_cast<double>(x.size() - 1), before = std::floor(place);
    auto const at = copy.begin() + static_cast<std::ptrdiff_t>(before);
    std::nth_element(copy.begin(), at, copy.end());
    T const next = at + 1 == copy.end() ? *at : *std::min_element(at + 1, copy.end());
    return static_cast<T>(*at + (next - *at) * (place - before));
}
template <class T> std::vector<T> std_unique(std::vector<T> const& x) {
    std::vector<T> out = x;
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

template <class T, std::int64_t Extent> void add(std::int64_t n, char const* who) {
    auto const [x, values] = daily::inputs<T, Extent>(n, -1000, 1000, 1);
    auto const [twice, repeated] = daily::inputs<T, Extent>(n, 0, static_cast<double>(n) / 4, 2, 1);
    auto const sorted = tx::sort(daily::vector_of<T, Extent>(daily::numbers<T>(n, -1000, 1000, 1))),
               wanted = daily::vector_of<T, Extent>(daily::numbers<T>(n, -1000, 1000, 3));
    auto const name = [&](std::string const& op) { return daily::subject<T>(op, n); };
    // f of one tensor after the other, g of the same vectors.
    auto const both = [&](std::string const& op, double tolerance, auto const& tensors, auto f, auto const& vectors, auto g) {
        compare(
            name(op), tolerance, who, [f, tensors = tensors]() mutable { return f(tensors()); }, "std",
            [g, vectors = vectors]() mutable { return g(vectors()); });
    };
    both(
        "sort", 0, x, [](auto const& v) { return tx::sort(v); }, values,
        [](std::vector<T> out) {
            std::sort(out.begin(), out.end());
            return out;
        });
    both("argsort", 1, x, [](auto const& v) { return tx::argsort(v); }, values, std_argsort<T>);
    both(
        "topk", 0, x, [](auto const& v) { return tx::topk<8>(v); }, values,
        [](std::vector<T> const& v) {
            std::vector<T> out(8);
            std::partial_sort_copy(v.begin(), v.end(), out.begin(), out.end(), std::greater<>());
            return out;
        });
    both(
        "median", 1e-6, x, [](auto const& v) { return tx::median(v); }, values,
        [](std::vector<T> const& v) { return std_quantile(v, 0.5); });
    both(
        "quantile", 1e-6, x, [](auto const& v) { return tx::quantile(v, 0.9); }, values,
        [](std::vector<T> const& v) { return std_quantile(v, 0.9); });
    both("unique", 0, twice, [](auto const& v) { return tx::unique(v); }, repeated, std_unique<T>);
    compare(
        name("searchsorted"), 0, who, [=] { return tx::searchsorted(sorted, wanted); }, "std",
        [=] {
            std::vector<std::int64_t> out(static_cast<std::size_t>(wanted.size()));
            T const *const begin = sorted.data(), *const end = begin + sorted.size();
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::lower_bound(begin, end, wanted.data()[i]) - begin;
            return out;
        });
}
template <class T> void add_all() {
    daily::for_each_size([]<std::int64_t Extent>(std::int64_t n, char const* who) { add<T, Extent>(n, who); });
}

} // namespace

int main(int argc, char** argv) {
    return daily::run(argc, argv, []<class T>() { add_all<T>(); });
}
