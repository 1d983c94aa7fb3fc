// Every parameter of every booster and bank, for tests and benchmarks of the core: it has no defaults, the estimators give all of them.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "streamboost/data/config.hpp"

namespace testing {

using streamboost::Config;
using Values = std::map<std::string, Config::Value>;

inline Config::Value word(const char* text) { return std::string(text); }
inline Config::Value count(std::int64_t n) { return n; }
inline const Config::Value none = std::monostate{};

// Boosters and banks of numbers, and boosters of such banks, learn no labels: the streams of these tests have nothing for them, tests/laws/test_regression.py has.
inline bool predicts_numbers(const std::string& name) {
  static const std::set<std::string> names{"bagging_regressor", "gradient_boosting", "linear_regression",  "regression_tree",
                                           "replay_regressor",  "hashed_regressor",  "streaming_gradient", "streaming_gradient_regressor"};
  return names.contains(name);
}

// Boosters of label sets and of rewards learn no labels, either: tests/laws/test_label_sets.py and test_bandit.py have streams for them.
inline bool learns_facts(const std::string& booster) {
  static const std::set<std::string> names{"online_bmr", "ada_olmr", "bandit_boost"};
  return names.contains(booster);
}

// Where the lanes are cut: boosters whose lanes may follow each other in any order are not.
inline std::vector<int> cuts_of(const std::string& booster, std::vector<int> cuts) {
  return booster == "reordered" ? std::vector<int>{} : cuts;
}

// Models of their own, without lanes: whatever learner a test names stays unused.
inline bool has_learners(const std::string& booster) {
  static const std::set<std::string> without{"hashed", "hashed_regressor", "hashed_shares", "history", "replay", "replay_regressor"};
  return !without.contains(booster);
}

inline Values values_of(const std::string& name) {
  const Values smooth{{"gamma", 0.1}, {"hypothesis", word("real")}};
  const Values multiclass{{"costs", word("argmax")}, {"weight_scale", word("rescaled")}, {"weight_target", 5.0}, {"hedge", word("vote")}};
  const Values oza{{"order", word("update_first")}, {"untrained", word("wrong")},   {"lambda_cap", none},
                   {"copies_cap", count(10)},       {"vote", word("log_odds")},     {"prefix", word("stop_at_first_bad")},
                   {"draw", word("poisson")},       {"normalise", word("running")}, {"ballot", word("label")}};
  const Values replay{{"rounds", count(3)}, {"leaves", count(4)},   {"bins", count(8)},    {"learning_rate", 0.1},       {"refit", 1.5},
                      {"late", 0.25},       {"memory", count(200)}, {"at_once", count(0)}, {"max_bytes", count(1 << 20)}};
  const Values hashed{{"view", word("pairs")}, {"bits", count(8)}, {"window_bits", count(7)}, {"newton", true}, {"late", false}};
  const std::map<std::string, Values> all{
      {"hashed", hashed},
      {"hashed_regressor", hashed},
      {"hashed_shares", {{"bits", count(8)}, {"window", 100.0}, {"information", 0.03}, {"words", true}}},
      {"history", {{"delay", count(0)}}},
      {"replay", replay},
      {"replay_regressor", replay},
      {"single", {}},
      {"arcx4", {}},
      {"bagging", {{"sampling", word("poisson")}, {"fraction", 0.7}, {"ballot", word("label")}}},
      {"oza", oza},
      {"osboost", smooth},
      {"osboost_ocp", {{"projection", word("sort")}, {"step", word("1/sqrt(Nt)")}, {"domain", word("simplex")}}},
      {"osboost_exp", {{"hedge", word("vote")}, {"hedge_rate", none}, {"horizon", none}}},
      {"ogboost", {{"loss", word("logistic")}, {"shrinkage", 1.0}, {"n_candidates", count(1)}, {"hypothesis", word("real")}}},
      {"online_bbm", {{"edge", 0.05}, {"weighting", word("importance")}}},
      {"adaboost_ol", {{"weighting", word("sampling")}, {"hedge", word("vote")}, {"hypothesis", word("real")}}},
      {"agnostic", {{"gamma", 0.1}, {"draw", false}}},
      {"cost_boosting", {{"algorithm", word("adac2")}, {"costs", none}, {"ratio", 1.0}}},
      {"reordered", {{"method", word("bole")}, {"ballot", word("distribution")}}},
      {"defensive", {{"adaptive", true}}},
      {"mbbm",
       {{"edges", std::vector<double>{0.1}},
        {"potential", word("pairwise")},
        {"n_draws", count(100)},
        {"early_exit", true},
        {"off_by_one", false}}},
      {"online_bmr", {{"edge", 0.1}, {"loss", word("hinge")}}},
      {"ada_olmr", {{"hedge", word("vote")}}},
      {"bandit_boost", {{"base", word("olm")}, {"edge", 0.1}, {"exploration", 0.1}, {"hedge", word("vote")}}},
      {"adaboost_olm", {{"loss", word("logistic")}, {"gradient", word("true")}, {"step", word("theory")}}},
      {"blocked", {{"block_size", count(100)}, {"literal", false}}},
      {"primed", {{"n_prime", count(20)}, {"n_passes", count(1)}, {"resample", false}, {"keep_one", true}}},
      {"batch_bagging", {{"n_rows", count(20)}, {"n_passes", count(1)}}},
      {"adaptive_bagging", {{"poisson_rate", 6.0}, {"vote", word("log_odds")}, {"chain", true}, {"window", 1000.0}}},
      {"bayes",
       {{"likelihood", word("exponential")},
        {"vote", word("bayes")},
        {"loss", word("logistic")},
        {"hypothesis", word("log_odds")},
        {"learners", word("online")},
        {"n_pretrain", count(0)},
        {"refresh", count(1)},
        {"prior_shape", 1.0},
        {"prior_rate", 1.0},
        {"theta", 0.1},
        {"forgetting", 1.0},
        {"learning_rate", 1.0}}},
      {"weighted_majority", {{"beta", 0.5}}},
      {"hedge", {{"hedge", word("vote")}, {"hedge_rate", none}, {"horizon", none}}},
      {"winnow", {{"threshold", none}, {"factor", 2.0}, {"variant", word("divide")}}},
      {"linear",
       {{"kind", word("perceptron")},
        {"fit_intercept", true},
        {"start", word("sphere")},
        {"scale", word("none")},
        {"feature_fraction", none},
        {"dtype", word("float64")}}},
      {"logistic",
       {{"fit_intercept", true},
        {"start", word("zero")},
        {"scale", word("auto")},
        {"feature_fraction", none},
        {"dtype", word("float64")},
        {"clip", 5.0},
        {"learning_rate", 1.0},
        {"learning_rate_spread", 0.0}}},
      {"naive_bayes",
       {{"alpha", 0.0},
        {"var_floor", 1e-3},
        {"prior_alpha", 1e-2},
        {"divisor", word("class")},
        {"sparse", word("auto")},
        {"feature_fraction", none}}},
      {"count_bayes", {{"counts", word("multinomial")}, {"alpha", 1.0}, {"prior_alpha", 1e-2}, {"feature_fraction", none}}},
      {"stump", {{"numeric", word("bins")}, {"max_bins", count(64)}, {"feature_fraction", none}}},
      {"tan", {{"n_parents", count(1)}, {"smoothing", 5.0}, {"relearn", count(1000)}}},
      {"ban", {{"n_parents", count(2)}, {"smoothing", 5.0}, {"relearn", count(1000)}}},
      {"mlp", {{"hidden_units", count(0)}, {"updates_per_example", count(1)}, {"learning_rate", 0.2}}},
      {"nearest_neighbors", {{"n_neighbors", count(5)}, {"window", count(60)}}},
      {"bagging_regressor", {{"sampling", word("poisson")}, {"fraction", 0.7}, {"poisson_rate", 1.0}, {"combine", word("mean")}}},
      {"gradient_boosting",
       {{"loss", word("squared")}, {"domain", word("span")}, {"learning_rate", 0.1}, {"delta", 1.0}, {"quantile", 0.5}}},
      {"streaming_gradient", {{"learning_rate", 0.1}, {"n_bagged", count(1)}, {"warm_up", count(2)}}},
      {"streaming_gradient_regressor", {{"learning_rate", 1.0}, {"n_bagged", count(1)}, {"warm_up", count(2)}}},
      {"regression_tree",
       {{"grace_period", 200.0},
        {"delta", 1e-7},
        {"tie_threshold", 0.05},
        {"min_branch", 0.01},
        {"ridge", 1.0},
        {"leaf_prediction", word("adaptive")},
        {"max_features", 1.0},
        {"feature_fraction", none},
        {"max_depth", none},
        {"max_bytes", none}}},
      {"iti", {{"metric", word("gain_ratio")}, {"prune", true}, {"max_bytes", none}}},
      {"hoeffding",
       {{"grace_period", 200.0},
        {"delta", 1e-7},
        {"tie_threshold", 0.05},
        {"criterion", word("info_gain")},
        {"leaf_prediction", word("adaptive")},
        {"n_split_points", count(10)},
        {"nominal_split", word("multiway")},
        {"merit_range", word("classes")},
        {"chance_correction", 0.0},
        {"null_split", true},
        {"max_features", 1.0},
        {"leaf_features", word("all")},
        {"bins", count(0)},
        {"count_mode", word("weight")},
        {"pass_on", word("all")},
        {"min_branch", 0.01},
        {"max_depth", none},
        {"max_leaves", none},
        {"max_bytes", none},
        {"reevaluate", none},
        {"alpha", 1.0},
        {"var_floor", 1e-6},
        {"feature_fraction", none}}},
  };
  Values found = all.at(name == "linear_regression" ? "logistic" : name);
  if (name == "osboost_ocp" || name == "osboost_exp") found.insert(smooth.begin(), smooth.end());
  if (name == "mbbm" || name == "adaboost_olm") found.insert(multiclass.begin(), multiclass.end());
  if (name == "replay") found["trees"] = word("shared");
  if (name == "replay_regressor") found["loss"] = word("squared");
  if (name == "primed") found.insert(oza.begin(), oza.end());
  return found;
}

// All parameters of a booster or bank, some of them changed.
inline Config config_of(const std::string& name, const Values& changed = {}) {
  Config config;
  config.values = values_of(name);
  for (const auto& [key, value] : changed) config.values[key] = value;
  return config;
}

}  // namespace testing
