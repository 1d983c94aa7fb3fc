// The plans of the default models, as src/streamboost declares them; written by tests/meta/test_default_plan.py.
#include "streamboost/run/plan.hpp"

namespace streamboost {

// clang-format off
Plan default_classifier(std::uint64_t seed) {
  Plan plan;
  plan.booster = "adaptive_bagging";
  plan.booster_params = {{"chain", true}, {"poisson_rate", 6.0}, {"vote", "log_odds"}, {"window", 1000.0}};
  plan.learner = "hoeffding";
  plan.learner_params = {{"alpha", 1.0}, {"bins", 0}, {"chance_correction", 2.0}, {"count_mode", "weight"},
          {"criterion", "info_gain"}, {"delta", 0.01}, {"feature_fraction", Config::none},
          {"grace_period", 50.0}, {"leaf_features", "all"}, {"leaf_prediction", "adaptive"},
          {"max_bytes", 3355443}, {"max_depth", Config::none}, {"max_features", 0.6},
          {"max_leaves", Config::none}, {"merit_range", "entropy"}, {"min_branch", 0.01},
          {"n_split_points", 10}, {"nominal_split", "both"}, {"null_split", false},
          {"pass_on", "seen"}, {"reevaluate", Config::none}, {"tie_threshold", 0.05},
          {"var_floor", 1e-06}};
  plan.ensemble.n_estimators = 30;
  plan.ensemble.seed = seed;
  plan.ensemble.guard = read_guard({{"background", true}, {"delta", 0.001}, {"detector", "adwin"}, {"error", "before"},
          {"on_drift", "learner"}, {"spare_amount", "lane"}, {"warning", 0.01}});
  plan.companions = {
      {"linear",
       "logistic",
       {{"clip", 5.0}, {"dtype", "float64"}, {"feature_fraction", Config::none}, {"fit_intercept", true},
          {"learning_rate", 1.0}, {"learning_rate_spread", 0.0}, {"scale", "auto"},
          {"start", "zero"}},
       read_guard({})},
      {"linear-quick",
       "logistic",
       {{"clip", 5.0}, {"dtype", "float64"}, {"feature_fraction", Config::none}, {"fit_intercept", true},
          {"learning_rate", 4.0}, {"learning_rate_spread", 0.0}, {"scale", "auto"},
          {"start", "zero"}},
       read_guard({})},
      {"naive-bayes",
       "naive_bayes",
       {{"alpha", 0.0}, {"divisor", "class"}, {"feature_fraction", Config::none}, {"prior_alpha", 0.01},
          {"sparse", "auto"}, {"var_floor", 0.001}},
       read_guard({{"background", false}, {"delta", 0.001}, {"detector", "adwin"}, {"error", "before"},
          {"on_drift", "learner"}, {"spare_amount", "lane"}, {"warning", Config::none}})},
      {"neighbors",
       "nearest_neighbors",
       {{"n_neighbors", 5}, {"window", 1000}},
       read_guard({})},
  };
  plan.pool = {{"by_loss", true}, {"caution", 2.0}, {"first_alone", false}, {"information", 0.0}, {"least", 0.0},
          {"most", 4.0}, {"prior", 10.0}, {"referee", true}, {"referee_window", 1000.0},
          {"refill", 1.0}, {"temperature", false}, {"total", 0.0}, {"window", 1000.0}};
  plan.outer_companions = {
      {"replay",
       "",
       {},
       read_guard({}),
       "replay",
       {{"at_once", 0}, {"bins", 127}, {"late", 0.25}, {"learning_rate", 0.2}, {"leaves", 31},
          {"max_bytes", 41943040}, {"memory", 50000}, {"refit", 2.0}, {"rounds", 50},
          {"trees", "shared"}},
       1},
      {"replay-quick",
       "",
       {},
       read_guard({}),
       "replay",
       {{"at_once", 0}, {"bins", 31}, {"late", 0.5}, {"learning_rate", 0.25}, {"leaves", 15},
          {"max_bytes", 16777216}, {"memory", 2000}, {"refit", 1.25}, {"rounds", 15},
          {"trees", "shared"}},
       1},
      {"judge",
       "",
       {},
       read_guard({}),
       "replay",
       {{"at_once", 0}, {"bins", 31}, {"late", 0.25}, {"learning_rate", 0.1}, {"leaves", 8},
          {"max_bytes", 8388608}, {"memory", 10000}, {"refit", 1.5}, {"rounds", 30},
          {"trees", "shared"}},
       1},
  };
  plan.outer_pool = {{"by_loss", false}, {"caution", 1.0}, {"first_alone", true}, {"information", 0.0},
          {"least", -0.2}, {"most", 3.0}, {"prior", 20.0}, {"referee", true},
          {"referee_window", 300.0}, {"refill", 0.05}, {"temperature", true}, {"total", 0.0},
          {"window", 1000.0}};
  return plan;
}

Plan default_regressor(std::uint64_t seed) {
  Plan plan;
  plan.booster = "bagging_regressor";
  plan.booster_params = {{"combine", "recent"}, {"fraction", 1.0}, {"poisson_rate", 6.0}, {"sampling", "poisson"}};
  plan.learner = "regression_tree";
  plan.learner_params = {{"delta", 0.01}, {"feature_fraction", Config::none}, {"grace_period", 200.0},
          {"leaf_prediction", "adaptive"}, {"max_bytes", 3355443}, {"max_depth", Config::none},
          {"max_features", 0.6}, {"min_branch", 0.01}, {"ridge", 100.0}, {"tie_threshold", 0.05}};
  plan.ensemble.n_estimators = 30;
  plan.ensemble.seed = seed;
  plan.ensemble.guard = read_guard({{"background", true}, {"delta", 0.001}, {"detector", "adwin"}, {"error", "before"},
          {"on_drift", "learner"}, {"spare_amount", "lane"}, {"warning", 0.01}});
  plan.companions = {
      {"slow",
       "linear_regression",
       {{"clip", 5.0}, {"dtype", "float64"}, {"feature_fraction", Config::none}, {"fit_intercept", true},
          {"learning_rate", 0.1}, {"learning_rate_spread", 0.0}, {"scale", "auto"},
          {"start", "zero"}},
       read_guard({})},
      {"quick",
       "linear_regression",
       {{"clip", 5.0}, {"dtype", "float64"}, {"feature_fraction", Config::none}, {"fit_intercept", true},
          {"learning_rate", 1.0}, {"learning_rate_spread", 0.0}, {"scale", "auto"},
          {"start", "zero"}},
       read_guard({})},
  };
  plan.pool = {{"delay", 0}, {"window", 1000.0}};
  plan.experts = {
      {"last",
       "",
       {},
       read_guard({}),
       "",
       {},
       1},
      {"differences",
       "",
       {},
       read_guard({}),
       "",
       {{"at_once", 0}, {"bins", 31}, {"late", 0.25}, {"learning_rate", 0.1}, {"leaves", 15},
          {"loss", "squared"}, {"max_bytes", 53687092}, {"memory", 50000}, {"refit", 1.5},
          {"rounds", 50}},
       1},
      {"residuals",
       "",
       {},
       read_guard({}),
       "",
       {{"at_once", 0}, {"bins", 31}, {"late", 0.25}, {"learning_rate", 0.1}, {"leaves", 15},
          {"loss", "squared"}, {"max_bytes", 53687092}, {"memory", 50000}, {"refit", 1.5},
          {"rounds", 50}},
       1},
      {"replay",
       "",
       {},
       read_guard({}),
       "",
       {{"at_once", 0}, {"bins", 127}, {"late", 0.25}, {"learning_rate", 0.2}, {"leaves", 31},
          {"loss", "squared"}, {"max_bytes", 53687092}, {"memory", 50000}, {"refit", 1.5},
          {"rounds", 50}},
       1},
  };
  plan.referee = {{"delay", 0}, {"referee_window", 500.0}, {"window", 2000.0}};
  return plan;
}
// clang-format on

}  // namespace streamboost
