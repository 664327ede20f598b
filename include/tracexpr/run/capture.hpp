// This file holds tx::capture, capture_ref and capture_copy, which wrap what a lambda captures so that its function stays static.
// A capture refers to, or owns, a tensor, a variable, a number or a tree of them, and is read at each call. While the compiler
// traces the callable, an object that is never made stands for it (run/captured_leaves.hpp), and a capture in that object is only
// a place.
#pragma once

#include <tracexpr/run/variable.hpp>

namespace tx {
namespace detail {

[[noreturn]] TRACEXPR_ONCE void throw_moved_capture() {
    throw error("tx: capture_copy: the function was moved from, and what it captured is in the other now; call that, or copy the "
                "function");
}

template <scalar_type T> captured capture_of(T const& number) {
    return {&number, [](void const* at) { return at; }, [](void const*) { return dims{}; },
            [](void const* at) { return seen_leaf(*static_cast<T const*>(at)); }};
}

// Returns leaf number K of a tree.
template <std::size_t K, class First, class... Rest> constexpr auto& leaf_among(First& first, Rest&... rest);
template <std::size_t K, class A> constexpr auto& leaf_at(A& a) {
    using plain = std::remove_const_t<A>;
    auto const among = [](auto&... part) -> auto& { return leaf_among<K>(part...); };
    if constexpr (leaf<plain>) return a;
    else if constexpr (is_tuple_like<plain>) return with_parts(a, among);
    else return with_fields(a, among);
}
template <std::size_t K, class First, class... Rest> constexpr auto& leaf_among(First& first, Rest&... rest) {
    constexpr std::size_t here = facts<std::remove_const_t<First>>.leaves;
    if constexpr (K < here) return leaf_at<K>(first);
    else return leaf_among<K - here>(rest...);
}

// tree_capture is the base of all captures. It points to its tree, which lies elsewhere, or, if the capture owns it, on the heap;
// copies of the capture then have trees of their own.
template <class A, bool Owns> class tree_capture {
    // Can the compiler trace a callable with this capture?
    static constexpr bool has_form = !facts<A>.has_open_rank && (leaf<A> || has_prototype<A>);
    using owned = std::shared_ptr<A const>; // traces that are made at run time share it, and may outlive the callable

public:
    constexpr explicit tree_capture(A const& a) requires(!Owns) : tree_{&a} {}
    constexpr explicit tree_capture(A&& a) requires(Owns) : tree_{new owned(std::make_shared<A const>(std::move(a)))} {}
    constexpr tree_capture(tree_capture const& other) {
        if (stands_in(other)) original_place_ = other.place();
        else if constexpr (!Owns) tree_ = other.tree_;
        else if (other.tree_) tree_ = new owned(std::make_shared<A const>(**other.tree_));
    }
    constexpr tree_capture(tree_capture&& other) noexcept {
        if (stands_in(other)) original_place_ = other.place();
        else if constexpr (!Owns) tree_ = other.tree_;
        else tree_ = std::exchange(other.tree_, nullptr);
    }
    tree_capture& operator=(tree_capture const&) = delete;
    constexpr ~tree_capture() {
        if constexpr (Owns)
            if (!__builtin_is_constant_evaluated()) delete tree_;
    }

    // Returns the tree in a trace, as live symbols: a leaf as it is there, any other tree as a struct of symbolic tensors.
    constexpr auto in_trace(trace_scope& scope) const {
        if constexpr (leaf<A>) {
            return leaf_in<0>(scope);
        } else {
            if (!stands_in(*this)) return keep_in(scope), live(scope, tree());
            return with_leaves([&]<std::size_t K>() { return leaf_in<K>(scope); });
        }
    }
    // Returns the tree outside of an op, where nothing leads to the trace. For the compiler it is a constant of which only the
    // place is known.
    constexpr auto value() const {
        if constexpr (scalar_type<A>) {
            return tree();
        } else if constexpr (leaf<A>) {
            using result = tensor<typename A::value_type, typename A::shape_type>;
            if (stands_in(*this)) return constant_leaf<0>(constant_trace());
            if (!__builtin_is_constant_evaluated() && innermost_trace) return result(in_trace(*innermost_trace));
            return result(as_operand(tree()));
        } else {
            if (stands_in(*this)) {
                constant_trace const constants;
                return with_leaves([&]<std::size_t K>() { return constant_leaf<K>(constants); });
            }
            if (!__builtin_is_constant_evaluated() && innermost_trace) return in_trace(*innermost_trace);
            return A(tree());
        }
    }

protected:
    constexpr bool is_place() const { return stands_in(*this); }
    constexpr A const& tree() const {
        if constexpr (Owns) {
            if (!tree_) throw_moved_capture();
            return **tree_;
        } else {
            return *tree_;
        }
    }
    // Returns leaf K of the tree, which is read at each run.
    template <std::size_t K> constexpr auto leaf_in(trace_scope& scope) const {
        using T = typename leaf_access<leaf_type<K>>::value_type;
        using Shape = typename leaf_access<leaf_type<K>>::shape_type;
        if (stands_in(*this)) return symbol<K>(scope, scope.append_capture(dtype_of<T>, dims_of<Shape>, capture_at_place<K>()));
        keep_in(scope);
        if constexpr (scalar_type<leaf_type<K>>)
            return symbol<K>(scope, __builtin_is_constant_evaluated()
                                        ? record_operand<dtype_of<T>>(scope, tree())
                                        : record_live(scope, dtype_of<T>, dims{}, capture_of(tree())));
        else return live(scope, leaf_at<K>(tree()));
    }

private:
    template <std::size_t K> using leaf_type = std::remove_cvref_t<decltype(leaf_at<K>(std::declval<A const&>()))>;
    template <std::size_t K> static auto const& from(void const* place) {
        return leaf_at<K>(static_cast<tree_capture const*>(place)->tree());
    }
    template <std::size_t K> constexpr captured capture_at_place() const {
        using reader = leaf_access<leaf_type<K>>;
        return {place(), [](void const* at) { return reader::data(from<K>(at)); },
                [](void const* at) { return reader::extents(from<K>(at)); },
                [](void const* at) { return seen_leaf(from<K>(at)); }, K + 1};
    }

    // Is the capture only a place? It is in a constant evaluation, if it lies in the object that is never made, or is a copy of
    // one that does.
    static constexpr bool stands_in(tree_capture const& a) {
        return has_form && __builtin_is_constant_evaluated() && (!a.is_readable() || a.original_place_);
    }
    constexpr bool is_readable() const { return TRACEXPR_READABLE(original_place_ == nullptr, probe_); }
    constexpr void const* place() const { return is_readable() && original_place_ ? original_place_ : this; }

    template <std::size_t K> static constexpr auto symbol(trace_scope& scope, node_id id) {
        using reader = leaf_access<leaf_type<K>>;
        if constexpr (reader::weak) return weak_expr<typename reader::value_type>(scope, id);
        else return expr<typename reader::value_type, typename reader::shape_type>(scope, id);
    }
    template <std::size_t K> constexpr auto constant_leaf([[maybe_unused]] constant_trace const& constants) const {
        using reader = leaf_access<leaf_type<K>>;
        using value = tensor<typename reader::value_type, typename reader::shape_type>;
#if TRACEXPR_TRACES_HERE
        return tensor_of_constant<value>(constants, leaf_in<K>(constants.scope()).id());
#else
        return not_a_constant_with_kernels_none<value>();
#endif
    }
    // Returns a tree in which each leaf K stands for make<K>().
    template <class Make> static constexpr A with_leaves(Make const& make) {
        A out = prototype<A>();
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (stand_for(leaf_at<K>(out), make.template operator()<K>()), ...);
        }(std::make_index_sequence<facts<A>.leaves>{});
        return out;
    }
    // A trace that is made at run time may outlive the callable, so it shares the tree.
    constexpr void keep_in([[maybe_unused]] trace_scope& scope) const {
        if constexpr (Owns)
            if (!__builtin_is_constant_evaluated() && scope.root->kept) share(*scope.root->kept);
    }
    void share(buffer<std::shared_ptr<void const>>& kept_alive) const requires(Owns) {
        for (auto const& known : kept_alive)
            if (!known.owner_before(*tree_) && !tree_->owner_before(known)) return;
        for_each_leaf(tree(), [&](auto const& part) { kept_alive.push_back(std::shared_ptr<void const>(*tree_, &part)); });
    }

