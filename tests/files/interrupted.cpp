// This file tests files whose writer is interrupted: killed at any of its system calls, or refused by a full disk. The previous
// file stays whole. TRACEXPR_FILE_SEED chooses the random calls.
#include "file_checks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#if defined(__linux__)
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using tx::shape;
using tx::tensor;

namespace {

// A child of this process that calls f() and stops before and behind each call of the system. It is killed at the end.
class traced_child {
public:
    explicit traced_child(std::function<void()> const& f) : id_{::fork()} {
        if (id_ == 0) {
            if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(not_traced);
            ::raise(SIGSTOP);
            try {
                f();
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        wait();
        if (is_running_) ::ptrace(PTRACE_SETOPTIONS, id_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    }
    traced_child(traced_child const&) = delete;
    traced_child& operator=(traced_child const&) = delete;
    ~traced_child() {
        if (!is_running_) return;
        ::kill(id_, SIGKILL);
        ::waitpid(id_, &status_, 0);
    }

    // False where the system does not let it be traced.
    bool is_traced() const { return is_running_ || WEXITSTATUS(status_) != not_traced; }
    // Lets it run up to the next stop; false where it ended.
    bool step() {
        if (is_running_) ::ptrace(PTRACE_SYSCALL, id_, nullptr, nullptr), wait();
        return is_running_;
    }
    int steps_to_end() {
        int steps = 0;
        while (step()) ++steps;
        return steps;
    }
    bool has_succeeded() const { return !is_running_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }
    // The number of the call that it is about to make; -1 behind one.
    long call() const {
        __ptrace_syscall_info info{};
        ::ptrace(PTRACE_GET_SYSCALL_INFO, id_, sizeof info, &info);
        return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
    }

private:
    static constexpr int not_traced = 77;

    void wait() {
        ::waitpid(id_, &status_, 0);
        is_running_ = WIFSTOPPED(status_);
    }

    ::pid_t id_;
    int status_ = 0;
    bool is_running_ = false;
};

// The calls of the system that f() makes in a child; none where it can't be traced.
std::vector<long> calls_of(std::function<void()> const& f) {
    std::vector<long> out;
    traced_child child(f);
    while (child.step())
        if (long const call = child.call(); call >= 0) out.push_back(call);
    return out;
}

// All of whose numbers are one number.
struct checkpoint {
    tensor<float> weights;
    std::vector<tensor<double>> more;
    std::int64_t step = 0;
};
checkpoint checkpoint_of(std::int64_t step, std::int64_t elements) {
    auto const filled = [&]<class T>(T value) {
        auto out = tensor<T>::uninitialized({{elements}, 1});
        std::fill_n(out.mutable_data(), elements, value);
        return out;
    };
    return {filled(static_cast<float>(step)), {filled(static_cast<double>(step)), filled(static_cast<double>(step))}, step};
}
// The step of a checkpoint that is whole; -1 of another.
std::int64_t whole_step(std::string const& path, std::int64_t elements) {
    auto const read = tx::load<checkpoint>(path);
    checkpoint const expected = checkpoint_of(read.step, elements);
    bool whole = same(read.weights, expected.weights) && read.more.size() == 2;
    for (std::size_t k = 0; whole && k < 2; ++k) whole = same(read.more[k], expected.more[k]);
    return whole ? read.step : -1;
}

std::size_t files_beside(std::string const& path) {
    std::size_t count = 0;
    for (auto const& file : std::filesystem::directory_iterator("."))
        count += file.path().filename().string().starts_with(path + ".") ? 1 : 0;
    return count;
}

// Saves checkpoints over each other in a child that is killed at one of its stops, which next(how many there are) gives;
// negative: that's all. There are `elements` in an array.
template <class F> void kill_writers(std::string const& path, std::int64_t elements, F const& next) {
    tx::save(path, checkpoint_of(0, elements));
    std::int64_t old = 0, step = 0;
    int replaced = 0, kept = 0;
    std::ofstream(path + ".0.part") << "left"; // as all but the first find it
    int const stops = traced_child([&] { tx::save(path, checkpoint_of(0, elements)); }).steps_to_end();
    for (int stop = next(stops); stop >= 0; stop = next(stops)) {
        CAPTURE(stop);
        ++step;
        {
            traced_child child([&] { tx::save(path, checkpoint_of(step, elements)); });
            for (int k = 0; k < stop && child.step(); ++k) {}
        }
        std::int64_t const read = whole_step(path, elements);
        if (read != old && read != step) FAIL("step " << read << " was read");
        (read == old ? kept : replaced) += 1;
        old = read;
        if (files_beside(path) > 1) FAIL("files of dead writers pile up");
    }
    MESSAGE(path << ": at " << stops << " stops " << kept << " writers left the old file, " << replaced << " the new one");
    CHECK(kept > 0);
    CHECK(replaced > 0);
    tx::save(path, checkpoint_of(7, elements));
    CHECK(whole_step(path, elements) == 7);
    CHECK(files_beside(path) == 0);
}

bool can_trace() {
    bool const can = traced_child([] {}).is_traced();
    if (!can) MESSAGE("not run: no process may be traced here");
    return can;
}

} // namespace

TEST_CASE("save: a writer that is killed at any call of the system leaves the old file or the new one") {
    if (!can_trace()) return;
    for (std::string const extension : {".npz", ".safetensors"}) {
        temporary const file("killed" + extension);
        int stop = 0;
        kill_writers(file.path, 3, [&](int stops) { return stop <= stops ? stop++ : -1; });
    }
}

TEST_CASE("save: writers that are killed at 200 random calls") {
    if (!can_trace()) return;
    char const* const asked = std::getenv("TRACEXPR_FILE_SEED");
    unsigned long const seed = asked ? std::strtoul(asked, nullptr, 10) : 43;
    CAPTURE(seed);
    std::mt19937 numbers(static_cast<unsigned>(seed));
    for (std::string const extension : {".npz", ".safetensors"}) {
        temporary const file("killed_at_random" + extension);
        int left = 100;
        kill_writers(file.path, 20000,
                     [&](int stops) { return left-- > 0 ? static_cast<int>(numbers() % static_cast<unsigned>(stops + 1)) : -1; });
    }
}

TEST_CASE("files: what is written is on the disk before it takes the old one's place, and the folder behind it") {
    if (!can_trace()) return;
    temporary const npy("order.npy"), npz("order.npz"), safetensors("order.safetensors"), csv("order.csv");
    std::vector<std::function<void()>> const saves{[&] { tx::save_npy(npy.path, tensor<float>{1, 2, 3}); },
                                                   [&] { tx::save(npz.path, checkpoint_of(1, 9)); },
                                                   [&] { tx::save(safetensors.path, checkpoint_of(1, 9)); },
                                                   [&] { tx::save_csv(csv.path, tensor<float, shape<3>>{1, 2, 3}); }};
    for (auto const& save : saves) {
        std::vector<long> const calls = calls_of(save);
        auto const is_write = [](long call) { return call == SYS_write || call == SYS_writev || call == SYS_pwrite64; };
        auto const is_flush = [](long call) { return call == SYS_fsync; };
        auto const is_rename = [](long call) {
#if defined(SYS_rename)
            if (call == SYS_rename) return true;
#endif
            return call == SYS_renameat || call == SYS_renameat2;
        };
        auto const renamed = std::find_if(calls.begin(), calls.end(), is_rename);
        REQUIRE(renamed != calls.end());
        auto const flushed = std::find_if(calls.begin(), renamed, is_flush);
        CHECK(flushed != renamed);
        CHECK(std::any_of(calls.begin(), flushed, is_write));
        CHECK(std::none_of(flushed, calls.end(), is_write));
        CHECK(std::any_of(renamed, calls.end(), is_flush));
    }
}

TEST_CASE("save: writers of one file at a time don't disturb each other") {
    if (!can_trace()) return;
    temporary const file("shared.safetensors");
    auto const save = [&](std::int64_t step) { return [&, step] { tx::save(file.path, checkpoint_of(step, 1000)); }; };
    int const stops = traced_child(save(1)).steps_to_end();
    for (int stop = 0; stop < stops; ++stop) {
        CAPTURE(stop);
        traced_child slow(save(2));
        for (int k = 0; k < stop && slow.step(); ++k) {}
        tx::save(file.path, checkpoint_of(3, 1000));
        CHECK(whole_step(file.path, 1000) == 3);
        slow.steps_to_end();
        CHECK(slow.has_succeeded());
        std::int64_t const read = whole_step(file.path, 1000);
        if (read != 2) CHECK(read == 3); // it had taken its place before
        CHECK(files_beside(file.path) == 0);
    }
}

TEST_CASE("save: what dead writers left is removed, and nothing else") {
    temporary const file("left.npz"), other("another"), link(file.path.substr(14) + ".2.part");
    for (char const* const number : {".0.part", ".1.part", ".3.part", ".4.part"}) std::ofstream(file.path + number) << "left";
    other.write("of somebody");
    std::filesystem::create_symlink(other.path, link.path);
    tx::save(file.path, checkpoint_of(1, 3));
    CHECK(whole_step(file.path, 3) == 1);
    CHECK_FALSE(std::filesystem::exists(file.path + ".0.part"));
    CHECK_FALSE(std::filesystem::exists(file.path + ".1.part"));
    CHECK(std::filesystem::is_symlink(link.path));
    CHECK(content_of(other.path) == "of somebody");
    for (char const* const number : {".3.part", ".4.part"}) std::filesystem::remove(file.path + number);
}

TEST_CASE("save: a disk that is full at any byte leaves the old file") {
    for (std::string const extension : {".npz", ".safetensors"}) {
        temporary const file("full" + extension);
        tx::save(file.path, checkpoint_of(1, 300));
        std::uintmax_t const size = std::filesystem::file_size(file.path);
        rlimit unlimited{};
        getrlimit(RLIMIT_FSIZE, &unlimited);
        auto const handler = std::signal(SIGXFSZ, SIG_IGN); // a write beyond the limit then fails, as on a full disk
        for (std::uintmax_t bytes = 0; bytes < size; bytes += 61) {
            rlimit limited = unlimited;
            limited.rlim_cur = bytes;
            setrlimit(RLIMIT_FSIZE, &limited);
            std::string const message = message_of<tx::error>([&] { tx::save(file.path, checkpoint_of(2, 300)); });
            setrlimit(RLIMIT_FSIZE, &unlimited);
            CAPTURE(bytes);
            CHECK(message == "tx: save: " + file.path + ": could not be written");
            CHECK(whole_step(file.path, 300) == 1);
            CHECK(files_beside(file.path) == 0);
        }
        std::signal(SIGXFSZ, handler);
        tx::save(file.path, checkpoint_of(2, 300));
        CHECK(whole_step(file.path, 300) == 2);
    }
}
#endif
