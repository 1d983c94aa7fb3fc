// A chunk of examples on its way through the blocks: rows, passages, scores. The pipeline and booster_runner.hpp fill it; it belongs to the
// call, so that several threads may ask the same model.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "streamboost/run/outputs.hpp"
#include "streamboost/run/row_memory.hpp"

namespace streamboost {

struct TrainingBatch {
  RowBlock rows;
  Truth truth;
  const double* weight;  // null for 1s
  OutputBuffers answers;
};

// Owned by the call, so that const verbs may run in several threads at once.
struct Chunk {
  std::vector<RowBuffer> row;
  std::vector<Example> example;
  std::vector<double> score, proba;
  BatchPhase batch_phase;  // of a batch phase that falls into this call
  std::size_t n_classes, n_lanes;
  int first = 0, size = 0;  // rows first .. first + size of the call

  Chunk(const Intake& intake, const Ensemble& ensemble, std::size_t n)
      : row(n),
        example(n),
        n_classes(static_cast<std::size_t>(std::max(intake.schema().n_classes, 2))),
        n_lanes(static_cast<std::size_t>(ensemble.n_estimators)) {
    for (RowBuffer& buffer : row) intake.make_room(buffer);
    score.resize(n_classes);
    proba.resize(n_classes);
  }
  virtual ~Chunk() = default;
  int capacity() const { return static_cast<int>(row.size()); }
  void begin(int at, int end) {
    first = at;
    size = std::min(capacity(), end - at);
  }
};

// With the passages of a booster.
template <Booster B>
struct ChunkOf final : Chunk {
  using Passage = typename B::Passage;
  std::vector<Passage> passage;
  std::vector<double> votes, columns;

  ChunkOf(const Intake& intake, const Ensemble& ensemble, std::size_t n) : Chunk(intake, ensemble, n), passage(n) {
    if (B::traits.votes) votes.resize(n * n_classes);
    if (B::traits.column) columns.resize(n * column_size());
  }
  std::size_t column_size() const { return (B::traits.column_rows + (B::traits.column_by_class ? n_classes : 0)) * padded(n_lanes); }
  void open(int r, bool answers) {
    const auto at = static_cast<std::size_t>(r);
    passage[at] = Passage{};
    passage[at].answers = answers;
    if (B::traits.votes) {
      passage[at].votes = votes.data() + at * n_classes;
      std::fill_n(passage[at].votes, n_classes, 0.0);
    }
    if (B::traits.column) passage[at].column = columns.data() + at * column_size();
  }
};

// Where a call works, kept for the next one: rows that come one by one find everything in its place.
struct CallMemory {
  std::unique_ptr<Chunk> chunk;
  std::vector<Scratch> scratch;  // [block]
};

}  // namespace streamboost
