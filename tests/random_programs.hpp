// This file makes random programs: statements over a few tensors of one type and two variables, with branches, loops, draws,
// opaque callables and effects, each nested in the others. One interpreter runs them on exprs or on tensors.
#pragma once

#include <tracexpr/tracexpr.hpp>
#include <random_graph_builder.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tx::testing {

// What a program's opaque callables and effects have seen, in order.
inline std::vector<double>& seen() {
    thread_local std::vector<double> all;
    return all;
}

// The number of calls until one throws; negative where none does.
inline int& until_throw() {
    thread_local int count = -1;
    return count;
}
inline void see(double x) {
    if (until_throw() >= 0 && until_throw()-- == 0) throw std::domain_error("a call of the program's");
    seen().push_back(x);
}

enum class statement : std::uint8_t {
    mix, // pointwise
    wave,
    larger,
    moved,
    running, // sums
    read,    // of a variable
    assign,
    accumulate,
    dropout,
    draw,
    stateless,
    opaque,
    log,
    branch,
    choice,
    counted,
    until,
    scanned,
};
struct instruction {
    statement what;
    std::uint8_t a, b, to; // registers
    std::uint8_t number;   // of a variable, a count
    std::uint8_t block;  // of several blocks the first
};
struct program_options {
    bool draws = true;  // draws have no operands, so the compiler can't see them
    bool calls_in_blocks = true;  // calls of opaque callables, which have no derivative in blocks
    int most = 8;  // the number of statements in a block
};

inline constexpr std::size_t register_count = 4, variable_count = 2, block_limit = 24;

class random_program {
public:
    constexpr random_program(std::uint64_t seed, program_options const& options) : bits_{seed}, options_{options} {
        add_block(0);
    }

    struct block {
        instruction code[10]{};
        int size = 0;
    };
    constexpr block const& operator[](std::size_t number) const { return blocks_[number]; }

private:
    constexpr std::uint8_t below(std::size_t count) {
        return static_cast<std::uint8_t>(bits_.below(static_cast<std::int64_t>(count)));
    }
    constexpr std::uint8_t add_block(int depth) {
        std::size_t const own = count_++;
        int const size = depth ? 1 + bits_.index(3) : 2 + bits_.index(options_.most - 1);
        for (int k = 0; k < size; ++k) {
            instruction const next = random_instruction(depth);
            blocks_[own].code[blocks_[own].size++] = next;
        }
        return static_cast<std::uint8_t>(own);
    }
    constexpr instruction random_instruction(int depth) {
        using enum statement;
        statement what = static_cast<statement>(below(static_cast<std::size_t>(scanned) + 1));
        if (what == draw && !options_.draws) what = dropout;
        if ((what == opaque || what == log) && depth > 0 && !options_.calls_in_blocks) what = mix;
        instruction out{what, below(register_count), below(register_count), below(register_count), below(4), 0};
        int const blocks = what < branch ? 0 : what == branch ? 2 : what == choice ? 3 : 1;
        if (depth > 1 || count_ + static_cast<std::size_t>(blocks) + 3 > block_limit) {
            if (blocks) out.what = wave;
            return out;
        }
        if (blocks) out.block = add_block(depth + 1);
        // The other blocks follow from the first through their own numbers.
        for (int k = 1; k < blocks; ++k) next_[k == 1 ? out.block : next_[out.block]] = add_block(depth + 1);
        return out;
    }

    random_bits bits_;
    program_options options_;
    block blocks_[block_limit + 8]{};
    std::uint8_t next_[block_limit + 8]{};
    std::size_t count_ = 0;

public:
    constexpr std::uint8_t after(std::uint8_t number) const { return next_[number]; }
};

