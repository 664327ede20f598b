// expect: tx: optim: update: the gradients must have the form and the shapes of the parameters
#include <tracexpr/optim.hpp>
#include <tracexpr/tracexpr.hpp>

#include <map>
#include <string>
#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
auto run(std::map<std::string, vec> const& params, std::vector<vec> const& others) {
    auto const optimizer = tx::optim::sgd(0.1);
#ifdef FIXED
    static_cast<void>(others);
    return optimizer.update(params, optimizer.init(params), params);
#else
    return optimizer.update(others, optimizer.init(params), params);
#endif
}
