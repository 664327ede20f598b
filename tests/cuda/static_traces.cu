// What the compiler traces, it traces in each of nvcc's passes: the front end that makes device code and the host's compiler, which
// launches it, find the same callables static. (Where one doesn't, the program lacks the kernels that the other names.)
#include <tracexpr/tracexpr.hpp>

namespace {

template <std::int64_t... E> using floats = tx::tensor<float, tx::shape<E...>>;
template <class F, class... A> inline constexpr bool is_static = tx::detail::statically_traceable<std::remove_const_t<F>, A...>;

using row = floats<4>;
using square = floats<4, 4>;
using rows = floats<tx::dyn, 4>;
using number = floats<>;

// Of a vector, one number and several.
constexpr auto energy = [](auto x) { return tx::sum(tx::exp(x) * x) + tx::max(x); };
constexpr auto mapped = [](auto x) { return tx::tanh(x) * tx::sum(x); };
constexpr auto differences = [](auto x) { return tx::slice(x, tx::range<1, 4>) - tx::slice(x, tx::range<0, 3>); };
// With derivatives of its own.
constexpr auto cubed = tx::custom_gradient([](auto const& a) { return a * a * a; }, [](auto const& a, auto const& g) { return 10.0f * g * a; });
constexpr auto pushed = tx::custom_jvp([](auto const& a) { return tx::sum(a * a); }, [](auto const& a, auto const& t) { return std::pair(tx::sum(a * a), tx::sum(7.0f * a * t)); });
// With regions.
constexpr auto chosen = [](auto x) { return tx::cond(tx::sum(x) > 0.0f, [](auto a) { return a * 2.0f; }, [](auto a) { return -a; }, x); };
constexpr auto doubled = [](auto x) { return tx::while_loop([](auto a) { return tx::sum(a) < 10.0f; }, [](auto a) { return a * 2.0f; }, x); };
constexpr auto counted = [](auto x) { return tx::fori_loop(0, 3, [](auto, auto s) { return s * 2.0f + 1.0f; }, x); };
constexpr auto summed = [](auto x) { return tx::scan([](auto s, auto v) { return std::pair(s + v, s * v); }, tx::sum(x) * 0.0f, x).second; };
constexpr auto kept = [](auto x) { return tx::sum(tx::checkpoint([](auto a) { return tx::sin(tx::exp(a)); })(x)); };
// How far a target is, and in which direction, of where it is; and the energy of a spring.
constexpr auto sighted = [](auto p) {
    auto const x = tx::slice(p, tx::at<0>), y = tx::slice(p, tx::at<1>);
    return tx::stack(tx::axis<0>, tx::sqrt(x * x + y * y), y / x);
};
constexpr auto stretched = [](auto p) {
    auto const d = tx::slice(p, tx::range<0, 2>) - tx::slice(p, tx::range<2, 4>);
    auto const longer = tx::sqrt(tx::sum(d * d)) - 1;
    return 0.5f * longer * longer;
};
// Calls.
constexpr auto solved = [](auto a) { return tx::sum(tx::linalg::solve(a, a + 1.0f)) + tx::linalg::det(a); };
constexpr auto sorted = [](auto x) { return tx::sort(x) + tx::cumsum(x); };

// f itself, for each of many, its derivatives, and these for each of many.
template <class F> constexpr bool is_static_with_derivatives(F const&) {
    return is_static<F, row> && is_static<decltype(tx::jvp(F{})), row, row> && is_static<decltype(tx::jacfwd(F{})), row> && is_static<decltype(tx::jacrev(F{})), row> &&
           is_static<decltype(tx::vmap(F{})), rows> && is_static<decltype(tx::vmap(tx::jacfwd(F{}))), rows> && is_static<decltype(tx::vmap(tx::jacrev(F{}))), rows> &&
           is_static<decltype(tx::jacfwd(tx::vmap(F{}))), floats<3, 4>>;
}

} // namespace

static_assert(is_static_with_derivatives(mapped));
static_assert(is_static_with_derivatives(differences));
static_assert(is_static_with_derivatives(cubed));
static_assert(is_static_with_derivatives(pushed));
static_assert(is_static_with_derivatives(chosen));
static_assert(is_static_with_derivatives(counted));
static_assert(is_static_with_derivatives(summed));
static_assert(is_static_with_derivatives(sorted));
static_assert(is_static<decltype(doubled), row> && is_static<decltype(tx::vmap(doubled)), rows> && is_static<decltype(tx::jacfwd(doubled)), row>);

static_assert(is_static<decltype(tx::grad(energy)), row> && is_static<decltype(tx::vmap(tx::grad(energy))), rows>);
static_assert(is_static<decltype(tx::hessian(energy)), row> && is_static<decltype(tx::vmap(tx::hessian(energy))), rows>);
static_assert(is_static<decltype(tx::hvp(energy)), row, row>);
static_assert(is_static<decltype(tx::grad(kept)), row> && is_static<decltype(tx::vmap(tx::grad(kept))), rows> && is_static<decltype(tx::hessian(kept)), row>);
static_assert(is_static<decltype(tx::grad(solved)), square> && is_static<decltype(tx::vmap(tx::grad(solved))), floats<3, 4, 4>>);
static_assert(is_static_with_derivatives(sighted));
static_assert(is_static<decltype(tx::vmap(tx::hessian(stretched))), rows> && is_static<decltype(tx::vmap(tx::hessian(stretched))), floats<64, 4>>);
