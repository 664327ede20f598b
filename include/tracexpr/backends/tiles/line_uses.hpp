// This file finds out how the lines of a loop use each other, and which of them are computed by the routine of another line.
#pragma once

#include <tracexpr/backends/tiles/tables.hpp>

#include <algorithm>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

inline std::uint8_t bytes_of(dtype t) { return static_cast<std::uint8_t>(size_in_bytes(t)); }
// Returns the bytes of the widest element in a tile. A line that finds places of extremes counts with the elements that it
// compares.
inline int widest_in_tile(kernel_line const* lines, std::size_t count) {
    int widest = 1;
    for (std::size_t k = 0; k < count; ++k) {
        kernel_line const& l = lines[k];
        widest = std::max<int>(widest, l.role == role::place ? 8 : bytes_of((finds_place(l) ? lines[l.a] : l).type));
    }
    return widest;
}
inline bool is_floating_number(dtype t) { return t == dtype::float32 || t == dtype::float64; }

class line_uses {
public:
    line_uses(kernel_line const* lines, int count) : lines_{lines}, of_(static_cast<std::size_t>(count)) {
        for (int i = 0; i < count; ++i)
            for_each_operand(i, [&](int o) {
                ++at(o).uses;
                at(o).only_user = i;
            });
        for (int i = 0; i < count; ++i) fuse(i);
        for (int i = 0; i < count; ++i) {
            int user = i;
            while (at(user).is_fused) user = at(user).only_user;
            for_each_operand(i, [&](int o) { at(o).last_user = std::max(at(o).last_user, user); });
        }
    }
    template <class F> void for_each_operand(int i, F f) const {
        kernel_line const& l = lines_[i];
        if (l.role == role::compute) {
            for (int const o : {l.a, l.b, l.c})
                if (o >= 0) f(o);
        } else if (l.role == role::store || l.role == role::reduce || l.role == role::lookup) {
            f(l.a);
        }
    }
    // True if the routine of its only user computes it.
    bool is_fused(int i) const { return at(i).is_fused; }
    bool is_fused_product(int o, int user) const { return is_fused(o) && is_only_for(o, user) && is_product(o); }
    void set_fused(int i) { at(i).is_fused = true; }
    bool is_used(int i) const { return at(i).uses > 0; }
    int last_user(int i) const { return at(i).last_user; }
    void keep_until(int i, int user) { at(i).last_user = user; }

private:
    struct use {
        int uses = 0, only_user = -1, last_user = -1;
        bool is_fused = false;
    };
    use& at(int i) { return of_[static_cast<std::size_t>(i)]; }
    use const& at(int i) const { return of_[static_cast<std::size_t>(i)]; }

    bool is_product(int i) const {
        kernel_line const& l = lines_[i];
        return l.role == role::compute && (l.code == op::multiply || l.code == op::square) && is_floating_number(l.type) &&
               product_routine(product_form::plus, l.type, 0);
    }
    bool is_only_for(int o, int user) const { return at(o).uses == 1 && at(o).only_user == user; }
    void fuse(int i) {
        kernel_line const& l = lines_[i];
        if (l.role == role::compute && (l.code == op::add || l.code == op::subtract) && is_floating_number(l.type)) {
            if (is_product(l.a) && is_only_for(l.a, i) && l.a != l.b) set_fused(l.a);
            else if (is_product(l.b) && is_only_for(l.b, i) && l.a != l.b) set_fused(l.b);
        } else if (l.role == role::compute && l.code == op::where && is_floating_number(l.type)) {
            kernel_line const& test = lines_[l.a];
            if (test.role == role::compute && is_comparison(test.code) && is_only_for(l.a, i) && lines_[test.a].type == l.type &&
                comparing_routine(test.code, l.type, 0))
                set_fused(l.a);
        } else if (l.role == role::reduce && l.code == op::sum && is_product(l.a) && is_only_for(l.a, i)) {
            set_fused(l.a);
        }
    }

    kernel_line const* lines_;
    std::vector<use> of_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
