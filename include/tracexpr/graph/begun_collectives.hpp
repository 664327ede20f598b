// This file holds collectives which are begun by one node of a graph and waited for by another: sums of several tensors in one
// message (a bucket), and exchanges between two processes. While one is in flight on a thread, the runs of that thread make it
// progress between their steps.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/graph/recorded_calls.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace tx::detail {

class begun_collective;
inline constinit thread_local begun_collective* last_begun_collective = nullptr;

// The run that began a collective owns it. Where the run ends early, it waits for the collective, because the other processes
// take part in it, too.
class begun_collective : public recorded_call {
public:
    // Begins the sums of values, which have one dtype. `memory` is that of the device that has the values; null means that they
    // are in this process's memory.
    TRACEXPR_ONCE static begun_collective* begin_sums(rank_transport const& by, rank_reduction how,
                                                      table_view<shown_value> values, device_memory const* memory) {
        begun_collective* const out = made(by, memory);
        std::int64_t count = 0;
        for (shown_value const& v : values) count += v.extents.size();
        if (!out->begin_on_device(how, values, count)) out->begin_here(how, values, count);
        out->is_under_way();
        return out;
    }
    // Begins an exchange. The elements that are sent and received are in a buffer of this object until the exchange is finished.
    // Where the transport has no begin_exchange, run(result) does the whole exchange at once.
    template <class Run> static begun_collective* begin_exchange(rank_transport const& by, collective_call call,
                                                                 device_memory const* memory, Run const& run) {
        begun_collective* const out = made(by, memory);
        std::size_t const bytes = static_cast<std::size_t>(call.extents.size()) * size_in_bytes(call.type);
        if (memory) {
            out->there_.emplace(*memory, static_cast<std::int64_t>(bytes));
            run(out->there_->data());
        } else if (!by.begin_exchange) {
            out->bucket_ = taken_bucket(bytes);
            run(out->bucket_.data());
        } else {
            out->bucket_ = taken_bucket(2 * bytes);
            if (bytes > 0) std::memcpy(out->bucket_.data() + bytes, call.operand, bytes);
            call.result = out->bucket_.data(), call.operand = out->bucket_.data() + bytes;
            out->request_ = by.begin_exchange(by, call);
            out->is_under_way();
        }
        return out;
    }
    // Waits for the collective and deletes this object. The results have the shapes of the values that it was begun with; the
    // pointer to a result that nobody needs is null.
    TRACEXPR_ONCE void finish(table_view<shown_value> values, std::byte* const* results) {
        wait();
        std::byte const* from = there_ ? static_cast<std::byte const*>(there_->data()) : bucket_.data();
        for (std::size_t k = 0; k < values.size(); ++k) {
            std::size_t const bytes = bytes_of(values[k]);
            if (results[k] && bytes) {
                if (there_) memory_->within(results[k], from, static_cast<std::int64_t>(bytes));
                else if (memory_) memory_->to_device(results[k], from, static_cast<std::int64_t>(bytes));
                else std::memcpy(results[k], from, bytes);
            }
            from += bytes;
        }
        if (there_) there_.reset();
        else spare().push_back(std::move(bucket_));
        // A loop may begin many collectives in one run, so this one is taken out of the middle of the list of recorded calls.
        recorded_call** place = &last_recorded_call;
        while (*place && *place != this) place = &(*place)->before;
        if (!*place) return;
        *place = before;
        delete this;
    }
    TRACEXPR_ONCE static void progress_all() {
        rank_transport const* known = nullptr;
        for (begun_collective const* r = last_begun_collective; r; r = r->earlier_)
            if (&r->by_ != known) known = &r->by_, known->progress(*known);
    }

private:
    begun_collective(rank_transport const& by, device_memory const* memory) : by_{by}, memory_{memory} {
        discard = [](recorded_call* call) {
            auto* const mine = static_cast<begun_collective*>(call);
            try {
                mine->wait();
            } catch (...) { // the run is already ending because of another error
            }
            delete mine;
        };
    }
    TRACEXPR_ONCE static begun_collective* made(rank_transport const& by, device_memory const* memory) {
        auto* const out = new begun_collective(by, memory);
        out->before = std::exchange(last_recorded_call, out);
        return out;
    }
    void is_under_way() {
        is_under_way_ = true;
        earlier_ = std::exchange(last_begun_collective, this);
    }
    static std::size_t bytes_of(shown_value const& v) {
        return static_cast<std::size_t>(v.extents.size()) * size_in_bytes(v.type);
    }
    TRACEXPR_ONCE void wait() {
        if (!std::exchange(is_under_way_, false)) return;
        begun_collective** place = &last_begun_collective;
        while (*place && *place != this) place = &(*place)->earlier_;
        if (*place) *place = earlier_;
        if (there_) by_.finish_on_device(by_, request_, *memory_);
        else by_.finish(by_, request_);
    }
    // Returns false where the values must be copied to this process's memory first.
    TRACEXPR_ONCE bool begin_on_device(rank_reduction how, table_view<shown_value> values, std::int64_t count) {
        if (!memory_ || !by_.begin_on_device) return false;
        dtype const type = values[0].type;
        there_.emplace(*memory_, count * static_cast<std::int64_t>(size_in_bytes(type)));
        auto* to = static_cast<std::byte*>(there_->data());
        for (shown_value const& v : values) {
            memory_->within(to, v.data, static_cast<std::int64_t>(bytes_of(v)));
            to += bytes_of(v);
        }
        if (by_.begin_on_device(by_, type, how, there_->data(), count, *memory_, request_)) return true;
        there_.reset();
        return false;
    }
    TRACEXPR_ONCE void begin_here(rank_reduction how, table_view<shown_value> values, std::int64_t count) {
        bucket_ = taken_bucket(static_cast<std::size_t>(count) * size_in_bytes(values[0].type));
        std::byte* to = bucket_.data();
        for (shown_value const& v : values) {
            std::size_t const bytes = bytes_of(v);
            if (bytes == 0) continue;
            if (memory_) memory_->to_host(to, v.data, static_cast<std::int64_t>(bytes));
            else std::memcpy(to, v.data, bytes);
            to += bytes;
        }
        request_ = by_.begin_all_reduce(by_, values[0].type, how, bucket_.data(), count);
    }
    // Buckets are reused by the thread, because allocating so much memory takes longer than copying into it.
    static std::vector<std::vector<std::byte>>& spare() {
        thread_local std::vector<std::vector<std::byte>> all;
        return all;
    }
    TRACEXPR_ONCE static std::vector<std::byte> taken_bucket(std::size_t bytes) {
        auto& all = spare();
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k].capacity() >= bytes && all[k].capacity() / 2 <= bytes) {
                std::swap(all[k], all.back());
                std::vector<std::byte> out = std::move(all.back());
                all.pop_back();
                out.resize(bytes);
                return out;
            }
        constexpr std::size_t most_spare = 64;
        if (all.size() >= most_spare) all.clear();
        return std::vector<std::byte>(bytes);
    }

    rank_transport const& by_;
    device_memory const* memory_;            // where the values lie, if not in this process's memory
    std::optional<scratch_on_device> there_; // The bucket is here if it stays in the memory of the device.
    std::uint64_t request_ = 0;
    bool is_under_way_ = false;
    begun_collective* earlier_ = nullptr; // the one begun before this, on the same thread
    std::vector<std::byte> bucket_;
};

// A run calls this between two of its steps.
inline void progress_begun_collectives() {
    if (last_begun_collective) [[unlikely]]
        begun_collective::progress_all();
}

} // namespace tx::detail
