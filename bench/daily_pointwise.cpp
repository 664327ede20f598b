// Functions of each element or each few, and sums of them: diff, interp, nan_to_num, the reductions without NaN, comparisons as
// a whole, roll, cross, kron, cov, corrcoef, against plain loops and Eigen.
#include "daily.hpp"

#include <Eigen/Dense>

namespace {

using daily::compare;

template <class T> using eigen_rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr std::int64_t knots = 100, variables = 8;

// Every fifth a NaN.
template <class T> std::vector<T> with_holes(std::vector<T> values) {
    for (std::size_t i = 0; i < values.size(); i += 5) values[i] = std::numeric_limits<T>::quiet_NaN();
    return values;
}
template <class T> eigen_rows<T> eigen_cov(eigen_rows<T> const& x) {
    eigen_rows<T> const apart = x.colwise() - x.rowwise().mean();
    return apart * apart.transpose() / static_cast<T>(x.cols() - 1);
}

template <class T, std::int64_t Extent> void add(std::int64_t n, char const* who) {
    auto const size = static_cast<std::size_t>(n);
    auto const values = daily::numbers<T>(n, -4, 4, 1), holes = with_holes(values);
    auto near = values;
    for (T& v : near) v *= T(1.000001);
    std::vector<T> const grid = [] {
        std::vector<T> out;
        for (std::int64_t i = 0; i < knots; ++i) out.push_back(static_cast<T>(-4 + 8 * static_cast<double>(i) / (knots - 1)));
        return out;
    }();
    auto const heights = daily::numbers<T>(knots, 0, 1, 5);
    auto const x = daily::vector_of<T, Extent>(values), holed = daily::vector_of<T, Extent>(holes),
               beside = daily::vector_of<T, Extent>(near), same = daily::vector_of<T, Extent>(values);
    auto const xp = daily::vector_of<T, tx::dyn>(grid), fp = daily::vector_of<T, tx::dyn>(heights);
    auto const name = [&](std::string const& op) { return daily::subject<T>(op, n); };
    // What has a result of as many elements writes it where it did before.
    auto const loop = [=, out = values](auto element) {
        return [=]() mutable {
            for (std::size_t i = 0; i < size; ++i) out[i] = element(i);
            return std::span<T const>(out);
        };
    };
    compare(
        name("diff"), 1e-6, who, [=] { return tx::diff(x); }, "loop",
        [=, out = values]() mutable {
            for (std::size_t i = 0; i + 1 < size; ++i) out[i] = values[i + 1] - values[i];
            return std::span<T const>(out.data(), size - 1);
        });
    compare(
        name("interp"), 1e-5, who, [=] { return tx::interp(x, xp, fp); }, "loop", loop([=](std::size_t i) {
            auto const behind = std::upper_bound(grid.begin(), grid.end(), values[i]) - grid.begin();
            auto const at = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(behind, 1, knots - 1));
            return heights[at - 1] + (values[i] - grid[at - 1]) * (heights[at] - heights[at - 1]) / (grid[at] - grid[at - 1]);
        }));
    compare(
        name("nan_to_num"), 0, who, [=] { return tx::nan_to_num(holed); }, "loop", loop([=](std::size_t i) {
            T const v = holes[i];
            T const most = std::numeric_limits<T>::max();
            return std::isnan(v) ? T(0) : v > most ? most : v < -most ? -most : v;
        }));
    compare(
        name("roll"), 0, who, [=] { return tx::roll<5>(x); }, "std",
        [=, out = values]() mutable {
            std::rotate_copy(values.begin(), values.end() - 5, values.end(), out.begin());
            return std::span<T const>(out);
        });
    compare(
        name("nansum"), 1e-3, who, [=] { return tx::nansum(holed).item(); }, "loop",
        [holes] {
            T sum = 0;
            for (T v : holes) sum += std::isnan(v) ? T(0) : v;
            return sum;
        });
    compare(
        name("nanmean"), 1e-2, who, [=] { return tx::nanmean(holed).item(); }, "loop",
        [holes] {
            T sum = 0;
            std::int64_t count = 0;
            for (T v : holes)
                if (!std::isnan(v)) sum += v, ++count;
            return sum / static_cast<T>(count);
        });
    compare(
        name("nanmax"), 0, who, [=] { return tx::nanmax(holed).item(); }, "loop",
        [holes] {
            T most = -std::numeric_limits<T>::infinity();
            for (T v : holes) most = v > most ? v : most;
            return most;
        });
    compare(
        name("nanmin"), 0, who, [=] { return tx::nanmin(holed).item(); }, "loop",
        [holes] {
            T least = std::numeric_limits<T>::infinity();
            for (T v : holes) least = v < least ? v : least;
            return least;
        });
    compare(
        name("nanargmax"), 0, who, [=] { return tx::nanargmax(holed).item(); }, "loop",
        [holes] {
            std::size_t at = 1;
            for (std::size_t i = 2; i < holes.size(); ++i)
                if (holes[i] > holes[at]) at = i;
            return static_cast<std::int64_t>(at);
        });
    compare(
        name("isclose"), 0, who, [=] { return tx::isclose(x, beside); }, "loop",
        [=, out = std::vector<char>(size)]() mutable {
            for (std::size_t i = 0; i < size; ++i)
                out[i] = std::abs(values[i] - near[i]) <= T(1e-8) + T(1e-5) * std::abs(near[i]);
            return std::span<char const>(out);
        });
    compare(
        name("allclose"), 0, who, [=] { return tx::allclose(x, beside).item(); }, "loop",
        [=] {
            bool all = true;
            for (std::size_t i = 0; i < size; ++i) all &= std::abs(values[i] - near[i]) <= T(1e-8) + T(1e-5) * std::abs(near[i]);
            return all;
        });
    compare(
        name("array_equal"), 0, who, [=] { return tx::array_equal(x, same).item(); }, "std",
        [=, other = values] { return std::equal(values.begin(), values.end(), other.begin()); });
}

// Tables of so many elements.
template <class T> void add_tables(std::int64_t n) {
    auto const name = [&](std::string const& op) { return daily::subject<T>(op, n); };
    std::int64_t const triples = n / 3, observations = n / variables;
    auto const a = daily::numbers<T>(3 * triples, -1, 1, 1), b = daily::numbers<T>(3 * triples, -1, 1, 2);
    auto const u = tx::from_data<tx::shape<tx::dyn, 3>>(a.data(), triples, 3),
               v = tx::from_data<tx::shape<tx::dyn, 3>>(b.data(), triples, 3);
    compare(
        name("cross"), 1e-6, "eager", [=] { return tx::cross(u, v); }, "loop",
        [=, out = a]() mutable {
            for (std::size_t i = 0; i + 2 < out.size(); i += 3) {
                T const *const p = a.data() + i, *const q = b.data() + i;
                out[i] = p[1] * q[2] - p[2] * q[1], out[i + 1] = p[2] * q[0] - p[0] * q[2],
                out[i + 2] = p[0] * q[1] - p[1] * q[0];
            }
            return std::span<T const>(out);
        });
    auto const side = static_cast<std::int64_t>(std::sqrt(std::sqrt(static_cast<double>(n))));
    auto const left = daily::numbers<T>(side * side, -1, 1, 1), right = daily::numbers<T>(side * side, -1, 1, 2);
    auto const k = tx::from_data<tx::shape<tx::dyn, tx::dyn>>(left.data(), side, side),
               l = tx::from_data<tx::shape<tx::dyn, tx::dyn>>(right.data(), side, side);
    compare(
        name("kron"), 0, "eager", [=] { return tx::kron(k, l); }, "loop",
        [=, out = std::vector<T>(static_cast<std::size_t>(side * side * side * side))]() mutable {
            T* to = out.data();
            for (std::int64_t i = 0; i < side; ++i)
                for (std::int64_t p = 0; p < side; ++p)
                    for (std::int64_t j = 0; j < side; ++j)
                        for (std::int64_t q = 0; q < side; ++q)
                            *to++ = left[static_cast<std::size_t>(i * side + j)] * right[static_cast<std::size_t>(p * side + q)];
            return std::span<T const>(out);
        });
    auto const table = daily::numbers<T>(variables * observations, -1, 1, 3);
    auto const y = tx::from_data<tx::shape<tx::dyn, tx::dyn>>(table.data(), variables, observations);
    eigen_rows<T> const z = Eigen::Map<eigen_rows<T> const>(table.data(), variables, observations);
    compare(name("cov"), 1e-4, "eager", [=] { return tx::cov(y); }, "eigen", [=] { return eigen_cov<T>(z); });
    compare(
        name("corrcoef"), 1e-4, "eager", [=] { return tx::corrcoef(y); }, "eigen",
        [=] {
            eigen_rows<T> const c = eigen_cov<T>(z);
            Eigen::Matrix<T, Eigen::Dynamic, 1> const scale = c.diagonal().array().rsqrt().matrix();
            return eigen_rows<T>(scale.asDiagonal() * c * scale.asDiagonal());
        });
}
template <class T> void add_all() {
    daily::for_each_size([]<std::int64_t Extent>(std::int64_t n, char const* who) { add<T, Extent>(n, who); });
    for (std::int64_t const n : {daily::few, daily::some, daily::many}) add_tables<T>(n);
}

} // namespace

int main(int argc, char** argv) {
    return daily::run(argc, argv, []<class T>() { add_all<T>(); });
}