    std::conditional_t<Owns, owned const*, A const*> tree_ = nullptr;
    void const* original_place_ = nullptr; // in a copy of a capture that is only a place: that place
    mutable char probe_ = 0;
};

// This captures a tensor, variable or number; it is an operand like these.
template <class A, bool Owns> class captured_operand : public tree_capture<A, Owns> {
    using reader = leaf_access<A>;
    using base = tree_capture<A, Owns>;

public:
    using base::base;
    using value_type = typename reader::value_type;
    using shape_type = typename reader::shape_type;
    static constexpr bool weak = reader::weak;

    static constexpr dims static_dims() { return dims_of<shape_type>; }
    constexpr dims dimensions() const {
        if constexpr (dims_of<shape_type>.is_static()) return dims_of<shape_type>;
        else return base::is_place() ? dims_of<shape_type> : base::tree().dimensions();
    }
    constexpr int rank() const { return checked_rank(dimensions()); }
    constexpr std::int64_t extent(int axis) const { return checked_extent(dimensions(), axis); }
    constexpr extent_list extents() const { return extent_list(checked_extents(dimensions())); }
    constexpr std::int64_t size() const { return checked_size(dimensions()); }
    constexpr operator tensor<value_type, shape_type>() const requires(!weak) { return base::value(); }
    // These members read numbers. While a callable is traced its captures have none: then they throw trace_error.
    constexpr value_type item() const {
        if constexpr (weak) {
            if (__builtin_is_constant_evaluated() || (innermost_trace && !innermost_trace->evaluate)) throw_symbolic("item");
            return static_cast<value_type>(base::tree());
        } else {
            return base::value().item();
        }
    }
    constexpr explicit operator bool() const {
        if constexpr (weak) return item() != value_type{};
        else return static_cast<bool>(base::value());
    }
    template <class... Index> constexpr value_type operator()(Index... index) const requires(!weak) {
        return base::value()(index...);
    }

    template <class B> constexpr void operator=(B const&) const {
        static_assert(always_false<B>,
                      "tx: capture: what is captured doesn't change; return its next value from the callable and "
                      "assign the result, w = f(x), or capture a tx::variable by reference, [&w]");
    }

    // Ops read a capture by these members.
    constexpr auto record(trace_scope& scope) const { return base::in_trace(scope); }
    constexpr auto read() const { return base::value(); }
    constexpr auto unrecorded() const { return base::value(); }
    constexpr trace_scope* scope() const { return base::is_place() ? nullptr : scope_of(base::tree()); }
    captured capture() const { return capture_of(base::tree()); }
    seen_value see() const { return seen_leaf(base::tree()); }
    void const* data() const { return reader::data(base::tree()); }
};
// This captures a struct; it is called, and its members are accessed, as those of the struct itself.
template <class A, bool Owns> class captured_struct : public tree_capture<A, Owns> {
    using base = tree_capture<A, Owns>;
    struct pointer {
        A tree;
        constexpr A const* operator->() const { return &tree; }
    };

public:
    using base::base;
    constexpr A operator*() const { return base::value(); }
    constexpr pointer operator->() const { return {base::value()}; }
    constexpr operator A() const { return base::value(); }

    template <class... E> constexpr auto operator()(E const&... e) const {
        if (trace_scope* const scope = symbolic_scope(e...)) return base::in_trace(*scope)(e...);
        return base::value()(e...);
    }
};
// This captures a pair. It is no std::pair, because g++ copies that one's empty base as if the copy read something.
template <class A, class B> struct captured_pair {
    A first;
    B second;
};
// This captures something that has no value.
template <class A> struct captured_stateless : A {
    constexpr captured_stateless() : A(prototype<A>()) {}
    constexpr captured_stateless(captured_stateless const&) : captured_stateless() {}
    captured_stateless& operator=(captured_stateless const&) = delete;
};

template <class A> inline constexpr bool is_capture = false;
template <class A, bool Owns> inline constexpr bool is_capture<captured_operand<A, Owns>> = true;
template <class A, bool Owns> inline constexpr bool is_capture<captured_struct<A, Owns>> = true;
template <class A> inline constexpr bool is_capture<captured_stateless<A>> = true;

template <class A> constexpr bool check_captured() {
    constexpr bool is_known = facts<A>.is_tree && facts<A>.leaves > 0 && !facts<A>.has_foreign && !is_key<A>;
    static_assert(is_known, "tx: capture: takes tensors, variables, C++ numbers, and structs, tuples, pairs and arrays of them; "
                            "make another library's array a tensor first");
    if constexpr (!is_known) {
        return false;
    } else {
        constexpr bool is_list = facts<A>.has_lists;
        static_assert(!is_list,
                      "tx: capture: a vector, map or optional can't be captured, because only the run tells how many parts "
                      "it has; bind it: tx::function{f}.bind(v), or pass it as an argument");
        constexpr bool is_live = is_list || !facts<A>.has_values;
        static_assert(is_live, "tx: capture: what is captured is read at each call, and a number in a struct can't be; make it a "
                               "tx::tensor<float, tx::shape<>>");
        return is_live && !is_list;
    }
}

} // namespace detail

