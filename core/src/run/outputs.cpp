#include "streamboost/run/outputs.hpp"

#include <algorithm>

#include "streamboost/math/rng.hpp"

namespace streamboost {

int pick_class(const double* score, int known, const Ensemble& ensemble, std::int64_t number) {
  int best = known > 0 ? 0 : -1, tied = 1;
  for (int c = 1; c < known; ++c) {
    if (score[c] > score[best]) {
      best = c;
      tied = 1;
    } else if (score[c] == score[best]) {
      ++tied;
    }
  }
  if (tied < 2 || !ensemble.random_ties) return best;
  auto skip = static_cast<int>(uniform({ensemble.seed, static_cast<std::uint64_t>(number), 0, Purpose::tie}) * tied);
  int winner = best;
  for (int c = best; c < known; ++c)
    if (score[c] == score[best] && skip-- == 0) winner = c;
  return winner;
}

void AnswerWriter::write(int row, const Example& example, const Verdict& verdict) const {
  double* to = out.value + static_cast<std::size_t>(row) * columns_of(out.output, reserved);
  const auto label = [&] { return pick_class(verdict.score, example.n_classes, ensemble, example.number); };
  switch (out.output) {
    case Output::none:
    case Output::number:
    case Output::set:  // of the stages around a model
      break;
    case Output::votes:  // a single opinion
      std::fill_n(to, reserved, 0.0);
      if (const int one = label(); one >= 0) to[one] = 1;
      break;
    case Output::label:
      out.label[row] = label();
      break;
    case Output::score:
      std::copy_n(verdict.score, reserved, to);
      break;
    case Output::proba:
      std::copy_n(verdict.proba, reserved, to);
      break;
    case Output::both:
      std::copy_n(verdict.proba, reserved, to);
      to[reserved] = label();
      break;
    case Output::full:
      std::copy_n(verdict.score, reserved, to);
      std::copy_n(verdict.proba, reserved, to + reserved);
      to[2 * reserved] = label();
      break;
  }
}

}  // namespace streamboost
