// The threads that a model may use: its calls, divided among them (run/flow.hpp). Bits do not depend on it.
//
// Learning is divided by cost: the processor time of every station, measured while it works, decides who does what in the next call. Answering
// is divided by rows. Calls that are too small for that stay with the caller's thread.
#pragma once
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

class Team {
 public:
  explicit Team(const Ensemble& ensemble) : threads_(std::min(ensemble.threads, Ensemble::most_threads)), chunk_(ensemble.wave_chunk) {}

  void learn(Model& model, const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out);
  void predict(const Model& model, const RowBlock& rows, const OutputBuffers& out) const;

  // What benchmarks look at: the flows so far, and how the last one was dealt out.
  struct Record {
    double busiest = 0, together = 0;  // processor seconds: of each flow's busiest worker, of all workers
    std::vector<double> cost;          // [station], seconds per row
    std::vector<int> owner;
    std::vector<std::vector<int>> after;
    int chunk_rows = 0, slots = 0;
  };
  const Record& record() const { return record_; }
  // Calls are divided as for threads, but the caller does all of it, one station after the other: what each would cost with a core, and its
  // cache, to itself. A machine with fewer cores than threads cannot show that otherwise.
  void take_turns(bool on) { in_turn_ = on; }

 private:
  struct Call {
    RowBlock rows;
    Truth truth;
    const double* weight;
    OutputBuffers out;
  };
  void alone(Model& model, const Call& call);
  int chunk_rows(int n_rows) const;
  bool small(int n_rows) const;
  void remember(const Flow& flow, int n_rows);

  int threads_, chunk_;  // chunk_: rows of a chunk; 0: as it suits, and only where threads pay
  bool in_turn_ = false;
  double row_seconds_ = 0;
  Record record_;
};

}  // namespace streamboost
