// symbols <nm> <objdump> <object files...>: checks what files for different processors share. The linker keeps any one of the
// definitions of a function, so no function that several files define may run kernels, call one that does, or have it inlined.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::string> lines_of(std::string const& command) {
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + command);
    std::vector<std::string> out(1);
    for (int c; (c = std::fgetc(pipe)) != EOF;)
        if (c == '\n') out.emplace_back();
        else out.back() += static_cast<char>(c);
    if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
    return out;
}

struct function {
    std::set<std::string> calls;
    bool computes = false; // with vectors of floating numbers
};
struct object {
    std::set<std::string> shared; // what the linker unites with that of other files
    std::map<std::string, function> functions;
};

// Without what a compiler puts behind the name of a function's part: ".cold".
std::string whole(std::string const& symbol) { return symbol.substr(0, symbol.find('.', 1)); }

object read(std::string const& nm, std::string const& objdump, std::string const& file) {
    object out;
    static std::regex const defined("^[0-9a-f]+ [VWu] (.*)$"), label("^[0-9a-f]+ <(.*)>:$");
    static std::regex const relocation("\\bR_\\w+\\s+(?:\\.text\\.)?([^\\s+]+?)(?:[-+]0x[0-9a-f]+)?$");
    // Not sums of doubles, by which clang casts single integers.
    static std::regex const arithmetic("\\tv?(?:(?:add|sub|mul|div|sqrt)ps|(?:mul|div|sqrt)pd|fn?m(?:add|sub)\\d+p[sd])\\b");
    std::smatch match;
    for (std::string const& line : lines_of(nm + " --defined-only '" + file + "'"))
        if (std::regex_match(line, match, defined)) out.shared.insert(match[1]);
    function* current = nullptr;
    for (std::string const& line : lines_of(objdump + " -dr --no-show-raw-insn '" + file + "'")) {
        if (std::regex_match(line, match, label)) current = &out.functions[whole(match[1])];
        else if (!current) continue;
        else if (line.find("R_") != line.npos && std::regex_search(line, match, relocation)) current->calls.insert(whole(match[1]));
        else current->computes = current->computes || std::regex_search(line, arithmetic);
    }
    return out;
}

bool is_kernel(std::string const& symbol) { return symbol.find("4simd") != symbol.npos; }
bool is_own(std::string const& symbol) { return symbol.substr(0, 8).find("2tx") != symbol.npos; }

// The calls that lead from a function to a kernel; empty where none do.
std::vector<std::string> way_to_kernel(object const& in, std::string const& from, std::set<std::string>& seen) {
    if (is_kernel(from)) return {from};
    auto const found = in.functions.find(from);
    if (found == in.functions.end() || !seen.insert(from).second) return {};
    for (std::string const& called : found->second.calls)
        if (auto way = way_to_kernel(in, called, seen); !way.empty()) {
            way.insert(way.begin(), from);
            return way;
        }
    return {};
}

} // namespace

int main(int count, char** arguments) {
    std::vector<object> objects;
    for (int k = 3; k < count; ++k) objects.push_back(read(arguments[1], arguments[2], arguments[k]));
    std::map<std::string, int> files_with;
    for (object const& o : objects)
        for (std::string const& symbol : o.shared) ++files_with[symbol];
    int errors = 0;
    auto const complain = [&](std::string const& what) { ++errors, std::cout << what << '\n'; };
    for (object const& o : objects) {
        std::size_t common = 0, own = 0;
        for (std::string const& symbol : o.shared) {
            auto const code = o.functions.find(symbol);
            if (code == o.functions.end() || !is_own(symbol)) continue;
            if (files_with[symbol] == 1) {
                ++own;
                continue;
            }
            ++common;
            if (code->second.computes) complain("computes with vectors, and several files have it: " + symbol);
            std::set<std::string> seen;
            if (auto const way = way_to_kernel(o, symbol, seen); !way.empty()) {
                complain("runs a kernel, and several files have it: " + symbol);
                for (std::string const& step : way) std::cout << "    " << step << '\n';
            }
        }
        std::cout << common << " functions are shared, " << own << " are not\n";
        if (common == 0 || own == 0) complain("each file should have some functions of its own, and some that others have too");
    }
    return errors > 0;
}
