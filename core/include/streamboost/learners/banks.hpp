// The banks by name. Names are part of the file format.
//
// Each bank is compiled in a file of its own, core/src/learners/NAME.cpp, so that a change of one learner compiles one file; banks.cpp
// has the table.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"

namespace streamboost {

// A bank that owns these lanes of an ensemble of n_estimators learners. Throws what a user can read where a name or a parameter is unknown.
std::unique_ptr<Bank> make_bank(const std::string& learner, const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed);
std::vector<std::string> bank_names();

using BankMaker = std::unique_ptr<Bank>(const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed);
BankMaker make_count_bayes, make_hoeffding, make_iti, make_linear, make_linear_regression, make_logistic, make_mlp, make_naive_bayes,
    make_nearest_neighbors, make_regression_tree, make_stump, make_tan;

// Linear learners keep their tables in float64 or float32.
template <template <class> class BankOf>
std::unique_ptr<Bank> make_of_dtype(const Config& config, Lanes lanes, int n_estimators, std::uint64_t seed) {
  const auto params = BankOf<double>::Params::read(config);
  if (config.choice<bool>("dtype", {{"float64", false}, {"float32", true}}))
    return std::make_unique<BankOf<float>>(params, lanes, n_estimators, seed);
  return std::make_unique<BankOf<double>>(params, lanes, n_estimators, seed);
}

}  // namespace streamboost
