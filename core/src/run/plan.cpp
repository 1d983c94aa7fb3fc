#include "streamboost/run/plan.hpp"

#include <stdexcept>

#include "streamboost/run/pooled_model.hpp"
#include "streamboost/run/pooled_regressor.hpp"
#include "streamboost/run/staged_model.hpp"
#include "streamboost/run/staged_regressor.hpp"

namespace streamboost {
namespace {

std::unique_ptr<Model> make_main(const Plan& plan) {
  const auto bank = [&](Lanes lanes) {
    if (!plan.bank) return make_bank(plan.learner, plan.learner_params, lanes, plan.ensemble);
    plan.learner_params.check_all_read(plan.learner);
    return plan.bank(lanes);
  };
  return make_model(plan.booster, plan.booster_params, plan.ensemble, bank, plan.cuts);
}

// numbers: a single learner of numbers is a bag of one.
std::unique_ptr<Model> make_companion(const Companion& companion, const Ensemble& ensemble, bool numbers) {
  Ensemble own = ensemble;
  own.n_estimators = companion.size;
  own.threads = 1;
  own.guard = companion.guard;
  own.part.reset();
  const auto bank = [&](Lanes lanes) { return make_bank(companion.learner, companion.params, lanes, own); };
  if (!companion.booster.empty()) return make_model(companion.booster, companion.booster_params, own, bank, {});
  if (!numbers) return make_model("single", {}, own, bank, {});
  return make_model("bagging_regressor", {{"sampling", "all"}, {"fraction", 1.0}, {"poisson_rate", 1.0}, {"combine", "mean"}}, own, bank,
                    {});
}

std::unique_ptr<Model> make_voters(const Plan& plan) {
  auto main = make_main(plan);
  if (plan.companions.empty()) return main;
  const bool numbers = main->answers_numbers();
  std::vector<PooledModel::Expert> experts;
  experts.push_back({"main", std::move(main)});
  for (const Companion& companion : plan.companions) experts.push_back({companion.name, make_companion(companion, plan.ensemble, numbers)});
  std::unique_ptr<Model> pooled;
  if (numbers)
    pooled = std::make_unique<PooledRegressor>(std::move(experts), NumberPool::Params::read(plan.pool));
  else
    pooled = std::make_unique<PooledModel>(std::move(experts), LogPool::Params::read(plan.pool), plan.ensemble);
  plan.pool.check_all_read("the pool");
  return pooled;
}

}  // namespace

std::unique_ptr<Model> make_model(const Plan& plan) {
  if (plan.ensemble.n_estimators < 1) throw std::invalid_argument("n_estimators must be at least 1");
  auto voters = make_voters(plan);
  if (plan.stages.values.empty()) return voters;
  if (voters->answers_numbers()) {
    auto staged = std::make_unique<StagedRegressor>(std::move(voters), NumberStages::read(plan.stages));
    plan.stages.check_all_read("the stages around the numbers");
    return staged;
  }
  auto staged = std::make_unique<StagedModel>(std::move(voters), Stages::read(plan.stages), plan.ensemble);
  plan.stages.check_all_read("the stages after the vote");
  return staged;
}

void take_part(Ensemble& ensemble, Lanes lanes) {
  if (lanes.begin < 0 || lanes.begin >= lanes.end || lanes.end > ensemble.n_estimators)
    throw std::invalid_argument("the lanes of a part must lie inside the ensemble");
  ensemble.part = std::make_shared<Part>();
  ensemble.part->lanes = lanes;
  ensemble.part->last = lanes.end == ensemble.n_estimators;
}

GuardParams read_guard(const Config& config) {
  if (config.values.empty()) return {};
  const GuardParams guard = GuardParams::read(config, make_detectors(config, Inputs::errors));
  config.check_all_read("the guard against drift");
  return guard;
}

}  // namespace streamboost
