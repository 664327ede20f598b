// A static trace with concrete arguments: finds the plan for their extents, makes the results, runs.
#pragma once

#include <tracexpr/backends/static_executor.hpp>
#include <tracexpr/run/tracing.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

namespace tx::detail {

// The plan for the arguments' extents; for static shapes the compiler's own. Each thread remembers the last few.
template <class Stages> plan_view plan_for(std::span<dims const> arguments) {
    if constexpr (Stages::is_static) {
        return Stages::plan();
    } else {
        constexpr std::size_t count = Stages::graph().parameters.size();
        struct entry {
            dims arguments[count + 1];
            plan made;
        };
        constexpr std::size_t remembered = 8;
        thread_local std::unique_ptr<entry> entries[remembered];
        thread_local std::size_t recent = 0;
        for (std::size_t k = 0; k < remembered; ++k) {
            std::size_t const at = (recent + remembered - k) % remembered;
            entry const* const e = entries[at].get();
            if (e && std::equal(e->arguments, e->arguments + count, arguments.data())) {
                recent = at;
                return e->made.view();
            }
        }
        buffer<dims> const extents = inferred_extents(Stages::graph(), arguments);
        auto fresh = std::make_unique<entry>();
        std::copy(arguments.begin(), arguments.begin() + count, fresh->arguments);
        fresh->made = make_plan(Stages::graph(), Stages::clusters(), {extents.data(), extents.size()});
        recent = (recent + 1) % remembered;
        entries[recent] = std::move(fresh);
        return entries[recent]->made.view();
    }
}

// Where the leaves of arguments are, and their shapes.
template <std::size_t Leaves> struct leaf_list {
    void const* data[Leaves + 1];
    dims extents[Leaves + 1];
    std::size_t count = 0;
    template <class A> TRACEXPR_INLINE void add(A const& a) {
        for_each_leaf(a, [&](auto const& part) {
            using access = leaf_access<std::remove_cvref_t<decltype(part)>>;
            data[count] = access::data(part);
            if constexpr (!dims_of<typename access::shape_type>.is_static()) extents[count] = access::extents(part);
            else extents[count] = dims_of<typename access::shape_type>;
            ++count;
        });
    }
};

// Elements of arguments and results that overlap would be overwritten while they are needed.
template <std::size_t Leaves> bool overlaps(leaf_list<Leaves> const& arguments, std::span<plan_buffer const> buffers, void const* from, std::int64_t bytes) {
    auto const begin = reinterpret_cast<std::uintptr_t>(from);
    for (plan_buffer const& b : buffers) {
        if (b.place != buffer_place::argument) continue;
        auto const other = reinterpret_cast<std::uintptr_t>(arguments.data[b.number]);
        if (other < begin + static_cast<std::uintptr_t>(bytes) && begin < other + static_cast<std::uintptr_t>(b.bytes)) return true;
    }
    return false;
}

template <class Stages, class Result> constexpr std::size_t result_leaves = Stages::graph().outputs.size();

// Gives `result` tensors of the right extents. With `reuse` those that have them already are kept.
template <class Stages, class Result> TRACEXPR_INLINE void shape_results(plan_view const& p, Result& result, bool reuse, void** outputs) {
    std::size_t k = 0;
    for_each_leaf(result, [&](auto& leaf_tensor) {
        using Tensor = std::remove_cvref_t<decltype(leaf_tensor)>;
        dims const& extents = p.extents[index(Stages::graph().outputs[k])];
        if constexpr (Tensor::static_dims().is_static()) {
            if (!reuse) leaf_tensor = Tensor::uninitialized();
        } else {
            if (!reuse || leaf_tensor.dimensions() != extents) leaf_tensor = Tensor::uninitialized(extents);
        }
        outputs[k++] = leaf_tensor.mutable_data();
    });
}

template <class Stages, class Result, std::size_t Leaves> TRACEXPR_INLINE Result run_to_result(leaf_list<Leaves> const& arguments) {
    plan_view const p = plan_for<Stages>({arguments.extents, arguments.count});
    Result result;
    void* outputs[result_leaves<Stages, Result> + 1];
    shape_results<Stages>(p, result, false, outputs);
    simd::run_static<Stages>(p, {arguments.data, outputs});
    return result;
}

template <class Stages, class Result, std::size_t Leaves> TRACEXPR_INLINE void run_into(Result& result, leaf_list<Leaves> const& arguments) {
    plan_view const p = plan_for<Stages>({arguments.extents, arguments.count});
    void* outputs[result_leaves<Stages, Result> + 1];
    bool shared = false;
    for_each_leaf(result, [&](auto& leaf_tensor) {
        using T = typename std::remove_cvref_t<decltype(leaf_tensor)>::value_type;
        shared = shared || overlaps(arguments, p.buffers, leaf_tensor.data(), leaf_tensor.size() * static_cast<std::int64_t>(sizeof(T)));
    });
    if (shared) {
        result = run_to_result<Stages, Result>(arguments);
        return;
    }
    shape_results<Stages>(p, result, true, outputs);
    simd::run_static<Stages>(p, {arguments.data, outputs});
}

} // namespace tx::detail
