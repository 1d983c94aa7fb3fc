#include "streamboost/learners/banks.hpp"

#include <map>
#include <stdexcept>

namespace streamboost {
namespace {

const std::map<std::string, BankMaker*> banks{
    {"linear", make_linear},
    {"logistic", make_logistic},
    {"linear_regression", make_linear_regression},
    {"regression_tree", make_regression_tree},
    {"stump", make_stump},
    {"tan", make_tan},
    {"ban", make_tan},
    {"mlp", make_mlp},
    {"naive_bayes", make_naive_bayes},
    {"nearest_neighbors", make_nearest_neighbors},
    {"count_bayes", make_count_bayes},
    {"hoeffding", make_hoeffding},
    {"iti", make_iti},
};

}  // namespace

std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed) {
  const auto found = banks.find(learner);
  if (found == banks.end()) throw std::invalid_argument("unknown learner '" + learner + "'");
  auto bank = found->second(config, lanes, n_estimators, seed);
  config.check_all_read(learner);
  return bank;
}

std::vector<std::string> bank_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : banks) names.push_back(name);
  return names;
}

}  // namespace streamboost
