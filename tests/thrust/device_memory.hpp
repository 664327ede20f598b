// This file puts elements in a device's memory, for tests that give a device work without tensors.
#pragma once

#include <random_compare.hpp>
#include <tracexpr/thrust/queue.hpp>

namespace tx::testing {

inline detail::device_queue& device() { return detail::device_queue::of(0); }

struct on_device {
    std::vector<detail::device_block> blocks;
    std::vector<void const*> data;
    explicit on_device(std::vector<array_view> const& arguments) {
        for (array_view const& a : arguments) {
            std::int64_t const bytes = a.shape.size() * static_cast<std::int64_t>(size_in_bytes(a.type));
            blocks.emplace_back(device(), bytes);
            device().to_device(blocks.back().data(), a.data, bytes);
            data.push_back(blocks.back().data());
        }
    }
};
// Memory for results, between zeros that must not change.
class device_results {
public:
    void add(dtype type, dims const& extents) {
        std::int64_t const bytes = extents.size() * static_cast<std::int64_t>(size_in_bytes(type));
        results_.push_back({type, extents, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
        blocks_.emplace_back(device(), bytes + 2 * guard);
        device().clear(blocks_.back().data(), bytes + 2 * guard);
        addresses_.insert(addresses_.end() - 1, blocks_.back().data() + guard);
    }
    // A null follows them, for a token.
    void* const* addresses() const { return addresses_.data(); }
    std::vector<host_array> fetch() {
        for (std::size_t k = 0; k < results_.size(); ++k) {
            std::vector<std::byte> all(results_[k].bytes.size() + 2 * guard);
            device().to_host(all.data(), blocks_[k].data(), static_cast<std::int64_t>(all.size()));
            auto const begin = all.begin() + guard, end = all.end() - guard;
            bool const intact = std::all_of(all.begin(), begin, is_zero) && std::all_of(end, all.end(), is_zero);
            CHECK(intact);
            std::copy(begin, end, results_[k].bytes.begin());
        }
        return results_;
    }

private:
    static constexpr std::int64_t guard = 256;
    static bool is_zero(std::byte b) { return b == std::byte{}; }
    std::vector<host_array> results_;
    std::vector<detail::device_block> blocks_;
    std::vector<void*> addresses_{nullptr};
};

} // namespace tx::testing
