// What a caller can ask about a row (label, probabilities, scores, a number, a set), the buffers that answers are written to, and the records
// that come back with a late label. Every model takes an OutputBuffers; the bindings allocate them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/ensembles/booster.hpp"

namespace streamboost {

enum class Output { none, label, score, proba, both, full, set, number, votes };

// What the parts of a model said to rows when they were asked about, a record of numbers each, to be handed back with the truth: whoever
// combines answers then learns from those that were really given. A record begins with the number of classes that had codes, K, or with -1:
// nothing was learned yet, and nothing is to be learned from what was said. Then come the models around one another, the innermost first, each with what it needs (Model::record_width).
struct Records {
  double* value = nullptr;              // [record][stride]
  std::size_t stride = 0;               //
  const std::int32_t* place = nullptr;  // [row]: its record, or -1 if it has none; null: row r has record r
  // A row that is asked about writes its record, one that is learned reads it. Null: there is none.
  double* of(int row) const {
    if (value == nullptr) return nullptr;
    const std::int64_t at = place ? place[row] : row;
    double* record = value + at * static_cast<std::int64_t>(stride);
    return at < 0 || record[0] < 0 ? nullptr : record;
  }
  Records from(int row) const {
    if (value == nullptr) return *this;
    return place ? Records{value, stride, place + row} : Records{value + static_cast<std::size_t>(row) * stride, stride, nullptr};
  }
  static std::size_t classes(const double* record) { return static_cast<std::size_t>(record[0]); }
};

struct OutputBuffers {
  Output output = Output::none;
  std::int32_t* label = nullptr;  // [row]
  double* value = nullptr;        // [row][class] for score and proba; both: the probabilities, then the code of the label; full: the
                                  // scores before them; set: 1 for every class in the set, else 0;
                                  // number: [row]; votes: the share of the learners that are for each class, only to `predict`
  std::size_t coverage = 0;       // which of the coverages a set is to have; only models that keep sets are asked for them
  Records records = {};
  const char* heard = nullptr;  // [row]: 0 where nobody will read the answer, so that it need not be there; null: all are read

  // Those of the rows from this one on.
  OutputBuffers from(int row, std::size_t n_classes) const;
};

// Numbers of one row in OutputBuffers::value. Intervals of numbers are sets of two ends.
inline std::size_t columns_of(Output output, std::size_t n_classes) {
  if (output == Output::none || output == Output::label) return 0;
  if (output == Output::number) return 1;
  return output == Output::full ? 2 * n_classes + 1 : output == Output::both ? n_classes + 1 : n_classes;
}

inline OutputBuffers OutputBuffers::from(int row, std::size_t n_classes) const {
  OutputBuffers rest = *this;
  if (label) rest.label += row;
  if (value) rest.value += static_cast<std::size_t>(row) * columns_of(output, n_classes);
  rest.records = records.from(row);
  if (heard) rest.heard += row;
  return rest;
}

// The class with the highest score; ties go to the lowest code, or to a keyed draw among the tied.
int pick_class(const double* score, int known, const Ensemble& ensemble, std::int64_t number);

// Verdicts of a call to its buffers. reserved: classes that have codes.
struct AnswerWriter {
  const OutputBuffers& out;
  const Ensemble& ensemble;
  std::size_t reserved;
  void write(int row, const Example& example, const Verdict& verdict) const;
};

}  // namespace streamboost
