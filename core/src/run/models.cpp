#include "streamboost/run/models.hpp"

#include "streamboost/run/model_table.hpp"

namespace streamboost {
namespace {

const ModelTable boosters = [] {
  ModelTable all;
  for (ModelTable family :
       {models_binary(), models_experts(), models_multiclass(), models_oza(), models_regression(), models_replay(), models_hashed()})
    all.merge(family);
  return all;
}();

}  // namespace

std::unique_ptr<Model> make_model(const std::string& booster, const Config& config, const Ensemble& ensemble, const BankFactory& bank,
                                  const std::vector<int>& cuts) {
  const auto found = boosters.find(booster);
  if (found == boosters.end()) throw std::invalid_argument("unknown booster '" + booster + "'");
  auto model = found->second(config, ensemble, bank, cuts);
  config.check_all_read(booster);
  return model;
}

std::vector<std::string> booster_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : boosters) names.push_back(name);
  return names;
}

}  // namespace streamboost
