#include "streamboost/run/plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "streamboost/run/encoded_model.hpp"
#include "streamboost/run/joining_model.hpp"
#include "streamboost/run/lagged_model.hpp"
#include "streamboost/run/pooled_model.hpp"
#include "streamboost/run/pooled_regressor.hpp"
#include "streamboost/run/replay_model.hpp"
#include "streamboost/run/staged_model.hpp"
#include "streamboost/run/staged_regressor.hpp"
#include "streamboost/run/timed_regressor.hpp"
#include "streamboost/run/tokens_model.hpp"

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

// The main ensemble, over hashed tokens if it wants them.
std::unique_ptr<Model> make_reader(const Plan& plan) {
  auto main = make_main(plan);
  if (plan.tokens.values.empty()) return main;
  auto reader = std::make_unique<TokensModel>(std::move(main), TokensModel::Params::read(plan.tokens));
  plan.tokens.check_all_read("the tokens");
  return reader;
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

std::unique_ptr<PooledExperts> pool_of(PooledExperts::Expert main, const std::vector<Companion>& companions, const Config& pool,
                                       const Ensemble& ensemble, bool numbers) {
  std::vector<PooledExperts::Expert> experts;
  experts.push_back(std::move(main));
  for (const Companion& companion : companions) experts.push_back({companion.name, make_companion(companion, ensemble, numbers)});
  std::unique_ptr<PooledExperts> pooled;
  if (numbers)
    pooled = std::make_unique<PooledRegressor>(std::move(experts), NumberPool::Params::read(pool));
  else
    pooled = std::make_unique<PooledModel>(std::move(experts), LogPool::Params::read(pool), ensemble);
  pool.check_all_read("the pool");
  return pooled;
}

// Without companions there is nothing to pool, unless the model wants its experts by their names all the same.
std::unique_ptr<Model> make_pool(PooledExperts::Expert main, const std::vector<Companion>& companions, const Config& pool,
                                 const Ensemble& ensemble, bool named = false) {
  if (companions.empty() && !named) return std::move(main.model);
  const bool numbers = main.model->answers_numbers();
  return pool_of(std::move(main), companions, pool, ensemble, numbers);
}

std::unique_ptr<Model> make_voters(const Plan& plan) {
  auto inner = make_pool({"main", make_reader(plan)}, plan.companions, plan.pool, plan.ensemble, !plan.experts.empty());
  const char* name = plan.companions.empty() ? "main" : "online";
  return make_pool({name, std::move(inner)}, plan.outer_companions, plan.outer_pool, plan.ensemble);
}

std::unique_ptr<Model> make_timed(const Plan& plan) {
  if (plan.experts.empty()) return make_voters(plan);
  using Base = TimedRegressor::Base;
  TimedRegressor::Params params{RefereePool::Params::read(plan.referee), 0, false};
  plan.referee.check_all_read("the referee");
  std::vector<TimedRegressor::Expert> experts;
  const auto trees = std::count_if(plan.experts.begin(), plan.experts.end(), [](const Companion& expert) { return expert.name != "last"; });
  for (const Companion& expert : plan.experts) {
    if (expert.name == "last") {
      params.last = true;
      continue;
    }
    ReplayModel::Params replay = ReplayModel::Params::read(expert.booster_params, plan.ensemble.seed, true);
    expert.booster_params.check_all_read(expert.name);
    replay.expert.less = expert.name == "differences" ? Base::last_target : expert.name == "residuals" ? Base::own_answer : Base::no_base;
    replay.expert.delay = params.pool.delay;
    replay.expert.boosting.histogram_bytes /= trees;  // which share one ring
    params.max_bytes = std::max(params.max_bytes, replay.max_bytes);
    experts.push_back({expert.name, ReplayExpert(replay.expert)});
  }
  auto inside = make_voters(plan);
  if (!inside->answers_numbers()) throw std::invalid_argument("experts of time are for numbers");
  return std::make_unique<TimedRegressor>(std::move(inside), std::move(experts), params);
}

// Around all of these: what they see of wide rows, and the experts that see such rows whole.
std::unique_ptr<Model> make_wide(const Plan& plan) {
  auto inside = make_timed(plan);
  if (plan.encoding.values.empty()) return inside;
  const auto params = EncodedModel::Params::read(plan.encoding);
  plan.encoding.check_all_read("the encoding");
  auto encoded = std::make_unique<EncodedModel>(std::move(inside), params, plan.ensemble);
  if (!params.open || plan.whole_companions.empty())
    return make_pool({"columns", std::move(encoded)}, plan.whole_companions, plan.whole_pool, plan.ensemble);
  const auto maker = [companions = plan.whole_companions, pool = plan.whole_pool, ensemble = plan.ensemble,
                      numbers = encoded->answers_numbers()](std::size_t n) {
    return pool_of({"columns", nullptr}, {companions.begin(), companions.begin() + static_cast<std::ptrdiff_t>(n)}, pool, ensemble,
                   numbers);
  };
  return std::make_unique<JoiningModel>(std::move(encoded), params.most_columns, plan.whole_companions.size(), maker);
}

}  // namespace

std::unique_ptr<Model> make_model(const Plan& plan) {
  if (plan.ensemble.n_estimators < 1) throw std::invalid_argument("n_estimators must be at least 1");
  auto voters = make_wide(plan);
  if (!plan.lags.values.empty()) {
    voters = std::make_unique<LaggedModel>(std::move(voters), LaggedModel::Params::read(plan.lags));
    plan.lags.check_all_read("the lags");
  }
  if (plan.stages.values.empty()) return voters;
  if (voters->answers_numbers()) {
    auto staged = std::make_unique<StagedRegressor>(std::move(voters), NumberStages::read(plan.stages), plan.ensemble.seed);
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
