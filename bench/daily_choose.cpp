// Elements that are chosen and counted: nonzero, compress, set_where, take, bincount, histogram, against plain loops.
#include "daily.hpp"

namespace {

using daily::compare;

template <class T, std::int64_t Extent> void add(std::int64_t n, char const* who) {
    constexpr std::int64_t bins = 64;
    auto const size = static_cast<std::size_t>(n);
    auto const values = daily::numbers<T>(n, -4, 4, 1), holes = daily::numbers<T>(n, 0, 2, 2, 1);
    auto const places = daily::numbers<std::int64_t>(n, 0, static_cast<double>(n), 3),
               kinds = daily::numbers<std::int64_t>(n, 0, bins, 4);
    auto const x = daily::vector_of<T, Extent>(values), holed = daily::vector_of<T, Extent>(holes);
    auto const at = daily::vector_of<std::int64_t, Extent>(places), kind = daily::vector_of<std::int64_t, Extent>(kinds);
    auto const mask = tx::tensor<bool, tx::shape<Extent>>(holed > T(0));
    auto const name = [&](std::string const& op) { return daily::subject<T>(op, n); };
    compare(
        name("nonzero"), 0, who, [=] { return tx::nonzero(holed); }, "loop",
        [holes] {
            std::vector<std::int64_t> out;
            for (std::size_t i = 0; i < holes.size(); ++i)
                if (holes[i] != T(0)) out.push_back(static_cast<std::int64_t>(i));
            return out;
        });
    compare(
        name("compress"), 0, who, [=] { return tx::compress(mask, x); }, "loop",
        [mask, values] {
            std::vector<T> out;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (mask.data()[i]) out.push_back(values[i]);
            return out;
        });
    compare(
        name("set_where"), 0, who, [=] { return tx::set_where(x, mask, T(0)); }, "loop",
        [=, out = values]() mutable {
            for (std::size_t i = 0; i < size; ++i) out[i] = mask.data()[i] ? T(0) : values[i];
            return std::span<T>(out);
        });
    compare(
        name("take"), 0, who, [=] { return tx::take(x, at); }, "loop",
        [=, out = values]() mutable {
            for (std::size_t i = 0; i < size; ++i) out[i] = values[static_cast<std::size_t>(places[i])];
            return std::span<T>(out);
        });
    compare(
        name("bincount"), 0, who, [=] { return tx::bincount<bins>(kind); }, "loop",
        [kinds] {
            std::vector<std::int64_t> out(bins);
            for (std::int64_t k : kinds) ++out[static_cast<std::size_t>(k)];
            return out;
        });
    compare(
        name("bincount_weights"), 1e-5, who, [=] { return tx::bincount<bins>(kind, x); }, "loop",
        [kinds, values] {
            std::vector<double> out(bins);
            for (std::size_t i = 0; i < kinds.size(); ++i)
                out[static_cast<std::size_t>(kinds[i])] += static_cast<double>(values[i]);
            return out;
        });
    compare(
        name("histogram"), 1e-2, who, [=] { return tx::histogram<bins>(x, -3, 3); }, "loop",
        [values] {
            std::vector<std::int64_t> out(bins);
            for (T v : values)
                if (v >= T(-3) && v <= T(3))
                    ++out[static_cast<std::size_t>(std::min(static_cast<int>((v + T(3)) * T(bins / 6.0)), int{bins - 1}))];
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