// Runs a program on registers of type E.
template <class Shape, class Variables> class interpreter {
public:
    using own_tensor = tensor<double, Shape>;

    constexpr interpreter(random_program const& p, Variables& variables) : p_{p}, variables_{variables} {}

    template <class E> constexpr E run(E const& x, E const& y) const {
        std::array<E, register_count> r{x, y, tx::sin(x + 0.25), tx::cos(y * 0.5)};
        run_block(r, 0);
        return r[0] + 0.5 * r[1] - r[2] * r[3];
    }

private:
    template <class E> constexpr void run_block(std::array<E, register_count>& r, std::uint8_t number) const {
        random_program::block const& b = p_[number];
        for (int k = 0; k < b.size; ++k) r[b.code[k].to] = result_of(r, b.code[k]);
    }
    // Runs a block on registers of its own, of the type of what it is given: loops trace their bodies also where they are called
    // on tensors.
    template <class E, class X> constexpr X inside(std::array<E, register_count> const& around, X const& given,
                                                   instruction const& i, std::uint8_t number) const {
        auto const own = [&](std::size_t k) -> X {
            if constexpr (std::is_same_v<E, X>) return around[k];
            else return given * 0.0 + around[k];
        };
        std::array<X, register_count> r{own(0), own(1), own(2), own(3)};
        r[i.a] = given;
        run_block(r, number);
        return tx::tanh(r[i.to]);
    }
    template <class E> constexpr E result_of(std::array<E, register_count>& r, instruction const& i) const {
        E const &a = r[i.a], &b = r[i.b];
        auto& v = variables_[i.number % variable_count];
        switch (i.what) {
            using enum statement;
        case mix: return tx::tanh(a + 0.5 * b);
        case wave: return a * tx::cos(b);
        case larger: return tx::maximum(a, b);
        case moved: return tx::roll<1>(a) * 0.5 + tx::flip(b) * 0.25;
        case running: return tx::tanh(tx::cumsum(a, tx::axis<0>) * 0.25 - tx::mean(b));
        case read: return v * 0.75 + a * 0.25;
        case assign: return v.assign(tx::tanh(a - b)), a;
        case accumulate: return v.assign_add(a * 0.125), b;
        case dropout: return tx::tanh(tx::nn::dropout(a, 0.5));
        case draw: return drawn(a);
        case stateless: return a * tx::random::stateless_uniform<double>(tx::random::key(i.number), Shape{});
        case opaque: return tx::opaque<spec<double, Shape>>(called, a, b);
        case log: return tx::opaque<>(logged, a), b;
        default: return nested(r, i);
        }
    }
    template <class E> constexpr E drawn(E const& a) const {
        if constexpr (Variables::may_draw) return a * tx::random::uniform<double>(Shape{}, -1.0, 1.0);
        else return a;
    }
    template <class E> constexpr E nested(std::array<E, register_count> const& r, instruction const& i) const {
        E const &a = r[i.a], &b = r[i.b];
        std::uint8_t const first = i.block;
        switch (i.what) {
            using enum statement;
        case branch:
            return tx::cond(
                tx::sum(b) > 0.125, [&] { return inside(r, a, i, first); }, [&] { return inside(r, b, i, p_.after(first)); });
        case choice: {
            std::uint8_t const second = p_.after(first);
            auto const index = tx::cast<std::int64_t>(tx::floor(tx::mean(b) * 3.0 + 0.1)) + std::int64_t{1};
            return tx::switch_case(index,
                                   std::tuple([&](auto const& x) { return inside(r, x, i, first); },
                                              [&](auto const& x) { return inside(r, x, i, second); },
                                              [&](auto const& x) { return inside(r, x, i, p_.after(second)); }),
                                   a);
        }
        case counted: return tx::fori_loop(0, i.number, [&](auto const&, auto const& x) { return inside(r, x, i, first); }, a);
        case until: {
            auto const goes_on = [&](auto const& n, auto const& x) { return (n < std::int64_t{4}) && (tx::mean(x) < 0.5); };
            auto const step = [&](auto const& n, auto const& x) {
                return std::tuple(n + std::int64_t{1}, inside(r, x, i, first));
            };
            return std::get<1>(tx::while_loop(goes_on, step, tensor<std::int64_t, shape<>>{i.number}, a));
        }
        default: {
            auto const step = [&](auto const& state, auto const& x) {
                auto const next = inside(r, state + 0.25 * x, i, first);
                return std::pair(next, next * x);
            };
            auto const [last, all] = tx::scan(step, a, tx::stack(tx::axis<0>, b, a, b * 0.5), {.reverse = i.number % 2 == 1});
            return tx::tanh(last + tx::sum(all, tx::axis<0>));
        }
        }
    }

    static constexpr auto called = [](auto const& x, auto const& y) {
        see(tx::sum(x).item());
        if (tx::sum(y).item() > 0) return tx::tanh(x * y + 0.25);
        return tx::tanh(x - y * y);
    };
    static constexpr auto logged = [](auto const& x) { see(tx::sum(x).item()); };

    random_program const& p_;
    Variables& variables_;
};

using own_shape = shape<3>;
using vec = tensor<double, own_shape>;

// A program's variables with their first values.
struct variables : std::array<variable<double, own_shape>, variable_count> {
    static constexpr bool may_draw = true;
    variables()
        : std::array<variable<double, own_shape>, variable_count>{variable<double, own_shape>(vec{0.5, -0.25, 1}),
                                                                  variable<double, own_shape>(vec{-1, 0.75, 0.25})} {}
};

} // namespace tx::testing
