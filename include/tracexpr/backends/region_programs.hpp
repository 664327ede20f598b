// This file keeps the programs of a graph's regions, each of which is made when it is first run.
#pragma once

#include <tracexpr/graph/copy.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tx::detail {

template <class Program> class region_programs {
public:
    // Returns the program of a region in a run, whose operands always have the same extents, except that the first may be a range
    // of any length: the programs for the last few lengths are kept. make(the region as a graph) returns a pointer to a program.
    template <class Make>
    std::shared_ptr<Program const> find(graph_view const& g, std::int64_t region, table_view<dims> operands, Make const& make) {
        dims const first = operands.empty() ? dims{} : operands[0];
        std::lock_guard const lock(mutex_);
        std::size_t same = 0;
        for (known const& k : all_) {
            if (k.region == region && k.first == first) return k.made;
            same += k.region == region;
        }
        known made{region, first, make(copied(g.region(region)).view())};
        if (same >= most_ranges)
            all_.erase(std::find_if(all_.begin(), all_.end(), [&](known const& k) { return k.region == region; }));
        all_.push_back(std::move(made));
        return all_.back().made;
    }

private:
    static constexpr std::size_t most_ranges = 16;
    struct known {
        std::int64_t region;
        dims first;
        std::shared_ptr<Program const> made;
    };
    std::mutex mutex_;
    std::vector<known> all_;
};

} // namespace tx::detail
