// This file turns a plan's loop into a loop over points: its kernel's type, and the numbers for the extents and addresses of a
// run.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>
#include <tracexpr/passes/plan.hpp>
#include <tracexpr/thrust/point_loop.hpp>
#include <tracexpr/thrust/row_teams.hpp>

#include <algorithm>
#include <array>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The greatest number of axes that a loop of a plan has; a loop's space is that of a node.
template <class Form, std::size_t Loop, std::size_t Step> inline constexpr int planned_axes = [] {
    if (Form::is_static) return Form::plan().steps[Step].outer.rank + Form::plan().loops[Loop].inner.rank;
    int most = 0;
    for (dims const& shape : Form::graph().shapes) most = std::max<int>(most, shape.rank);
    return most;
}();
// The number of adjacent elements that a thread may handle at once; where extents are known, it divides a row. Sums of columns
// run along other axes.
template <class Form, std::size_t Loop, std::size_t Step> inline constexpr int planned_lanes = [] {
    constexpr plan_loop l = Form::plan().loops[Loop];
    int lanes = simd::detail::point_lanes<simd::detail::loop_kernel<Form, Loop>>;
    if (l.reduces && l.columns) return 1;
    if (!Form::is_static) return lanes;
    if (l.inner.rank == 0) return 1;
    bool const single_row = l.inner.rank == 1 && Form::plan().steps[Step].outer.rank == 0;
    std::int64_t const last = row_length(l);
    while (lanes > 1 && (single_row ? last < lanes : last % lanes != 0)) lanes /= 2;
    return lanes;
}();
template <class Form, std::size_t Step, std::size_t Loop, std::uint64_t Local = 0> using planned_points =
    simd::point_loop<simd::detail::loop_kernel<Form, Loop>, planned_axes<Form, Loop, Step>, planned_lanes<Form, Loop, Step>,
                     Local>;

