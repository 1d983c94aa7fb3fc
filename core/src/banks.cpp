#include <stdexcept>

#include "streamboost/banks/hoeffding.hpp"
#include "streamboost/banks/iti.hpp"
#include "streamboost/banks/linear.hpp"
#include "streamboost/banks/mlp.hpp"
#include "streamboost/banks/naive_bayes.hpp"
#include "streamboost/banks/stump.hpp"
#include "streamboost/banks/tan.hpp"
#include "streamboost/models.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, const Ensemble& ensemble) {
  if (learner == "linear") {
    const auto params = LinearParams::read(config);
    if (config.choice<bool>("dtype", {{"float64", false}, {"float32", true}}))
      return std::make_unique<LinearBank<float>>(params, lanes, ensemble.n_estimators, ensemble.seed);
    return std::make_unique<LinearBank<double>>(params, lanes, ensemble.n_estimators, ensemble.seed);
  }
  if (learner == "stump") return std::make_unique<StumpBank>(StumpBank::Params::read(config), lanes, ensemble.seed);
  if (learner == "tan" || learner == "ban") return std::make_unique<TanBank>(TanBank::Params::read(config), lanes);
  if (learner == "mlp") return std::make_unique<MlpBank>(MlpBank::Params::read(config), lanes, ensemble.seed);
  if (learner == "naive_bayes") return std::make_unique<NaiveBayesBank>(NaiveBayesBank::Params::read(config), lanes, ensemble.seed);
  if (learner == "hoeffding") return std::make_unique<HoeffdingBank>(HoeffdingBank::Params::read(config), lanes, ensemble.seed);
  if (learner == "iti") return std::make_unique<ItiBank>(ItiBank::Params::read(config), lanes);
  throw std::invalid_argument("unknown learner '" + learner + "'");
}

}  // namespace streamboost
