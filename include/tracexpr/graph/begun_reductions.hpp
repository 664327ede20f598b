// Sums over ranks that are begun, and waited for later: several tensors in one message, a bucket. While one is under way on a
// thread, its runs drive it forward between their steps.
#pragma once

#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/graph/recorded_calls.hpp>
#include <tracexpr/graph/shown.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace tx::detail {

class begun_reduction;
inline constinit thread_local begun_reduction* last_begun_reduction = nullptr;

// It belongs to the run that began it, which waits for it where it ends early: other ranks do so, too.
class begun_reduction : public recorded_call {
public:
    // The values are of one dtype.
    static begun_reduction* begin(rank_transport const& by, rank_reduction how, table_view<shown_value> values) {
        auto* const out = new begun_reduction(by);
        out->before = std::exchange(last_recorded_call, out);
        std::int64_t count = 0;
        for (shown_value const& v : values) count += v.extents.size();
        out->bucket_ = taken_bucket(static_cast<std::size_t>(count) * size_in_bytes(values[0].type));
        std::byte* to = out->bucket_.data();
        for (shown_value const& v : values)
            if (std::size_t const bytes = bytes_of(v)) std::memcpy(to, v.data, bytes), to += bytes;
        out->request_ = by.begin_all_reduce(by, values[0].type, how, out->bucket_.data(), count);
        out->is_under_way_ = true;
        out->earlier_ = std::exchange(last_begun_reduction, out);
        return out;
    }
    // Waits for it. The results are those of the values that it was begun with; null where nobody needs one.
    void finish(table_view<shown_value> values, std::byte* const* results) {
        wait();
        std::byte const* from = bucket_.data();
        for (std::size_t k = 0; k < values.size(); ++k) {
            std::size_t const bytes = bytes_of(values[k]);
            if (results[k] && bytes) std::memcpy(results[k], from, bytes);
            from += bytes;
        }
        spare().push_back(std::move(bucket_));
    }
    static void progress_all() {
        rank_transport const* known = nullptr;
        for (begun_reduction const* r = last_begun_reduction; r; r = r->earlier_)
            if (&r->by_ != known) known = &r->by_, known->progress(*known);
    }

private:
    explicit begun_reduction(rank_transport const& by) : by_{by} {
        discard = [](recorded_call* call) {
            auto* const mine = static_cast<begun_reduction*>(call);
            try {
                mine->wait();
            } catch (...) { // the run is ending by an error of its own
            }
            delete mine;
        };
    }
    static std::size_t bytes_of(shown_value const& v) {
        return static_cast<std::size_t>(v.extents.size()) * size_in_bytes(v.type);
    }
    void wait() {
        if (!std::exchange(is_under_way_, false)) return;
        begun_reduction** place = &last_begun_reduction;
        while (*place && *place != this) place = &(*place)->earlier_;
        if (*place) *place = earlier_;
        by_.finish(by_, request_);
    }
    // Buckets that were used before: to get as much memory anew takes longer than to copy into it.
    static std::vector<std::vector<std::byte>>& spare() {
        thread_local std::vector<std::vector<std::byte>> all;
        return all;
    }
    static std::vector<std::byte> taken_bucket(std::size_t bytes) {
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
    std::uint64_t request_ = 0;
    bool is_under_way_ = false;
    begun_reduction* earlier_ = nullptr; // of this thread
    std::vector<std::byte> bucket_;
};

// Between two steps of a run.
inline void progress_begun_reductions() {
    if (last_begun_reduction) [[unlikely]]
        begun_reduction::progress_all();
}

} // namespace tx::detail
