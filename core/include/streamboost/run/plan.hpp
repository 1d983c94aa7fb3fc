// A plan: all that a model is made from, as plain data. The core builds pipelines, companions, pool and stages from it; bindings and
// programs only fill it in.
//
//   make_model(default_classifier(seed))       what StreamBoostClassifier() is in Python
//   plan.booster = "osboost"; ...              anything else, with all parameters: the core has no defaults of its own
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "streamboost/run/models.hpp"

namespace streamboost {

// A single learner that answers beside the ensemble, or a small ensemble of such.
struct Companion {
  std::string name, learner;
  Config params;
  GuardParams guard;
  std::string booster = {};  // empty: a single learner
  Config booster_params = {};
  int size = 1;
};

struct Plan {
  std::string booster, learner;
  Config booster_params, learner_params;
  Ensemble ensemble;
  Config tokens;          // the ensemble learns from hashed tokens (run/tokens_model.hpp); empty: from rows as they are
  std::vector<int> cuts;  // lanes at which a new block begins; empty: where it suits the threads
  std::vector<Companion> companions;
  Config pool, stages;  // of the companions' answers; after the vote, empty: none
  std::vector<Companion> outer_companions;
  Config outer_pool;                        // of their answers and of what the first pool says, which is one expert here
  std::vector<Companion> experts;           // of time, by their names, around a regressor with its companions (run/timed_regressor.hpp)
  Config referee;                           // over them
  Config encoding;                          // what all of these see of wide rows (run/encoded_model.hpp); empty: rows as they are
  std::vector<Companion> whole_companions;  // beside them: experts that see such rows whole
  Config whole_pool;
  Config lags;                                                 // past targets as further columns (run/lagged_model.hpp); empty: none
  double max_bytes = std::numeric_limits<double>::infinity();  // see Growth::bytes: trees and remembered rows have their own
  BankFactory bank = {};  // of learners that the table of banks does not know; empty: the learner is one of them by name
};

std::unique_ptr<Model> make_model(const Plan& plan);

// The ensemble is to be only these of its lanes; the others live elsewhere.
void take_part(Ensemble& ensemble, Lanes lanes);

GuardParams read_guard(const Config& config);  // no parameters: no guard

// The plans of StreamBoostClassifier() and StreamBoostRegressor().
Plan default_classifier(std::uint64_t seed);
Plan default_regressor(std::uint64_t seed);

}  // namespace streamboost
