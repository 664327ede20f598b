// This file saves the results of calls in a region for the region's derivatives, which evaluate the region once more and must not
// call again. A branch saves once, a loop in each iteration. The handle of the last record is a hidden last result of the node,
// and the hidden last state of a loop. A derivative reads the records in the order in which they were made.
#pragma once

#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/recorded_calls.hpp>

#include <cstring>
#include <vector>

namespace tx::detail {

class kept_results : public recorded_call {
public:
    // Computes the result of the actions keep, first_kept and next_kept; `at` is the handle that they are given.
    TRACEXPR_ONCE static recorded_call const* made(std::int64_t does, std::uint64_t at, table_view<shown_value> values) {
        kept_results* const known = at ? &object_at<kept_results>(at) : nullptr;
        if (does == call_form::first_kept) return known ? known->first_ : nullptr;
        if (does == call_form::next_kept) return known ? known->next_ : nullptr;
        auto* const out = new kept_results(values);
        out->before = std::exchange(last_recorded_call, out);
        out->first_ = known ? known->first_ : out;
        if (known) known->next_ = out;
        return out;
    }
    // Writes a saved call to the node's results: value number `from` is the handle, and the results follow it.
    TRACEXPR_ONCE void give(std::size_t from, std::size_t count, std::byte* const* results, std::uint64_t* handle) const {
        if (handle) std::memcpy(handle, values_[from].data(), sizeof *handle);
        for (std::size_t k = 0; k < count; ++k)
            if (auto const& value = values_[from + 1 + k]; results[k] && !value.empty())
                std::memcpy(results[k], value.data(), value.size());
    }

private:
    explicit kept_results(table_view<shown_value> values) {
        values_.reserve(values.size());
        for (shown_value const& v : values) {
            auto const* const bytes = static_cast<std::byte const*>(v.data);
            if (v.type == dtype::string) pin_strings(bytes, v.extents.size());
            values_.emplace_back(bytes, bytes + v.extents.size() * static_cast<std::int64_t>(size_in_bytes(v.type)));
        }
        discard = [](recorded_call* call) { delete static_cast<kept_results*>(call); };
    }

    std::vector<std::vector<std::byte>> values_;
    kept_results *first_ = nullptr, *next_ = nullptr;
};

} // namespace tx::detail
