#include <stdexcept>

#include "streamboost/learners/hoeffding.hpp"
#include "streamboost/learners/iti.hpp"
#include "streamboost/learners/linear.hpp"
#include "streamboost/learners/mlp.hpp"
#include "streamboost/learners/naive_bayes.hpp"
#include "streamboost/learners/stump.hpp"
#include "streamboost/learners/tan.hpp"
#include "streamboost/run/models.hpp"

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
