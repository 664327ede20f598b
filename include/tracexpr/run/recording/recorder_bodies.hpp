// This file holds the bodies of run/recording/recorder.hpp.
#pragma once

#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/run/recording/recorder.hpp>
#include <tracexpr/run/recording/traced_writes.hpp>

namespace tx::detail {

// Removes the links for which `fits` is true from this thread's list.
template <class Fits> void drop_links(Fits const& fits) {
    for (recorder_link** at = &innermost_recorder; recorder_link* const link = *at;) {
        if (!fits(*link)) at = &link->outer;
        else *at = link->outer, recorder_link::release(link);
    }
}
struct recorder_list_closer {
    ~recorder_list_closer() {
        drop_links([](recorder_link const&) { return true; });
    }
};
inline buffer<kept_value> kept_all(table_view<seen_value> values) {
    buffer<kept_value> out;
    for (seen_value const& v : values) out.push_back(kept(v));
    return out;
}
inline buffer<kept_value> kept_captures(graph_view const& g) {
    buffer<kept_value> out;
    for (captured const& c : g.captures) // those in the callable are arguments of the call
        out.push_back(c.in_callable > 0 ? kept_value{} : kept(c.see(c.address)));
    return out;
}
TRACEXPR_BODY void recorder::open() {
    see_ = [](recorder& self, seen_call const& call) { self.record_seen(call); };
    hears_of_element_writes.store(&see_write<>, std::memory_order_release);
    start();
}
TRACEXPR_BODY void recorder::start() {
    static_cast<void>(per_thread<recorder_list_closer>());
    std::unique_ptr<recorder_link> link(new recorder_link{this, nullptr});
    clear();
    leave();
    variables_ = buffer<variable_record>();
    link->outer = innermost_recorder;
    innermost_recorder = link_ = link.release();
    calls_may_be_watched.store(true, std::memory_order_relaxed);
}
TRACEXPR_BODY void recorder::leave() {
    if (!link_) return;
    link_->to.store(nullptr, std::memory_order_release);
    drop_links([](recorder_link const& link) { return !link.to.load(std::memory_order_relaxed); });
    recorder_link::release(std::exchange(link_, nullptr));
}
TRACEXPR_BODY void recorder::clear() {
    record_ = std::make_shared<tape_record>(); // only this may throw
    missed_ = number_map();
    for (variable_record& v : variables_) v.reads = buffer<node_id>();
    pauses_ = 0;
}
TRACEXPR_BODY void recorder::watch(kept_value const& value, std::uint64_t variable, bool trainable, std::string_view name) {
    variable_record* known = nullptr;
    for (variable_record& v : variables_)
        if (v.number == variable) known = &v;
    if (!known) {
        variables_.push_back({variable, trainable, std::string(name), {}});
        known = &variables_.back();
    }
    node_id const id = record_->watch(value);
    for (node_id const read : known->reads)
        if (read == id) return;
    known->reads.push_back(id);
}
TRACEXPR_BODY variable_record const* recorder::find_variable(std::uint64_t number) const {
    for (variable_record const& v : variables_)
        if (v.number == number) return &v;
    return nullptr;
}
TRACEXPR_BODY buffer<kept_value> recorder::numbered(table_view<seen_value> results, std::size_t further) {
    for (seen_value const& v : results)
        if (v.identity) v.identity->renumber(fresh_number());
    buffer<kept_value> out = kept_all(results);
    for (std::size_t k = out.size() - further; k < out.size(); ++k) out.data()[k].number = fresh_number();
    return out;
}
TRACEXPR_BODY bool recorder::has_missed_any(table_view<kept_value> values) const {
    for (kept_value const& v : values)
        if (has_missed(v.number)) return true;
    return false;
}
TRACEXPR_BODY void recorder::miss(table_view<kept_value> results) {
    for (kept_value const& v : results) missed_.set(v.number, node_id::none);
}

template <class Unused> void recorder::record_seen(seen_call const& call) {
    // then another rank's results depend on what this rank records
    bool const is_of_all_ranks = takes_part_in_collectives(call.traced);
    bool may_matter = !call.traced.captures.empty() || is_of_all_ranks;
    for (seen_value const& v : call.arguments) may_matter = may_matter || v.number() != 0;
    if (!may_matter) return;
    buffer<kept_value> const captures = kept_captures(call.traced), arguments = kept_all(call.arguments);
    buffer<kept_value> results;
    for (recorder* r = this; r; r = r->outer()) {
        bool const known = is_of_all_ranks || r->record_->knows_any(arguments) || r->record_->knows_any(captures);
        if (!known && !r->has_missed_any(arguments)) continue;
        if (results.empty()) results = numbered(call.results, call.further_results);
        if (!known || !r->is_listening()) {
            r->miss(results);
        } else if (call.record) {
            r->record_->recorded.clear_outputs(); // outputs of a call that threw
            std::size_t const first = r->record_->recorded.size(), own = results.size() - call.further_results;
            call.record(call.state, *r->record_);
            r->record_->know_effects(first, {results.data() + own, call.further_results});
            r->record_->know_outputs({results.data(), own});
        } else {
            r->record_->know_call(call.traced, arguments, captures, results, call.further_results);
        }
        if (known && r->is_listening() && call.kept_alive) r->record_->keep(*call.kept_alive);
    }
}
template <class Unused> std::uint32_t recorder::see_write(element_write const& write) {
    if (write.before.type == dtype::string) return 0;
    std::uint32_t const before = write.before.number(), from = write.from.number;
    std::uint32_t after = number_in_trace<Unused>(write, fresh_number); // the tapes around the trace know it, too
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
