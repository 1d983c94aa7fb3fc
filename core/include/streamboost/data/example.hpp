// Examples as they reach the lanes: one row, its label, its weight, its number.
#pragma once
#include <cstdint>
#include <vector>

#include "streamboost/data/lanes.hpp"
#include "streamboost/data/row.hpp"

namespace streamboost {

struct Example {
  Row row;
  int label = -1;                 // internal code; -1: not given; 0 where a number is to be learned
  const double* facts = nullptr;  // what else there is to learn (Facts), of models that learn no single label
  double target = 0;              // the number to be learned, of models that answer numbers
  double weight = 1;              // sample weight s; 0: answered, never learned
  std::int64_t number = 0;        // examples learned before this one; keys every draw
  int n_classes = 0;              // classes known when it arrives: answers range over these
  int n_classes_after = 0;        // the same once its own label is learned
};

// What the lanes are to learn: one label for all, one each (multiclass boosters teach each lane its own), or a number each (regression).
struct Labels {
  int common = -1;
  const std::int32_t* per_lane = nullptr;
  const double* target = nullptr;  // [lane]: the number that the lane should have answered
  int of(int lane) const { return per_lane ? per_lane[lane] : common; }
};

// What a model learns of a row in place of its label.
enum class Facts {
  none,
  set,     // [label]: 1 if the row has it, else 0
  bandit,  // the label that was played, its reward (1: it was right), the probability that it had, the label that was thought best
};

// What there is to learn about a block of rows: a label each, a number each, or some facts each.
struct Truth {
  const std::int32_t* label = nullptr;
  const double* target = nullptr;
  const double* facts = nullptr;
  std::size_t n_facts = 0;          // of a row
  const bool* unlabeled = nullptr;  // rows of weight 0 that nobody has labelled: they move the statistics of the columns
  Truth(const std::int32_t* labels) : label(labels) {}
  static Truth of_numbers(const double* targets) {
    Truth truth(nullptr);
    truth.target = targets;
    return truth;
  }
  static Truth of_facts(const double* facts, std::size_t n) {
    Truth truth(nullptr);
    truth.facts = facts;
    truth.n_facts = n;
    return truth;
  }
  bool absent(int row) const { return unlabeled != nullptr && unlabeled[row]; }
  Truth from(int row) const {
    Truth rest = *this;
    if (facts) rest.facts += static_cast<std::size_t>(row) * n_facts;
    if (label) rest.label += row;
    if (target) rest.target += row;
    if (unlabeled) rest.unlabeled += row;
    return rest;
  }
};

// Buffers that keep the views of a chunk of rows alive while blocks of lanes work on them.
struct RowBuffer {
  AlignedVector<double> value, teach;
  std::vector<std::int32_t> index;
};

}  // namespace streamboost
