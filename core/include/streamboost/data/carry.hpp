// What travels with a chunk of examples from one part of an ensemble to the next, where the parts live in different processes.
//
// A part owns lanes [begin, end). It meets every example like the whole ensemble does (its intake is its own: a function of the rows, the
// same in all parts), takes up the passages that the lanes before it have left, and hands them on. The last part also owns the combiner
// and speaks. So parts in a row give the bits of one process, whatever the cuts.
//
//   Carry    the passages of a chunk's rows after these lanes. A row is [scan | votes, one per class | column, one per lane passed],
//            the last two where the booster has them. A batch phase that falls into the chunk has a passage of its own (row_memory.hpp);
//            a drift action that looks at all lanes takes the worst of them along.
//   Part     a seat at which a pipeline finds the carry of the call at hand and leaves its own (stage.hpp fills and empties it).
#pragma once
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "streamboost/data/lanes.hpp"

namespace streamboost {

struct Carry {
  std::int64_t number = 0;  // examples learned before the chunk
  int n_rows = 0, n_classes = 0, lanes = 0;
  bool answers = true;  // whether anybody will read the answers
  std::size_t stride = 0;
  std::vector<double> cell;  // [row][stride]

  bool phase = false, stopped = false;  // a batch phase falls into this chunk; its later lanes stay empty
  std::vector<double> share;

  bool alarm = false;  // some lane passed so far has alarmed
  int worst_lane = -1;
  double worst_error = -1;
};

struct Part {
  Lanes lanes;
  bool last = true;
  Carry in, out;
  int row = 0;  // of the chunk: the next one to come

  // Set by the pipeline that sits here.
  int grain = 1;                                                     // cuts fall on its multiples
  bool one_by_one = false;                                           // all lanes must have met a row before the next one comes
  std::function<void(const Carry&, std::int64_t n_learning)> check;  // before anything is touched; throws
  std::function<void(int lane, std::int64_t number)> restart;        // a lane of this part begins again
};

inline void require_carry(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("broken carry: ") + what);
}

}  // namespace streamboost
