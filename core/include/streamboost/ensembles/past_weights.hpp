// What the weights of a pool were `delay` examples ago: those that had the say when a row was answered whose truth comes so late.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "streamboost/data/fields.hpp"

namespace streamboost {

class PastWeights {
 public:
  static constexpr std::int64_t longest = 100'000;
  // first: the weights at the start, which count as those of all times before.
  PastWeights(std::int64_t delay, const AlignedVector<double>& first) : delay_(delay), n_(first.size()) {
    if (delay < 0 || delay > longest) throw std::invalid_argument("delay is out of range");
    for (std::int64_t t = 0; t < delay; ++t) kept_.insert(kept_.end(), first.begin(), first.end());
  }

  bool none() const { return delay_ == 0; }
  // As they were before example t - delay was learned, and where those of before example t are put in their place.
  const double* before(std::int64_t t) const { return kept_.data() + place(t); }
  double* before(std::int64_t t) { return kept_.data() + place(t); }

  void fields(FieldVisitor& v, const char* name) {
    if (delay_ > 0) v(name, kept_);
  }
  const AlignedVector<double>& all() const { return kept_; }

 private:
  std::size_t place(std::int64_t t) const { return static_cast<std::size_t>(t % delay_) * n_; }

  std::int64_t delay_;
  std::size_t n_;
  AlignedVector<double> kept_;  // [example modulo delay][weight]
};

}  // namespace streamboost
