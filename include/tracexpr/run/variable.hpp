// This file holds tx::variable: a tensor that changes, with an identity of its own. Gradient tapes watch trainable variables when
// they are read.
#pragma once

#include <tracexpr/base/equal.hpp>
#include <tracexpr/base/print.hpp>
#include <tracexpr/run/function.hpp>

#include <string_view>

namespace tx {

// The options of a variable. If it is trainable tapes watch it by themselves; the name is for people.
struct variable_options {
    bool trainable = true;
    std::string_view name{}; // not copied: a literal, or a text that outlives the variable
};

namespace detail {

[[noreturn]] TRACEXPR_ONCE void throw_other_extents(dims const& expected, dims const& given) {
    throw shape_error("tx: variable: assign: the value must have the variable's shape " + to_string(expected) + "; given " +
                      to_string(given));
}

// variable_number distinguishes a variable from others. It is given at first use, because the compiler makes variables at
// namespace scope. A copy is a variable of its own; until it is assigned to it remembers which one it is a copy of, because a
// tuple of variables holds copies of the variables that are meant. A move takes the number along.
class variable_number {
public:
    constexpr variable_number() = default;
    constexpr variable_number(variable_number const& other) : origin_{__builtin_is_constant_evaluated() ? 0 : other.get()} {}
    constexpr variable_number(variable_number&& other) noexcept {
        if (!__builtin_is_constant_evaluated()) *this = std::move(other); // g++ reads no mutable member there
    }
    constexpr variable_number& operator=(variable_number const&) = delete;
    constexpr variable_number& operator=(variable_number&& other) noexcept {
        value_ = std::exchange(other.value_, 0), origin_ = std::exchange(other.origin_, moved_away);
        return *this;
    }
    // Does a move assignment from `other` move a variable here? It does if the other one is known by its number, or if this one
    // was moved away. Else its value is assigned, as the result of a call is.
    constexpr bool is_replaced_by(variable_number const& other) const { return other.value_ != 0 || origin_ == moved_away; }
    constexpr ~variable_number() = default;
    constexpr void forget_origin() { origin_ = 0; }
    std::uint64_t origin() const { return origin_ == moved_away ? 0 : origin_; }
    std::uint64_t get() const {
        static constinit std::atomic<std::uint64_t> last{0};
        std::atomic_ref const number(value_);
        std::uint64_t known = number.load(std::memory_order_relaxed);
        if (known) return known;
        std::uint64_t const fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
        return number.compare_exchange_strong(known, fresh, std::memory_order_relaxed) ? fresh : known;
    }

private:
    static constexpr std::uint64_t moved_away = static_cast<std::uint64_t>(-1);
    mutable std::uint64_t value_ = 0;
    std::uint64_t origin_ = 0;
};

} // namespace detail

// A variable is a tensor that changes; it is usable wherever a tensor is. A traced callable that mentions one reads it at each
// run, so it must outlive the function. A copy is another variable, which has the present value; a copy that is made while a
// callable is traced is part of that trace.
template <element T, shape_type Shape = any_shape> class variable : public detail::any_variable {
public:
    using value_type = T;
    using shape_type = Shape;
    using tensor_type = tensor<T, Shape>;

    constexpr variable() = default;
    constexpr explicit(false) variable(tensor_type initial, variable_options options = {})
        : value_(started(std::move(initial))), options_{options} {}
    constexpr variable(variable const& other) : value_(other.copied()), options_{other.options_}, number_{other.number_} {}
    // Moves the variable to another place; while a callable is traced it is copied.
    constexpr variable(variable&& other) noexcept
        : value_(other.moved()), options_{other.options_}, number_{other.moved_number()} {}
    constexpr variable& operator=(variable const& other) {
        if (is_traced()) return assign(other.copied());
        return assign(other.value_);
    }
    // Moves the variable to another place if a tape or a call of number() knows it, as in std::swap; else assigns its value.
    constexpr variable& operator=(variable&& other) {
        if (is_traced()) return assign(other.copied());
        if (!number_.is_replaced_by(other.number_)) return assign(other.value_);
        value_ = std::move(other.value_), options_ = other.options_, number_ = std::move(other.number_);
        return *this;
    }
    constexpr variable& operator=(tensor_type const& value) { return assign(value); }
    constexpr ~variable() = default;

    constexpr bool trainable() const { return options_.trainable; }
    constexpr std::string_view name() const { return options_.name; }
    // Returns what distinguishes it from all other variables; see gradient_tape::watched_variables.
    std::uint64_t number() const { return number_.get(); }
    // Returns the number of the variable that it is a copy of, until it is assigned to; else 0.
    std::uint64_t origin() const { return number_.origin(); }

    // Returns the present value, which later assignments don't change. To a tape that records it this is the variable, else it is
    // a constant. While a callable is traced it is the value at each run.
    constexpr tensor_type value() const {
        if (!__builtin_is_constant_evaluated() && detail::innermost_trace) return record(*detail::innermost_trace);
        tensor_type out = read();
        if (!__builtin_is_constant_evaluated() && !detail::innermost_recorder) detail::tensor_access::identity(out).renumber(0);
        return out;
    }
    constexpr operator tensor_type() const { return value(); }

    // Assigns a value; nothing else changes a variable. To tapes what is read later is a source of its own. While a callable is
    // traced the assignment happens at each run, when all else is done; what the callable reads later is this value, through
    // which derivatives pass.
    constexpr variable& assign(tensor_type const& value) {
        if (trace_scope* const scope = scope_of_assignment(value))
            return assign_node(*scope, detail::record_operand<dtype_of<T>>(*scope, value)), *this;
        require_extents(value.dimensions());
        value_ = value;
        number_.forget_origin();
        if (!__builtin_is_constant_evaluated()) detail::tensor_access::identity(value_).renumber(0);
        return *this;
    }
    template <operand A> TRACEXPR_NAMES_TARGET constexpr variable& assign_add(A const& more) {
        return assign(tensor_type(*this + more));
    }
    template <operand A> TRACEXPR_NAMES_TARGET constexpr variable& assign_sub(A const& less) {
        return assign(tensor_type(*this - less));
    }

    // A function that returns a struct of variables writes here; the result is a variable of its own.
    constexpr tensor_type& as_output() {
        number_.forget_origin();
        return value_;
    }
    constexpr tensor_type const& as_output() const { return value_; }
    // Makes a copy that a callable sees while it is traced stand for a symbol.
    constexpr void stand_for(tensor_type const& symbol) {
        value_ = symbol;
        number_.forget_origin();
    }

    static constexpr dims static_dims() { return dims_of<Shape>; }
    constexpr dims dimensions() const { return value_.dimensions(); }
    constexpr int rank() const { return value_.rank(); }
    constexpr std::int64_t extent(int axis) const { return value_.extent(axis); }
    constexpr extent_list extents() const { return value_.extents(); }
    constexpr std::int64_t size() const { return value_.size(); }
    constexpr T const* data() const { return value_.data(); }
    // These members read numbers. While a callable is traced a variable has none: then they throw trace_error.
    constexpr T item() const { return runs_eagerly() ? value().item() : readable_now("item").item(); }
    constexpr explicit operator bool() const { return static_cast<bool>(numbers("if")); }
    template <class... Index> constexpr T operator()(Index... index) const {
        return runs_eagerly() ? value()(index...) : readable_now("variable")(index...);
    }
    // Returns the present value for a function of that name that looks at its numbers.
    constexpr tensor_type numbers(char const* function) const { return runs_eagerly() ? value() : readable_now(function); }
    constexpr bool readable() const { return value_.readable(); }

    // Returns the value, and shows the read to the tapes of this thread.
    constexpr tensor_type const& read() const {
        if (!__builtin_is_constant_evaluated() && detail::innermost_recorder && !detail::tensor_access::is_symbolic(value_))
            show();
        return value_;
    }
    constexpr tensor_type const& unrecorded() const { return value_; }
    void watch_in(detail::recorder& r) const { watch_in(r, number()); }
    void watch_in(detail::recorder& r, std::uint64_t number) const {
        r.watch(kept_now(), number, options_.trainable, options_.name);
    }
    // Lets a tape watch the variable if it does so by itself.
    void watch_if_accessed(detail::recorder& r) const {
        if (r.find_variable(number()) || (options_.trainable && r.watches_variables())) watch_in(r);
    }
    // Returns the value in a trace.
    constexpr auto record(trace_scope& scope) const { return expr<T, Shape>(scope, node_in(scope)); }
    constexpr captured capture() const {
        return {static_cast<void const*>(this),
                [](void const* v) -> void const* {
                    return detail::tensor_access::argument_data(static_cast<variable const*>(v)->value_);
                },
                [](void const* v) { return static_cast<variable const*>(v)->value_.dimensions(); },
                [](void const* v) { return detail::seen(static_cast<variable const*>(v)->read()); },
                0,
                &detail::access_to<variable>::table};
    }

private:
    friend struct detail::access_to<variable>;

    // Returns the trace that an assignment belongs to; null if it is done now.
    constexpr trace_scope* scope_of_assignment(tensor_type const& value) const {
        using reader = detail::tensor_access;
        if (__builtin_is_constant_evaluated()) {
            trace_scope* const scope = detail::scope_of(value);
            return scope || !readable() ? scope : detail::scope_of(value_);
        }
        if (!reader::is_symbolic(value)) return detail::innermost_trace;
        detail::require_live(reader::symbol_owner(value), reader::identity(value).number());
        return static_cast<trace_scope*>(reader::symbol_owner(value))->root->innermost;
    }
    constexpr void assign_node(trace_scope& scope, node_id id) {
        if (holds_symbol() && &home_in(scope) == &scope) return stand_for(expr<T, Shape>(scope, id));
        if (scope.loop_variables) node_in(scope); // a loop's own value
        scope.assign(*this, capture(), id);
    }
    // Returns the scope that such a value is from. In a constant evaluation the value may be a constant.
    constexpr trace_scope& home_in(trace_scope& scope) const {
        trace_scope* const home = owner(value_);
        return home ? *home : *scope.root;
    }
    // Returns the scope that a symbol is from; null if the value is no symbol.
    static constexpr trace_scope* owner(tensor_type const& value) {
        using reader = detail::tensor_access;
        if (!value.readable() || reader::constant(value) || !reader::is_symbolic(value)) return nullptr;
        if (!__builtin_is_constant_evaluated())
            detail::require_live(reader::symbol_owner(value), reader::identity(value).number());
        return static_cast<trace_scope*>(reader::symbol_owner(value));
    }
    // Is the value part of a trace?
    constexpr bool holds_symbol() const {
        return __builtin_is_constant_evaluated() ? readable() : detail::tensor_access::is_symbolic(value_);
    }
    constexpr void require_extents(dims const& given) const {
        if (dims_of<Shape>.rank >= 0 && given != value_.dimensions() && value_.size() > 0)
            detail::throw_other_extents(value_.dimensions(), given);
    }
    // Allocates memory for another value; it is kept for the value after that.
    void* prepare(dims const& extents) {
        require_extents(extents);
        if constexpr (!detail::is_inline<T, Shape>) {
            using reader = detail::tensor_access;
            if (!reader::is_plain(next_) || !reader::is_exclusive(next_) || !reader::own_data(next_) ||
                next_.dimensions() != extents)
                next_ = tensor_type::uninitialized(extents);
        }
        return detail::tensor_access::overwritten(next_);
    }
    static constexpr bool is_inside = detail::is_inline<T, Shape>;
    void prepare_remote(detail::remote_elements* next, dims const& extents) {
        next_ = detail::tensor_access::from_remote<tensor_type>(next, extents);
        require_extents(extents);
    }
    void take_next() {
        std::swap(value_, next_);
        detail::remote_elements const* const before = detail::tensor_access::remote(next_);
        if (before && before->is_here) next_ = tensor_type(); // they go back to whoever lent them
        number_.forget_origin();
        detail::tensor_access::identity(value_).renumber(0);
    }
    // A variable that a callable makes while it is traced is a value of the trace's innermost region.
    static constexpr tensor_type started(tensor_type initial) {
        trace_scope* const home = owner(initial);
        if (home == innermost(home)) return initial;
        return detail::to_symbolic(detail::lift(*innermost(home), initial));
    }
    constexpr tensor_type moved() {
        if (is_traced()) return copied();
        return std::move(value_);
    }
    constexpr detail::variable_number moved_number() {
        if (is_traced()) return detail::variable_number(number_);
        return std::move(number_);
    }
    constexpr tensor_type copied() const {
        trace_scope* const scope = innermost(owner(value_));
        return scope ? tensor_type(record(*scope)) : value_;
    }
    // Returns the region that is being recorded, for a value from that scope; null if there is none.
    static constexpr trace_scope* innermost(trace_scope const* home) {
        if (home) return home->root->innermost;
        return __builtin_is_constant_evaluated() ? nullptr : detail::innermost_trace;
    }
    // Is a callable being traced, so that a variable's value is that of each run?
    static constexpr bool is_traced() {
        return !__builtin_is_constant_evaluated() && detail::innermost_trace && !detail::innermost_trace->evaluate;
    }
    static constexpr bool runs_eagerly() {
        return !__builtin_is_constant_evaluated() && detail::innermost_trace && detail::innermost_trace->evaluate;
    }
    constexpr tensor_type const& readable_now(char const* function) const {
        if (is_traced()) detail::throw_symbolic(function);
        return value_;
    }
    [[gnu::cold]] TRACEXPR_NOINLINE void show() const {
        for (detail::recorder* r = detail::first_recorder(); r; r = r->outer())
            if (r->is_listening()) watch_if_accessed(*r);
    }
    detail::kept_value kept_now() const {
        detail::tensor_access::identity(value_).number_or(detail::fresh_number());
        return detail::kept(value_);
    }
    constexpr node_id node_in(trace_scope& scope) const {
        if (holds_symbol()) {
            return scope.value_of(this, &home_in(scope),
                                  [this](trace_scope& home) { return detail::record_tensor(home, value_); });
        }
        if (!__builtin_is_constant_evaluated() && scope.leaf) return detail::record_tensor(scope, read());
        if (__builtin_is_constant_evaluated()) detail::require_rank(dims_of<Shape>);
        dims const known = dims_of<Shape>.rank < 0 ? dimensions() : dims_of<Shape>;
        return scope.append_capture(dtype_of<T>, known, capture());
    }

    tensor_type value_{};
    tensor_type next_{}; // memory for the next value that a function stores
    variable_options options_{};
    [[no_unique_address]] detail::variable_number number_{};
};
template <class T, class Shape> variable(tensor<T, Shape>) -> variable<T, Shape>;
template <class T, class Shape> variable(tensor<T, Shape>, variable_options) -> variable<T, Shape>;

template <class T, class Shape> inline constexpr bool is_variable<variable<T, Shape>> = true;

// These compare the present values of variables, as equal does with tensors.
template <class T, class A, class U, class B> requires detail::comparable<T, U>
[[nodiscard]] constexpr bool equal(variable<T, A> const& a, tensor<U, B> const& b) {
    return equal(a.numbers("equal"), b);
}
template <class T, class A, class U, class B> requires detail::comparable<T, U>
[[nodiscard]] constexpr bool equal(tensor<T, A> const& a, variable<U, B> const& b) {
    return equal(a, b.numbers("equal"));
}
template <class T, class A, class U, class B> requires detail::comparable<T, U>
[[nodiscard]] constexpr bool equal(variable<T, A> const& a, variable<U, B> const& b) {
    return equal(a.numbers("equal"), b.numbers("equal"));
}

template <class T, class Shape> std::ostream& operator<<(std::ostream& out, variable<T, Shape> const& v) {
    return out << v.unrecorded();
}

} // namespace tx
