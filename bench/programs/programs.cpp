// programs [parts of names...]: runs the programs whose names have one of the parts, or all, and writes a line of CSV for each
// way that each was done: program, who, seconds, the most heap memory of a call, bytes of arguments and results. PROGRAMS_SECONDS
// is the time for each program (2), PROGRAMS_FORM the only form to run, with PROGRAMS_EXPLAIN plans are printed, PROGRAMS_DUMP is
// a folder for arguments and results, which the JAX script compares its own with.
#include "programs.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <thread>

namespace {
std::atomic<std::int64_t> held{0}, most{0};
void* taken(void* p) {
    if (!p) throw std::bad_alloc();
    std::int64_t const now = held += static_cast<std::int64_t>(malloc_usable_size(p));
    for (std::int64_t old = most; now > old && !most.compare_exchange_weak(old, now);) {}
    return p;
}
void given_back(void* p) {
    if (!p) return;
    held -= static_cast<std::int64_t>(malloc_usable_size(p));
    std::free(p);
}
std::size_t rounded(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
} // namespace

// All of the heap goes through these.
void* operator new(std::size_t n) { return taken(std::malloc(n ? n : 1)); }
void* operator new(std::size_t n, std::align_val_t a) {
    auto const to = static_cast<std::size_t>(a);
    return taken(std::aligned_alloc(to, rounded(n ? n : 1, to)));
}
void operator delete(void* p) noexcept { given_back(p); }
void operator delete(void* p, std::size_t) noexcept { given_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { given_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { given_back(p); }

namespace programs {
namespace {
struct program {
    std::string name;
    void (*run)();
};
std::vector<program>& all() {
    static std::vector<program> programs;
    return programs;
}
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double seconds_of(std::function<void()> const& run, std::int64_t rounds) {
    double const start = now();
    for (std::int64_t i = 0; i < rounds; ++i) run();
    return (now() - start) / static_cast<double>(rounds);
}
double budget() {
    char const* const given = std::getenv("PROGRAMS_SECONDS");
    return given ? std::atof(given) : 2;
}
} // namespace

registered::registered(std::string name, void (*run)()) { all().push_back({std::move(name), run}); }

bench::bench(std::string name, double tolerance, double strays)
    : name_(std::move(name)), tolerance_(std::is_same_v<real, float> ? tolerance : 1e-9), strays_(strays) {}

// Each has its turn, again and again, and in a turn runs until its arguments are in the caches as they would be in a program that
// does nothing else.
bench::~bench() {
    for (contender& c : contenders_)
        c.rounds = std::max<std::int64_t>(1, static_cast<std::int64_t>(1e-4 / std::max(seconds_of(c.run, 1), 1e-9)));
    double const end = now() + budget(), turn = budget() / 100;
    for (int round = 0; round == 0 || now() < end; ++round)
        for (contender& c : contenders_) {
            double const over = now() + turn;
            for (int i = 0; i < 3 || now() < over; ++i) c.best = std::min(c.best, seconds_of(c.run, c.rounds));
        }
    for (contender const& c : contenders_)
        std::printf("%s,%s,%.4g,%lld,%lld\n", name_.c_str(), c.who.c_str(), c.best, static_cast<long long>(c.arena),
                    static_cast<long long>(c.moved));
    std::fflush(stdout);
}

void bench::add(std::string who, std::function<void()> run, std::vector<double> const& got, std::int64_t arena,
                std::int64_t moved) {
    double mean_size = 0, worst = 0;
    for (double const value : truth_) mean_size += std::abs(value) / static_cast<double>(truth_.size());
    std::size_t strays = 0, at = 0;
    for (std::size_t i = 0; i < std::min(got.size(), truth_.size()); ++i) {
        double const off = std::abs(got[i] - truth_[i]) / std::max({std::abs(truth_[i]), mean_size, 1e-300});
        if (off > tolerance_ || off != off) ++strays;
        if (!(off <= worst)) worst = off, at = i;
    }
    if (got.size() != truth_.size() || static_cast<double>(strays) > strays_ * static_cast<double>(got.size())) {
        std::fprintf(stderr, "%s, %s: %zu elements of %zu (%zu expected) are off, the worst, %zu, is %.9g instead of %.9g\n",
                     name_.c_str(), who.c_str(), strays, got.size(), truth_.size(), at, got.size() > at ? got[at] : 0,
                     truth_.size() > at ? truth_[at] : 0);
        std::exit(1);
    }
    if (std::getenv("PROGRAMS_ERRORS")) std::fprintf(stderr, "%s, %s: off by %.2g at most\n", name_.c_str(), who.c_str(), worst);
    contenders_.push_back({std::move(who), std::move(run), arena, moved});
}

void bench::write(void const* data, std::size_t bytes) {
    char const* const folder = std::getenv("PROGRAMS_DUMP");
    if (!folder) return;
    std::string const path = std::string(folder) + "/" + name_ + "." + std::to_string(files_++);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(data, 1, bytes, file) != bytes || std::fclose(file) != 0) std::perror(path.c_str());
}

bool bench::is_wanted(std::string const& form) {
    char const* const only = std::getenv("PROGRAMS_FORM");
    return !only || form == only;
}
bool bench::explains() { return std::getenv("PROGRAMS_EXPLAIN") != nullptr; }
void bench::explain(std::string const& form, std::string const& plan) const {
    std::size_t const at = plan.find("after plan");
    std::fprintf(stderr, "---- %s, %s\n%s\n", name_.c_str(), form.c_str(), plan.c_str() + (at == std::string::npos ? 0 : at));
}

std::int64_t bench::bytes_of_call(std::function<void()> const& run) {
    std::int64_t bytes = 0;
    std::thread([&] {
        std::int64_t const before = held;
        most = before;
        run();
        bytes = most - before;
    }).join();
    return bytes;
}

} // namespace programs

int main(int argc, char** argv) {
    auto& programs = programs::all();
    std::sort(programs.begin(), programs.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    for (auto const& p : programs) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; ++i) wanted |= p.name.find(argv[i]) != std::string::npos;
        if (wanted) p.run();
    }
}
