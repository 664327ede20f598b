// Bodies of run/recording/recorder.hpp.
#pragma once

#include <tracexpr/run/recording/recorder.hpp>
#include <tracexpr/run/recording/traced_writes.hpp>

namespace tx::detail {

template <class Unused> void recorder::record_seen(seen_call const& call) {
    bool may_matter = !call.traced.captures.empty();
    for (seen_value const& v : call.arguments) may_matter = may_matter || v.number() != 0;
    if (!may_matter) return;
    buffer<kept_value> const captures = kept_captures(call.traced), arguments = kept_all(call.arguments);
    buffer<kept_value> results;
    for (recorder* r = this; r; r = r->outer()) {
        bool const known = r->record_->knows_any(arguments) || r->record_->knows_any(captures);
        if (!known && !r->has_missed_any(arguments)) continue;
        if (results.empty()) results = numbered(call.results, call.further_results);
        if (!known || !r->is_listening()) {
            r->miss(results);
        } else if (call.record) {
            r->record_->recorded.clear_outputs(); // of a call that threw
            std::size_t const first = r->record_->recorded.size(), own = results.size() - call.further_results;
            call.record(call.state, *r->record_);
            r->record_->know_effects(first, {results.data() + own, call.further_results});
            r->record_->know_outputs({results.data(), own});
        } else {
            r->record_->know_call(call.traced, arguments, captures, results, call.further_results);
        }
        if (known && r->is_listening() && call.recorded_calls) r->record_->keep(*call.recorded_calls);
    }
}
template <class Unused> std::uint32_t recorder::see_write(element_write const& write) {
    if (write.before.type == dtype::string) return 0;
    std::uint32_t const before = write.before.number(), from = write.from.number;
    std::uint32_t after = number_in_trace<Unused>(write, fresh_number); // which the tapes around the trace know, too
    auto const known_elsewhere = [&] {
        kept_value out;
        for (recorder const* r = first_recorder(); r && !out.number; r = r->outer()) out = r->record_->value_of(from);
        return out;
    };
    for (recorder* r = first_recorder(); r; r = r->outer()) {
        bool const known = r->record_->knows(before) || r->record_->knows(from);
        if (!known && !r->has_missed(before) && !r->has_missed(from)) continue;
        if (!after) after = fresh_number();
        if (!known || !r->is_listening()) r->missed_.set(after, node_id::none);
        else r->record_->write(write, after, from && !r->record_->knows(from) ? known_elsewhere() : kept_value{});
    }
    return after;
}

} // namespace tx::detail
