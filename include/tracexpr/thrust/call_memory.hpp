// This file prepares the memory of a call on a device: the elements of the arguments there, and memory for the results.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>
#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/run/stored_variables.hpp>
#include <tracexpr/thrust/device.hpp>

#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Shared: the device can read this process's memory, so arguments there need no copy.
template <bool Shared> class call_memory {
public:
    explicit call_memory(device_queue& queue) : queue_{queue} {}

    // Adds a leaf of argument `number`. A negative number means a value that the callable holds, which may be on the host or the
    // device.
    template <class Part> void add(Part const& part, int number) {
        using reader = leaf_access<Part>;
        using T = typename reader::value_type;
        remote_scope asking;
        void const* const here = reader::data(part);
        remote_elements* const remote = asking.take_met();
        shapes_.push_back(reader::extents(part));
        part_ = number == number_ ? part_ + 1 : 0, number_ = number;
        place const now{number, {dtype_of<T>, shapes_.back()}, part_};
        value_spec const& spec = now.spec;
        if (remote) {
            add_elsewhere(*remote, now);
        } else {
            constexpr bool goes_along = !tensor_type<Part> || is_inline<T, typename reader::shape_type>;
            if (number >= 0 && !goes_along && first_here_.number < 0 && has_elements(now)) first_here_ = now;
            leaves_.push_back({here, spec.shape.size() * static_cast<std::int64_t>(size_in_bytes(spec.type)), false});
        }
    }
    // Gives the arguments' addresses when all have been added. Throws device_error where some arguments are on the device, and
    // some are not.
    void const* const* arguments() {
        if (first_here_.number >= 0 && first_there_.number >= 0) throw_mixed();
        if constexpr (!Shared) copy_arguments();
        for (leaf const& l : leaves_) addresses_.push_back(l.at);
        addresses_.push_back(nullptr);
        return addresses_.data();
    }
    table_view<dims> shapes() const { return shapes_; }
    device_queue& queue() const { return queue_; }

    // Gives the address that a result of a call is to be written to. Tensors get new elements on the device.
    template <class Part> void* make_result(Part& part, [[maybe_unused]] dims const& extents) {
        if constexpr (tensor_type<Part>) {
            if constexpr (!stays_here<Part>) {
                std::int64_t const bytes = extents.size() * static_cast<std::int64_t>(sizeof(typename Part::stored_type));
                device_elements* const made = device_elements::make(queue_, bytes);
                part = tensor_access::from_remote<Part>(made, extents);
                return made->address;
            } else {
                part = Part::uninitialized();
                return small_result(tensor_access::overwritten(part),
                                    static_cast<std::int64_t>(sizeof(part.data()[0])) * part.size());
            }
        } else {
            return small_result(&part, static_cast<std::int64_t>(sizeof(part)));
        }
    }
    // Gives device memory for a result in this process's memory, which `finish` copies it to.
    void* small_result(void* to, std::int64_t bytes) {
        if constexpr (Shared) return to;
        small_results_.push_back({to, bytes, device_block(queue_, bytes)});
        return small_results_.back().block.data();
    }
    // Prepares memory for a program's outputs: the result's and those that are assigned to variables.
    template <class Program, class Result> void make_results(Program const& p, Result& result, stored_variables const& stored) {
        std::size_t k = 0;
        for_each_output(result, [&](auto& part) {
            stored.outputs()[k] = make_result(part, p.output_extents(k));
            ++k;
        });
        stored.prepare_on_device(
            p,
            [&](std::int64_t bytes, auto const& take) {
                device_elements* const made = device_elements::make(queue_, bytes);
                take(made);
                return made->address;
            },
            [&](void* to, std::int64_t bytes) { return small_result(to, bytes); });
    }
    // Called when the device has been given all work: it waits for it and copies results that belong in this process's memory.
    void finish() {
        for (copied_result const& s : small_results_) queue_.to_host(s.to, s.block.data(), s.bytes);
    }

private:
    struct leaf {
        void const* at;
        std::int64_t bytes;
        bool is_there;
    };
    struct place {
        int number = -1;
        value_spec spec{};
        int part = 0; // its number among the argument's tensors and numbers
    };
    struct copied_result {
        void* to;
        std::int64_t bytes;
        device_block block;
    };

    void add_elsewhere(remote_elements& remote, place const& now) {
        device_elements const& there = require_on_device(remote, queue_, described(now));
        if (now.number >= 0 && first_there_.number < 0 && has_elements(now)) first_there_ = now;
        leaves_.push_back({there.address, 0, true});
    }
    static bool has_elements(place const& p) { return p.spec.shape.size() > 0; } // a value without elements is in no place
    static std::string described(place const& p) {
        return (p.number < 0
                    ? std::string("what the function holds")
                    : (p.part > 0 ? "part " + std::to_string(p.part) + " of " : "") + "argument " + std::to_string(p.number)) +
               " (" + std::string(name(p.spec.type)) + to_string(p.spec.shape) + ")";
    }
    [[noreturn]] void throw_mixed() const {
        throw device_error("tx: a function on " + device_name(queue_.index()) + ": arguments must be at one place; " +
                           described(first_there_) + " is on the device, " + described(first_here_) +
                           " on the cpu; move one of them with tx::to");
    }
    // Copies all arguments to one block of device memory; small ones travel in one copy.
    void copy_arguments() {
        constexpr std::int64_t small_bytes = 4096;
        auto const rounded = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
        std::int64_t small = 0, all = 0;
        for (leaf const& l : leaves_)
            if (!l.is_there) (l.bytes <= small_bytes ? small : all) += rounded(l.bytes);
        copies_ = device_block(queue_, small + all);
        std::vector<std::byte> packed(static_cast<std::size_t>(small));
        std::int64_t at_small = 0, at = small;
        for (leaf& l : leaves_) {
            if (l.is_there || l.bytes == 0) continue;
            std::int64_t& next = l.bytes <= small_bytes ? at_small : at;
            if (l.bytes <= small_bytes) std::memcpy(packed.data() + next, l.at, static_cast<std::size_t>(l.bytes));
            else queue_.to_device(copies_.data() + next, l.at, l.bytes);
            l.at = copies_.data() + next;
            next += rounded(l.bytes);
        }
        queue_.to_device(copies_.data(), packed.data(), small);
    }

    device_queue& queue_;
    std::vector<leaf> leaves_;
    std::vector<dims> shapes_;
    std::vector<void const*> addresses_;
    place first_here_, first_there_;
    int number_ = -1, part_ = 0; // of the last leaf that was added
    device_block copies_;
    std::vector<copied_result> small_results_;
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
