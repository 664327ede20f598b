// Compares seven steps of each optimizer with Optax 0.2.8 in float64: g = (1, 3) * (w - (2, -1)) and 0.5 * (b - 4), from w =
// (0.5, 1.5) and b = -1, by optax.sgd(0.1), optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.1, momentum=0.5)), ...
#include <run/optim_checks.hpp>

using namespace tx::testing;
namespace optim = tx::optim;

namespace {
struct plain {
    static constexpr auto opt = optim::sgd({.learning_rate = 0.1});
};
struct momentum {
    static constexpr auto opt = optim::sgd({.learning_rate = 0.1, .momentum = 0.9});
};
struct nesterov {
    static constexpr auto opt = optim::sgd({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
};
struct decay {
    static constexpr auto opt = optim::sgd({.learning_rate = 0.1, .momentum = 0.5, .weight_decay = 0.01});
};
struct adam {
    static constexpr auto opt = optim::adam({.learning_rate = 0.1});
};
struct adam_with_options {
    static constexpr auto opt = optim::adam({.learning_rate = 0.1, .b1 = 0.8, .b2 = 0.95, .eps = 1e-3, .eps_root = 1e-2});
};
struct nadam {
    static constexpr auto opt = optim::adam({.learning_rate = 0.1, .nesterov = true});
};
struct adamw {
    static constexpr auto opt = optim::adamw({.learning_rate = 0.1, .weight_decay = 0.05});
};
struct scheduled {
    static constexpr auto opt = optim::adam(optim::cosine_decay{.initial = 0.2, .steps = 5, .alpha = 0.1});
};
struct rmsprop {
    static constexpr auto opt = optim::rmsprop({.learning_rate = 0.1, .eps = 1e-3});
};
struct rmsprop_beside {
    static constexpr auto opt = optim::rmsprop({.learning_rate = 0.1, .decay = 0.8, .eps = 1e-3, .eps_in_sqrt = false});
};
struct rmsprop_momentum {
    static constexpr auto opt = optim::rmsprop({.learning_rate = 0.1, .momentum = 0.7});
};
struct rmsprop_nesterov {
    static constexpr auto opt = optim::rmsprop({.learning_rate = 0.1, .momentum = 0.7, .nesterov = true});
};
} // namespace

TEST_CASE("optim: sgd") {
    check_seven_steps<plain>({1.2825546500000002, -0.79411425, 0.5083135195312501});
    check_seven_steps<momentum>({2.6534756, -1.915782, 3.5778912070312505});
    check_seven_steps<nesterov>({2.526710423110985, -1.0970803527083248, 3.862641893207055});
    check_seven_steps<decay>({1.6965616294837562, -1.1957634127444678, 1.4597816372374655});
}
TEST_CASE("optim: adam, adamw") {
    check_seven_steps<adam>({1.187685486515045, 0.8061079323707379, -0.3026487117099259});
    check_seven_steps<adam_with_options>({1.1799145480104298, 0.8093175938529249, -0.30496800332297813});
    check_seven_steps<nadam>({1.2457344357890234, 0.7371849437559784, -0.226583371774209});
    check_seven_steps<adamw>({1.160718045578198, 0.7652815696638919, -0.27868689961861337});
    check_seven_steps<scheduled>({1.1700870296241541, 0.8245448093544279, -0.3218474395111674});
}
TEST_CASE("optim: rmsprop") {
    check_seven_steps<rmsprop>({1.572703438905194, 0.2995695905531294, 0.2806089331589925});
    check_seven_steps<rmsprop_beside>({1.3798265255588167, 0.5580305803820801, -0.019556840828224606});
    check_seven_steps<rmsprop_momentum>({2.3942806252003477, -1.0784253466347453, 2.016945853197684});
    check_seven_steps<rmsprop_nesterov>({2.177563200535488, -1.05512578727732, 2.21167720875236});
}