template <class Loop> class point_loop_maker {
public:
    point_loop_maker(plan_view const& p, plan_loop const& loop, std::byte* const* buffers)
        : p_{p}, loop_{loop}, buffers_{buffers} {}

    // Makes a loop whose outer axes are those of the results of reductions, or of the rows of a nest.
    template <class Rows> Loop split(walk const& outer, Rows const& rows) {
        bool const columns = loop_.reduces && loop_.columns;
        int const inner = loop_.inner.rank, last = columns ? inner - 1 : inner;
        for (int axis = 0; axis < outer.rank; ++axis) add_outer(outer, axis, rows);
        if (columns) add_inner(last);
        out_.outer = out_.rank;
        for (int axis = 0; axis < last; ++axis) add_inner(axis);
        return finished(rows, columns ? out_.outer - 1 : out_.rank - 1);
    }
    // Makes a loop all of whose axes are points'.
    template <class Rows> Loop flat(walk const& outer, Rows const& rows) {
        for (int axis = 0; axis < outer.rank; ++axis) add_outer(outer, axis, rows);
        for (int axis = 0; axis < loop_.inner.rank; ++axis) add_inner(axis);
        out_.outer = 0;
        return finished(rows, out_.rank - 1);
    }

private:
    static constexpr int accesses = Loop::accesses;
    plan_access const& access(std::uint32_t k) const { return p_.accesses[loop_.accesses.first + k]; }
    static std::int64_t bytes_of(plan_access const& a) { return static_cast<std::int64_t>(size_in_bytes(a.type)); }

    void add(std::int64_t extent) { out_.axis[out_.rank++].extent = extent; }
    void set_step(std::uint32_t k, std::int64_t stride) {
        plan_access const& a = access(k);
        int const axis = out_.rank;
        out_.step[axis][k] = a.buffer < 0 ? 0 : stride * bytes_of(a);
        if constexpr (Loop::counts) out_.index_step[axis][k] = a.buffer < 0 ? stride : 0;
    }
    void add_inner(int axis) {
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k) set_step(k, access(k).inner[axis]);
        add(loop_.inner.extent[axis]);
    }
    template <class Rows> void add_outer(walk const& outer, int axis, Rows const& rows) {
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k) {
            set_step(k, access(k).outer[axis]);
            if constexpr (!std::is_same_v<Rows, no_row_buffers>) {
                if (!is_own(k, rows) || !rows.all_rows) continue;
                std::int64_t step = rows.bytes;
                for (int inside = axis + 1; inside < outer.rank; ++inside) step *= outer.extent[inside];
                out_.step[out_.rank][k] = step;
            }
        }
        add(outer.extent[axis]);
    }
    template <class Rows> bool is_own(std::uint32_t k, Rows const& rows) const {
        return access(k).buffer >= 0 && rows.offset[static_cast<std::size_t>(access(k).buffer)] >= 0;
    }

    // `lane_axis` is the axis along which elements are adjacent.
    template <class Rows> Loop finished(Rows const& rows, int lane_axis) {
        for (std::uint32_t k = 0; k < loop_.literals.count; ++k) out_.literals[k] = p_.literals[loop_.literals.first + k].bits;
        for (std::uint32_t k = 0; k < loop_.accesses.count; ++k) begin_access(k, rows);
        out_.results = out_.points = 1;
        for (int axis = 0; axis < out_.rank; ++axis) (axis < out_.outer ? out_.results : out_.points) *= out_.axis[axis].extent;
        out_.narrow_index = out_.results <= simd::most_narrow_points && out_.points <= simd::most_narrow_points;
        for (int axis = 0; axis < out_.rank; ++axis) out_.axis[axis] = simd::split_by(out_.axis[axis].extent, out_.narrow_index);
        for (std::uint32_t k = 0; k < loop_.accesses.count && lane_axis >= 0; ++k) {
            plan_access const& a = access(k);
            out_.lane_step[k] = out_.step[lane_axis][k];
            if constexpr (Loop::counts) out_.lane_step[k] = a.buffer < 0 ? out_.index_step[lane_axis][k] : out_.lane_step[k];
        }
        out_.vectorized = is_vectorized(lane_axis);
        return out_;
    }
    template <class Rows> void begin_access(std::uint32_t k, Rows const& rows) {
        alignas(16) static std::byte none[16]; // for buffers without elements, which may have no address
        plan_access const& a = access(k);
        if constexpr (Loop::counts) out_.index[k] = a.buffer < 0 ? a.offset : 0;
        if constexpr (Loop::is_local) out_.local[k] = Loop::nowhere;
        out_.at[k] = none;
        if (a.buffer < 0) return;
        auto const b = static_cast<std::size_t>(a.buffer);
        if constexpr (!std::is_same_v<Rows, no_row_buffers>) {
            if (is_own(k, rows)) {
                std::int64_t const from = rows.offset[b] + a.offset * bytes_of(a);
                if (rows.all_rows) out_.at[k] = rows.all_rows + from;
                else if constexpr (Loop::is_local) out_.local[k] = from;
                return;
            }
        }
        if (p_.buffers[b].bytes > 0) out_.at[k] = buffers_[b] + a.offset * bytes_of(a);
    }

    // May a thread handle several adjacent elements at once? Addresses and steps must be as the kernel's type says.
    bool is_vectorized(int lane_axis) const {
        if (Loop::lanes == 1 || lane_axis < 0 || (out_.rank == out_.outer && !loop_.columns)) return false;
        if (lane_axis != out_.outer && out_.axis[lane_axis].extent % Loop::lanes != 0) return false;
        for (kernel_line const& l : Loop::kernel_type::lines)
            if (int const k = access_of(l); k >= 0 && l.role != role::reduce && !allows_lanes(l, k, lane_axis)) return false;
        return true;
    }
    bool allows_lanes(kernel_line const& l, int k, int lane_axis) const {
        if (l.mode == access_mode::splat) return out_.lane_step[k] == 0;
        if (l.mode != access_mode::contiguous || (l.role != role::load && l.role != role::store)) return true;
        std::int64_t const bytes = static_cast<std::int64_t>(size_in_bytes(l.type)), unit = bytes * Loop::lanes;
        if (out_.lane_step[k] != bytes || address(k) % unit != 0) return false;
        for (int axis = 0; axis < out_.rank; ++axis)
            if (axis != lane_axis && out_.step[axis][k] % unit != 0) return false;
        return true;
    }
    std::int64_t address(int k) const {
        if constexpr (Loop::is_local)
            if (out_.local[k] != Loop::nowhere) return out_.local[k];
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out_.at[k]));
    }

    plan_view const& p_;
    plan_loop const& loop_;
    std::byte* const* buffers_;
    Loop out_{};
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
