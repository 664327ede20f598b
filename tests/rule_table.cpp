// Prints docs/rules.md: the rules of simplify, from their table.
#include <tracexpr/passes/rule_table.hpp>

#include <cstdio>
#include <string>

int main() {
    std::printf("# Rules of simplify\n\n"
                "`simplify` rewrites graphs by these %zu rules. This page is generated from their table, "
                "`tracexpr/passes/rule_table.hpp`. A rule without a\n"
                "note holds for every value of the dtype, NaN (whose payload may change), infinities and signed zeros included; "
                "*rounded* may change the last\n"
                "bits; *fast_math* is on only with `pass_options::fast_math`. Single rules are switched off by name:\n"
                "`tx::with_passes<tx::pass_options{.off = tx::rules_named({\"x ** 3 = x * x * x\"})}>(f)`.\n\n"
                "| rule | ops | |\n| --- | --- | --- |\n",
                tx::rules::all_rules.size());
    for (tx::rules::rule_row const* row : tx::rules::all_rules) {
        std::string ops;
        for (tx::op code : row->ops) ops += (ops.empty() ? "`" : ", `") + std::string(tx::name(code)) + "`";
        if (ops.empty()) ops = "all that are pointwise";
        bool const rounds = row->when == tx::rules::holds::rounded, fast = row->when == tx::rules::holds::fast_math;
        std::printf("| `%s` | %s | %s |\n", std::string(row->name).c_str(), ops.c_str(),
                    rounds ? "rounded"
                    : fast ? "fast_math"
                           : "");
    }
}