template <class A, bool Owns> inline constexpr bool is_variable<detail::captured_operand<A, Owns>> = true;
template <class A, bool Owns> inline constexpr bool is_captured<detail::captured_operand<A, Owns>> = true;

namespace detail {
// by_kind: lvalues are referred to, rvalues are owned.
enum class capture_as { by_kind, reference, copy };
template <capture_as How, class A> constexpr auto captured_from(A&& a) {
    using plain = std::remove_cvref_t<A>;
    if constexpr (expr_type<plain> || is_failed<plain> || is_capture<plain>) {
        return plain(a);
    } else if constexpr (is_tuple_like<plain>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (requires { typename plain::iterator; })
                return std::array{captured_from<How>(std::get<I>(std::forward<A>(a)))...};
            else if constexpr (requires { a.first; })
                return captured_pair<decltype(captured_from<How>(std::get<I>(std::forward<A>(a))))...>{
                    captured_from<How>(std::get<I>(std::forward<A>(a)))...};
            else
                return std::tuple<decltype(captured_from<How>(std::get<I>(std::forward<A>(a))))...>{
                    captured_from<How>(std::get<I>(std::forward<A>(a)))...};
        }(std::make_index_sequence<std::tuple_size_v<plain>>{});
    } else if constexpr (is_trace_value<plain>) {
        return plain(std::forward<A>(a));
    } else if constexpr (is_stateless<plain> && has_prototype<plain>) {
        return captured_stateless<plain>{};
    } else if constexpr (!check_captured<plain>()) {
        return failed{};
    } else {
        constexpr bool is_lvalue = std::is_lvalue_reference_v<A>, owns = How == capture_as::copy || !is_lvalue;
        constexpr bool outlives = How != capture_as::reference || is_lvalue;
        static_assert(outlives, "tx: capture_ref: refers to what must outlive the function, and a temporary does not: "
                                "tx::capture_copy owns what it is given");
        using result = std::conditional_t<leaf<plain>, captured_operand<plain, owns>, captured_struct<plain, owns>>;
        if constexpr (!outlives) return failed{};
        else if constexpr (owns) return result(plain(std::forward<A>(a)));
        else return result(a);
    }
}
// Does capture() of an lvalue refer to it? Of expressions, captures and types without a value it makes a copy.
template <class A> concept is_referred_to = !expr_type<A> && !is_trace_value<std::remove_cv_t<A>> && !is_failed<A> &&
                                            !is_capture<std::remove_cv_t<A>> &&
                                            !(is_stateless<std::remove_cv_t<A>> && has_prototype<std::remove_cv_t<A>>);
} // namespace detail

