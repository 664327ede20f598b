// This file replays a run that equals an earlier one, down to the addresses, as a CUDA graph, which the host launches as one
// piece of work.
#pragma once

#include <tracexpr/thrust/point_executor.hpp>

#include <array>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Can a call be launched on a device without reading values, for which the host would wait?
constexpr bool is_only_launched(node const& call) {
    switch (info(call.code).kind) {
    case kind::structure:
    case kind::scan:
    case kind::order:
    case kind::contraction:
    case kind::arg_reduction:
    case kind::random: return true;
    case kind::update: return !updates_indexed(call.code);
    default: return false;
    }
}
// Does a plan only launch kernels? Then it can be recorded. (A call that waits nevertheless, as a sort of more elements than the
// device can sort, is found by the first attempt.)
template <class Form> inline constexpr bool is_recordable = [] {
    for (captured const& c : Form::graph().captures)
        if (c.see) return false; // each run reads it anew
    for (plan_step const& s : Form::plan().steps)
        if (s.call != node_id::none && (s.strategy == strategy::check_indices || !is_only_launched(Form::graph()[s.call])))
            return false;
    return Form::plan().steps.size() > 1;
}();

#if TRACEXPR_ON_GPU

template <class Form> class recorded_runs {
public:
    static void run(device_queue& queue, plan_view const& p, simd::io const& args, table_view<dims> shapes) {
        static auto& all = *new recorded_runs; // never destroyed, as queues are not
        if (!all.run_recorded(queue, p, args, key_of(queue, args, shapes))) run_points<Form>(queue, p, args);
    }

private:
    using key = std::vector<std::uint64_t>;
    struct record {
        key of;
        cudaGraphExec_t graph = nullptr;
        std::vector<std::pair<std::byte*, std::int64_t>> memory;
    };
    static constexpr std::size_t remembered = 8;

    static key key_of(device_queue& queue, simd::io const& args, table_view<dims> shapes) {
        key out{static_cast<std::uint64_t>(queue.index())};
        auto const add = [&](void const* address) { out.push_back(reinterpret_cast<std::uintptr_t>(address)); };
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            add(args.arguments[k]);
            for (int axis = 0; axis < shapes[k].rank; ++axis) out.push_back(static_cast<std::uint64_t>(shapes[k][axis]));
        }
        for (std::size_t k = 0; k < Form::graph().outputs.size(); ++k) add(args.outputs[k]);
        return out;
    }
    // Returns false where there is no record, and none is made.
    bool run_recorded(device_queue& queue, plan_view const& p, simd::io const& args, key const& now) {
        std::lock_guard const lock(guard_);
        if (refuses_) return false;
        device_scope const here(queue.index());
        for (record const& r : records_)
            if (r.graph && r.of == now) return launch(queue, r), true;
        if (std::find(recent_.begin(), recent_.end(), now) == recent_.end()) {
            recent_[next_recent_++ % remembered] = now;
            return false;
        }
        record made = make_record(queue, p, args);
        if (!made.graph) {
            refuses_ = true;
            return false;
        }
        made.of = now;
        record& oldest = records_[next_++ % remembered];
        discard(queue, oldest);
        oldest = std::move(made);
        launch(queue, oldest);
        return true;
    }
    static void launch(device_queue& queue, record const& r) {
        check_cuda("thrust_device", cudaGraphLaunch(r.graph, queue.stream()));
    }
    static record make_record(device_queue& queue, plan_view const& p, simd::io const& args) {
        record out;
        cudaStream_t stream = nullptr;
        check_cuda("thrust_device", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        cudaGraph_t graph = nullptr;
        {
            queue_recording recording(queue, stream);
            bool whole = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess;
            if (whole) {
                try {
                    run_points<Form>(queue, p, args);
                } catch (not_recordable) {
                    whole = false;
                } catch (device_error const&) { // the run itself will throw it again
                    whole = false;
                }
                whole = cudaStreamEndCapture(stream, &graph) == cudaSuccess && whole && recording.is_whole;
            }
            if (whole && cudaGraphInstantiate(&out.graph, graph, 0) != cudaSuccess) out.graph = nullptr;
            out.memory = std::move(recording.freed);
        }
        static_cast<void>(cudaGetLastError());
        if (graph) cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
        if (!out.graph) discard(queue, out);
        return out;
    }
    // Work that uses the memory may still be under way, but the memory's next user comes after it in the queue.
    static void discard(device_queue& queue, record& r) {
        if (r.graph) cudaGraphExecDestroy(r.graph);
        for (auto const& [memory, bytes] : r.memory) queue.keep(memory, bytes);
        r = {};
    }

    std::mutex guard_;
    std::array<record, remembered> records_;
    std::array<key, remembered> recent_;
    std::size_t next_ = 0, next_recent_ = 0;
    bool refuses_ = false;
};

#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE
