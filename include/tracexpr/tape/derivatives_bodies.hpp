// Defines the functions that tape/derivatives.hpp declares.
#pragma once

#include <tracexpr/tape/derivative_cache.hpp>
#include <tracexpr/tape/derivatives.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// Calls f(recorder) for each recorder that listens to this thread.
template <class F> void for_each_listener(F const& f) {
    for (recorder* r = first_recorder(); r; r = r->outer())
        if (r->is_listening()) f(*r);
}

// If the derivative takes part in collectives, adds their last token, which makes the program run all of them.
inline buffer<node_id> with_effects(tape_record& record, table_view<node_id> wanted) {
    buffer<node_id> out(wanted);
    if (record.derived_token != node_id::none) out.push_back(std::exchange(record.derived_token, node_id::none));
    return out;
}

template <class Unused> bool derivative_run::find(gradient_question asked) {
    graph const& recorded = from_.record().recorded;
    bool is_alone = derivative_cache::is_cacheable(recorded.view());
    for_each_listener([&](recorder& r) { is_alone = is_alone && &r == &from_; });
    if (!is_alone) return false;
    derivative_cache& all = derivative_cache::of_this_thread();
    if (cached_derivative found = all.find(recorded.view(), asked); found.made) {
        for (node_id const id : found.arguments) part_.arguments.push_back(from_.record().value(id));
        connected_ = std::move(found.connected);
        made_ = std::move(found.made);
        return true;
    }
    if (all.is_repeated(asked)) asked_.emplace(std::move(asked), recorded);
    return false;
}
template <class Unused> void derivative_run::run() {
    if (!made_) {
        part_ = from_.record().extract(with_effects(from_.record(), wanted_));
        made_ = part_.template made<Unused>();
        if (asked_)
            derivative_cache::of_this_thread().add(std::move(asked_->second), std::move(asked_->first),
                                                   {connected_, part_.nodes, made_});
    }
    arrays_ = part_.template run<Unused>(*made_);
}
template <class Unused> void derivative_run::tell(bool keeps) {
    for_each_listener([&](recorder& r) {
        if (&r == &from_ || !r.record().knows_any(part_.arguments)) return;
        buffer<node_id> const computed = from_.record().copy_to(r.record(), wanted_);
        for (std::size_t k = 0; k < computed.size(); ++k) r.record().know_result(results_[k], computed[k]);
    });
    for (std::size_t k = 0; keeps && k < results_.size(); ++k) from_.record().know_result(results_[k], wanted_[k]);
}

} // namespace tx::detail::inline TRACEXPR_RUNS