// Captures for a lambda, [w = tx::capture_ref(w)], tensors, variables, numbers and trees of them by reference, so that the
// function stays static and reads them at each call. They must outlive the function and its copies; a temporary doesn't compile.
// Each part of a tuple, pair or array is captured by itself; of a tuple that std::tie made, what it refers to is captured.
template <class A> requires detail::is_referred_to<A> [[nodiscard]] constexpr auto capture_ref(A& a TRACEXPR_LIFETIMEBOUND) {
    return detail::captured_from<detail::capture_as::reference>(a);
}
template <class A> [[nodiscard]] constexpr auto capture_ref(A&& a) {
    return detail::captured_from<detail::capture_as::reference>(std::forward<A>(a));
}
// Captures a copy, [w = tx::capture_copy(w)], so that the function may outlive w and sees no later change of it. Copies of the
// function have copies of their own. (What is captured already stays as it is, and still refers if it did.)
template <class A> [[nodiscard]] constexpr auto capture_copy(A&& a) {
    return detail::captured_from<detail::capture_as::copy>(std::forward<A>(a));
}
// Captures an lvalue as capture_ref does, although it looks like a copy; a temporary, as in tx::capture(std::move(w)), is owned.
template <class A> requires detail::is_referred_to<A> [[nodiscard]] constexpr auto capture(A& a TRACEXPR_LIFETIMEBOUND) {
    return detail::captured_from<detail::capture_as::by_kind>(a);
}
template <class A> [[nodiscard]] constexpr auto capture(A&& a) {
    return detail::captured_from<detail::capture_as::by_kind>(std::forward<A>(a));
}

} // namespace tx
