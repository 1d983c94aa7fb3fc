#include <map>
#include <stdexcept>

#include "streamboost/learners/count_bayes.hpp"
#include "streamboost/learners/hoeffding.hpp"
#include "streamboost/learners/iti.hpp"
#include "streamboost/learners/linear.hpp"
#include "streamboost/learners/linear_regression.hpp"
#include "streamboost/learners/logistic.hpp"
#include "streamboost/learners/mlp.hpp"
#include "streamboost/learners/naive_bayes.hpp"
#include "streamboost/learners/nearest_neighbors.hpp"
#include "streamboost/learners/regression_trees.hpp"
#include "streamboost/learners/stump.hpp"
#include "streamboost/learners/tan.hpp"
#include "streamboost/run/models.hpp"

namespace streamboost {

namespace {

template <class BankKind>
std::unique_ptr<Bank> seeded(const Config& config, Lanes lanes, const Ensemble& ensemble) {
  return std::make_unique<BankKind>(BankKind::Params::read(config), lanes, ensemble.seed);
}

template <class BankKind>
std::unique_ptr<Bank> plain(const Config& config, Lanes lanes, const Ensemble&) {
  return std::make_unique<BankKind>(BankKind::Params::read(config), lanes);
}

template <template <class> class BankOf>
std::unique_ptr<Bank> linear(const Config& config, Lanes lanes, const Ensemble& ensemble) {
  const auto params = BankOf<double>::Params::read(config);
  if (config.choice<bool>("dtype", {{"float64", false}, {"float32", true}}))
    return std::make_unique<BankOf<float>>(params, lanes, ensemble.n_estimators, ensemble.seed);
  return std::make_unique<BankOf<double>>(params, lanes, ensemble.n_estimators, ensemble.seed);
}

// The table of banks: one line each.
using Maker = std::unique_ptr<Bank> (*)(const Config&, Lanes, const Ensemble&);
const std::map<std::string, Maker> banks{
    {"linear", linear<LinearBank>},
    {"logistic", linear<LogisticBank>},
    {"linear_regression", linear<LinearRegressionBank>},
    {"regression_tree", seeded<RegressionTreeBank>},
    {"stump", seeded<StumpBank>},
    {"tan", plain<TanBank>},
    {"ban", plain<TanBank>},
    {"mlp", seeded<MlpBank>},
    {"naive_bayes", seeded<NaiveBayesBank>},
    {"nearest_neighbors", plain<NearestNeighborsBank>},
    {"count_bayes", seeded<CountBayesBank>},
    {"hoeffding", seeded<HoeffdingBank>},
    {"iti", plain<ItiBank>},
};

}  // namespace

std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, const Ensemble& ensemble) {
  const auto found = banks.find(learner);
  if (found == banks.end()) throw std::invalid_argument("unknown learner '" + learner + "'");
  auto bank = found->second(config, lanes, ensemble);
  config.check_all_read(learner);
  return bank;
}

std::vector<std::string> bank_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : banks) names.push_back(name);
  return names;
}

}  // namespace streamboost
