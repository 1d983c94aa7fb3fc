// The table of what there is: booster and learner names to models. Names are part of the file format.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, const Ensemble& ensemble);

std::unique_ptr<Model> make_model(const std::string& booster, const Config& config, const Ensemble& ensemble, const BankFactory& bank,
                                  const std::vector<int>& cuts);

std::vector<std::string> booster_names();
std::vector<std::string> bank_names();

}  // namespace streamboost
