// Makes a model of a booster's name and its parameters, for plan.hpp. Names are part of the file format.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "streamboost/learners/banks.hpp"
#include "streamboost/run/model.hpp"

namespace streamboost {

// A bank of the ensemble's learners.
inline std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, const Ensemble& ensemble) {
  return make_bank(learner, config, lanes, ensemble.n_estimators, ensemble.seed);
}

std::unique_ptr<Model> make_model(const std::string& booster, const Config& config, const Ensemble& ensemble, const BankFactory& bank,
                                  const std::vector<int>& cuts);

std::vector<std::string> booster_names();

}  // namespace streamboost
