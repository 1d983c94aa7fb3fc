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

// From the inside out. A part whose Config or list is empty is left out.
struct Plan {
  // The ensemble.
  std::string booster, learner;
  Config booster_params, learner_params;
  Ensemble ensemble;
  BankFactory bank = {};  // of learners that the table of banks does not know; empty: the learner is one of them by name
  std::vector<int> cuts;  // lanes at which a new block begins; empty: chosen for the number of threads
  Config tokens;          // the ensemble learns from hashed tokens (run/tokens_model.hpp) instead of columns

  // Learners beside the ensemble, and the pool that combines their answers with the ensemble's.
  std::vector<Companion> companions;
  Config pool;
  // Learners around that pool, and the pool that combines their answers with the first pool's, which counts as one expert.
  std::vector<Companion> outer_companions;
  Config outer_pool;
  // Experts of time around a regressor, by their names, and the referee that combines their answers (run/timed_regressor.hpp).
  std::vector<Companion> experts;
  Config referee;

  // The columns that all of the above see of wide rows (run/encoded_model.hpp), experts that see such rows whole, and their pool.
  Config encoding;
  std::vector<Companion> whole_companions;
  Config whole_pool;

  Config lags;                                                 // past targets as further columns (run/lagged_model.hpp)
  Config stages;                                               // what comes after the vote (run/staged_model.hpp)
  double max_bytes = std::numeric_limits<double>::infinity();  // see Growth::bytes: trees and remembered rows have limits of their own
};

std::unique_ptr<Model> make_model(const Plan& plan);

// Restricts the ensemble to some of its lanes; the others live in other processes.
void take_part(Ensemble& ensemble, Lanes lanes);

GuardParams read_guard(const Config& config);  // no parameters: no guard

// The plans of StreamBoostClassifier() and StreamBoostRegressor().
Plan default_classifier(std::uint64_t seed);
Plan default_regressor(std::uint64_t seed);

}  // namespace streamboost
