// This file holds tx::on(tx::thrust_device{}, f): functions whose calls a Thrust device runs.
#pragma once

#include <tracexpr/run/function.hpp>
#include <tracexpr/thrust/call_foreign.hpp>
#include <tracexpr/thrust/call_memory.hpp>
#include <tracexpr/thrust/host_system.hpp>
#include <tracexpr/thrust/point_executor.hpp>
#include <tracexpr/thrust/program_run.hpp>
#include <tracexpr/thrust/replay.hpp>

namespace tx {
namespace detail {

template <> inline constexpr bool is_device<thrust_device> = true;
#if !TRACEXPR_ON_GPU
template <> inline constexpr bool is_device<thrust_points> = true;
#endif

inline namespace TRACEXPR_DEVICE {

// Does the device have its own memory and kernels?
template <class Device> inline constexpr bool runs_points = on_gpu || std::is_same_v<Device, thrust_points>;

template <class Device, class F> constexpr pass_options device_passes() {
    pass_options out = passes_of<callable_of<F>>;
    out.threads = !runs_points<Device>;
    out.points = runs_points<Device>;
    return out;
}
template <class Device, class F> constexpr auto placed(Device where, F const& f) {
    return optioned_callable<device_passes<Device, F>(), decltype(held(f)), Device>{held(f), where};
}

// Gives the address of a capture that is on the device, else null; the type is described at capture_finder.
inline std::byte const* address_of_capture(device_queue& queue, captured const& what) {
    remote_scope asking;
    static_cast<void>(what.data(what.address));
    remote_elements* const remote = asking.take_met();
    return remote ? static_cast<std::byte const*>(require_on_device(*remote, queue).address) : nullptr;
}

// One call. With Points it uses the kernels of point_executor.hpp; else those of the CPU, with their pieces on the threads of
// Thrust's system.
template <bool Points> class thrust_run {
public:
    static constexpr bool runs_on_tiles = !Points;
    explicit thrust_run(int index) : memory_(device_queue::of(index)) {}

    // Runs code that calls kernels of the CPU, on the threads of Thrust's system.
    template <class Run> static void on_system(Run const& run) requires(!Points) {
        queue_memory const& memory = queue_memory::of(device_queue::of(0)); // host systems have one device
        remote_scope const readable(device_elements::name, &memory);
        threads_scope const threads(system_threads(), run_on_system);
        try {
            run();
        } catch (std::bad_alloc const&) {
            throw_device_error("thrust_device", "out of memory for what the function computes in between");
        }
    }
    template <class Part> void add(Part const& part, int number) { memory_.add(part, number); }
    table_view<dims> shapes() const { return memory_.shapes(); }

    template <class Stages, class Result> void run(Result& result) {
        void const* const* const arguments = memory_.arguments();
        auto const& p = plan_for<Stages>(memory_.shapes());
        void* outputs[Stages::graph().outputs.size() + 1];
        std::size_t k = 0;
        for_each_output(result, [&](auto& part) {
            outputs[k] = memory_.make_result(part, p.extents[index(Stages::graph().outputs[k])]);
            ++k;
        });
        if constexpr (has_token<Stages>) outputs[k] = nullptr;
        [[maybe_unused]] calls_of_run<Stages> const of_this_run;
        if constexpr (Points) {
            run_or_replay<Stages>(p, {arguments, outputs});
            memory_.finish();
        } else {
            on_system([&] { simd::run_static<Stages>(p, {arguments, outputs}); });
        }
    }
    template <std::uint32_t Dtypes, class Result>
    void run(runtime_program const& trace, pass_options const& passes, Result& result, stored_variables const& stored) {
        void const* const* const arguments = memory_.arguments();
        if constexpr (Points) {
            auto const p = find_or_make_device_program(memory_.queue(), *trace.programs, trace.traced.view(),
                                                       trace.simplified.view(), memory_.shapes(), passes);
            memory_.make_results(*p, result, stored);
            run_device_program<interpreted_dtypes(Dtypes)>(memory_.queue(), *p, {arguments, stored.outputs()},
                                                           address_of_capture);
            memory_.finish();
        } else {
            auto const p = find_or_make_program<void>(*trace.programs, trace.traced.view(), trace.simplified.view(),
                                                      memory_.shapes(), passes);
            memory_.make_results(*p, result, stored);
            on_system([&] { tiles::run_program<>(*p, {arguments, stored.outputs()}); });
        }
    }

private:
    template <class Stages> void run_or_replay(plan_view const& p, simd::io const& args) {
#if TRACEXPR_ON_GPU
        if constexpr (is_recordable<Stages>) return recorded_runs<Stages>::run(memory_.queue(), p, args, memory_.shapes());
#endif
        run_points<Stages>(memory_.queue(), p, args);
    }

    call_memory<!Points> memory_;
};

} // namespace TRACEXPR_DEVICE

template <> class device_run<thrust_device> : public thrust_run<runs_points<thrust_device>> {
public:
    explicit device_run(thrust_device where) : thrust_run(where.index) {}
};
#if !TRACEXPR_ON_GPU
template <> class device_run<thrust_points> : public thrust_run<true> {
public:
    explicit device_run(thrust_points where) : thrust_run(where.index) {}
};
#endif

template <class Device, class F> auto function_on(Device where, F const& f) { return function{placed(where, f)}; }
template <class Device, class F, class Form> auto function_on(Device where, function<F, Form> const& f) {
    using callable = decltype(placed(where, f.stored()));
    if constexpr (is_signature<Form>) return function<callable, Form>(placed(where, f.stored()), Form{}, f.settings());
    else return function<callable, Form>(placed(where, f.stored()), f.settings());
}

} // namespace detail

inline namespace TRACEXPR_DEVICE {

// A function whose calls the device runs: made of a callable, or of another function, with its options and signature. It has its
// own traces and counts. Arguments are all on the device, or all in this process's memory, from which each call copies them;
// results stay on the device until they are read. (Small tensors of known shape, which store their elements in the object, and
// numbers may be combined with either.) A call returns before the device is done, unless it has such a small result. Throws
// device_error where there is no such device, where arguments are at different places, where the device's memory runs out, and
// where work that was given to it before has failed.
template <class F> [[nodiscard]] auto on(thrust_device where, F const& f) { return detail::function_on(where, f); }
template <class F> F on(F const& f, thrust_device) {
    static_assert(always_false<F>, "tx: on: the place comes first; write tx::on(device, f)");
    return f;
}
#if !TRACEXPR_ON_GPU
template <class F> [[nodiscard]] auto on(thrust_points where, F const& f) { return detail::function_on(where, f); }
#endif

} // namespace TRACEXPR_DEVICE
} // namespace tx
