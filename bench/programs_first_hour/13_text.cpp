// Characters of a text: how often each occurs, the entropy, pairs that follow each other, and sentences as bags of embedded
// words.
#include <tracexpr/tracexpr.hpp>

#include <iostream>
#include <string>
#include <vector>

int main() {
    std::string const text = "the quick brown fox jumps over the lazy dog the end";
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    auto const codes = tx::cast<int>(tx::from_range(bytes));

    auto const counts = tx::add_at(tx::zeros<int>(tx::shape<128>{}), 1, codes);
    std::cout << "e occurs " << counts('e') << " times, a blank " << counts(' ') << ", in all " << tx::sum(counts) << '\n';
    auto const commonest = tx::argmax(counts);
    std::cout << "commonest: '" << static_cast<char>(commonest.item()) << "'\n";

    auto const p = counts / tx::sum(counts);
    std::cout << "entropy in bits: " << -tx::sum(tx::where(p > 0, p * tx::log2(p), 0)) << '\n';

    // Pairs of letters, a to z.
    auto const letters = tx::compress(codes >= int{'a'}, codes - int{'a'});
    auto const first = tx::slice(letters, tx::range<0, -1>), second = tx::slice(letters, tx::range<1, tx::open>);
    auto const pairs = tx::reshape<26, 26>(tx::add_at(tx::zeros<int>(tx::shape<26 * 26>{}), 1, first * 26 + second));
    std::cout << "th: " << pairs('t' - 'a', 'h' - 'a') << ", he: " << pairs('h' - 'a', 'e' - 'a') << '\n';

    // Sentences of word numbers; 0 fills up.
    tx::tensor<float, tx::shape<5, 2>> const table{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, -1}};
    tx::tensor<int, tx::shape<2, 3>> const sentences{{1, 2, 0}, {3, 4, 4}};
    tx::function embed{[](auto words, auto t) {
        auto const there = tx::cast<float>(words != 0);
        return tx::sum(tx::take(t, words, tx::axis<0>), tx::axis<1>) / tx::sum(there, tx::axis<1>, tx::keepdims);
    }};
    std::cout << embed(sentences, table) << '\n';

    tx::tensor<std::string, tx::shape<3>> const words{"fox", "dog", "end"};
    std::cout << tx::where(words < "e", words + "!", words) << '\n';
}
