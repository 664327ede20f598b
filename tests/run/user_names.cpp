// Callables and structs in a namespace that has functions of its own under the library's names: argument-dependent lookup must
// not take those. Each would be a better match than the library's, and is deleted.
#include <tracexpr/files.hpp>
#include <tracexpr/optim.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <tuple>

#define NAMES_OF_FUNCTIONS(X)                                                                                                    \
    X(abs)                                                                                                                       \
    X(access)                                                                                                                    \
    X(add) X(append_graph) X(apply) X(begin) X(borrow) X(call) X(call_in_trace) X(cast) X(clip) X(concat) X(copy) X(data)        \
        X(dims_from) X(dtype) X(end) X(equal) X(exp) X(expr_of) X(fields) X(find) X(flatten) X(for_each_leaf) X(for_each_listed) \
            X(for_each_output) X(for_each_result) X(get) X(graph) X(held) X(info) X(init) X(kept) X(kernel) X(leaf_access)       \
                X(lift) X(load) X(log) X(lowering) X(make) X(map) X(map_leaves) X(map_parts) X(map_to_tree) X(matmul) X(max)     \
                    X(min) X(name) X(node) X(parts) X(plain_operand) X(plan) X(print) X(record) X(record_operand)                \
                        X(record_outputs) X(record_results_and_form) X(reshape) X(result) X(run) X(save) X(scan) X(scope_among)  \
                            X(shape) X(shape_of) X(simplify) X(size) X(sqrt) X(square) X(state) X(step) X(sum) X(swap)           \
                                X(symbolic) X(take) X(tanh) X(trace_into) X(trace_now) X(traced) X(traced_for) X(transpose)      \
                                    X(tree_map) X(unflatten) X(update) X(value) X(verify) X(where) X(with_callee) X(with_fields) \
                                        X(with_parts) X(zeros)

namespace user {

#define DELETED(name) template <class... A> void name(A&&...) = delete;
NAMES_OF_FUNCTIONS(DELETED)

struct squares {
    template <class X> constexpr auto operator()(X const& x) const { return tx::sum(x * x); }
};
struct twice {
    template <class X> constexpr auto operator()(X const& x) const { return x * 2.0f; }
};
struct below_100 {
    template <class X> constexpr auto operator()(X const& x) const { return tx::sum(x) < 100.0f; }
};
struct counted {
    template <class I, class X> constexpr auto operator()(I const&, X const& x) const { return x * 2.0f; }
};
struct running_sum {
    template <class S, class X> constexpr auto operator()(S const& s, X const& x) const { return std::pair(s + x, s * x); }
};
struct weights {
    tx::tensor<float, tx::shape<3>> w{1, 2, 3};
    float rate = 0.5f;
};
struct loss {
    template <class P, class X> constexpr auto operator()(P const& p, X const& x) const { return tx::sum(p.w * x * x); }
};

} // namespace user

using vec = tx::tensor<float, tx::shape<3>>;

TEST_CASE("names: functions of a user's namespace are not taken for the library's") {
    vec const x{1, 2, 3};
    CHECK(tx::function{user::squares{}}(x).item() == 14);
    CHECK(tx::equal(tx::grad(user::squares{})(x), vec{2, 4, 6}));
    CHECK(std::get<0>(tx::value_and_grad(user::squares{})(x)).item() == 14);
    CHECK(tx::hessian(user::squares{})(x)(1, 1) == 2);
    CHECK(tx::jacrev(user::twice{})(x)(2, 2) == 2);
    CHECK(tx::jacfwd(user::twice{})(x)(2, 1) == 0);
    CHECK(tx::equal(tx::vmap(user::twice{})(x), vec{2, 4, 6}));
    CHECK(tx::equal(tx::on(tx::cpu{}, user::twice{})(x), vec{2, 4, 6}));
    CHECK(tx::equal(tx::function{tx::checkpoint(user::twice{})}(x), vec{2, 4, 6}));
    tx::function loops{[](auto const& y) { return tx::while_loop(user::below_100{}, user::twice{}, y); }};
    CHECK(tx::equal(loops(x), vec{32, 64, 96}));
    tx::function counts{[](auto const& y) { return tx::fori_loop(0, 3, user::counted{}, y); }};
    CHECK(tx::equal(counts(x), vec{8, 16, 24}));
    tx::function scans{[](auto const& y) { return tx::scan(user::running_sum{}, tx::sum(y), y); }};
    CHECK(std::get<0>(scans(x)).item() == 12);
    tx::function opaque{[](auto const& y) { return tx::opaque<tx::spec<float, tx::shape<3>>>(user::twice{}, y); }};
    CHECK(tx::equal(opaque(x), vec{2, 4, 6}));
    tx::check_gradients(user::squares{}, x);
}

TEST_CASE("names: nor are they for its structs") {
    vec const x{1, 2, 3};
    user::weights p;
    tx::function step{[](auto const& q, auto const& y) { return tx::value_and_grad(user::loss{})(q, y); }};
    auto const [value, gradients] = step(p, x);
    CHECK(value.item() == 36);
    CHECK(tx::equal(gradients.w, vec{1, 4, 9}));
    auto const adam = tx::optim::adam({.learning_rate = 1e-3});
    auto const state = adam.init(p);
    CHECK(std::get<0>(adam.update(gradients, state, p)).w(0) < 1);
    auto const sgd = tx::optim::sgd({.learning_rate = 1e-3});
    CHECK(std::get<0>(sgd.update(gradients, sgd.init(p), p)).w(0) < 1);
    char const* const file = "user_names.npz";
    tx::save(file, p);
    user::weights other{{0, 0, 0}};
    tx::load(file, other);
    std::remove(file);
    CHECK(tx::equal(other.w, p.w));
    tx::function captured{[p](auto const& y) { return user::loss{}(p, y); }};
    CHECK(captured(x).item() == 36);
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = user::loss{}(p, x);
    CHECK(tx::equal(tape.gradient(y, x), vec{2, 8, 18}));
}
