// The labels' own past: what label follows the last two, whatever the row says.
//
//   p_0 = 1 / K;   for the contexts of no label, of the last one, of the last two, in this order:
//   p = (w + 2 p_shorter) / (sum w + 2),   w: labels that followed the context, fading by 1 - 1/1000 per example
//
// A chain of second order that backs off to shorter contexts where longer ones are new. Streams of real data often repeat their labels
// (Zliobaite et al. 2015), and then this knows more than any row; where they do not, a pool gives it no weight.
// Late labels where they come `delay` rows late in use, a row is learned with the labels of so many rows before, as it will be answered.
// Memory      K^3 numbers up to K = 64 classes. With more, only the last label is a context, and only the first 64 classes have counts.
// Cost        O(K) per example.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/lanes.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class LabelHistory {
 public:
  static constexpr int most = 64;
  static constexpr double horizon = 1000, backing = 2;

  explicit LabelHistory(std::int64_t delay = 0) : delay_(delay), recent_(static_cast<std::size_t>(delay) + 2, -1) {}

  // The same past with room for more classes.
  LabelHistory grown(int n_classes) const {
    LabelHistory grown = *this;
    grown.classes_ = n_classes;
    grown.k_ = std::min(n_classes, most);
    const auto k = static_cast<std::size_t>(grown.k_), was = static_cast<std::size_t>(k_);
    const std::size_t contexts = 1 + k + (n_classes <= most ? k * k : 0);
    grown.count_.assign(contexts * k, 0.0);
    grown.when_.assign(contexts, 0);
    for (std::size_t c = 0; c < when_.size(); ++c) {
      const std::size_t pair = c - 1 - was, to = c <= was ? c : 1 + k + pair / was * k + pair % was;
      if (to >= contexts) continue;  // pairs are dropped beyond 64 classes
      std::copy_n(count_.begin() + static_cast<std::ptrdiff_t>(c * was), was, grown.count_.begin() + static_cast<std::ptrdiff_t>(to * k));
      grown.when_[to] = when_[c];
    }
    return grown;
  }

  // Of `known` classes, before example number t, or `delay` rows later if nobody has said yet what came in between.
  void answer(std::int64_t t, bool learned, int known, double* p) const {
    for (int c = 0; c < known; ++c) p[c] = 1.0 / known;
    std::array<std::size_t, 3> context;
    const int counted = std::min(known, k_);
    for (int o = 0, n = contexts(t, learned ? delay_ : 0, context); o < n; ++o) {
      const double* w = row(context[static_cast<std::size_t>(o)]);
      const double fade = faded(context[static_cast<std::size_t>(o)], t);
      double sum = 0;
      for (int c = 0; c < counted; ++c) sum += w[c] * fade;
      for (int c = 0; c < known; ++c) p[c] = ((c < counted ? w[c] * fade : 0.0) + backing * p[c]) / (sum + backing);
    }
  }

  void learn(std::int64_t t, int label, double weight) {
    std::array<std::size_t, 3> context;
    for (int o = 0, n = contexts(t, delay_, context); o < n && label < k_; ++o) {
      const std::size_t at = context[static_cast<std::size_t>(o)];
      const double fade = faded(at, t);
      double* w = count_.data() + at * static_cast<std::size_t>(k_);
      for (int c = 0; c < k_; ++c) w[c] *= fade;
      w[label] = std::min(w[label] + weight, largest);
      when_[at] = t;
    }
    recent_[place(t)] = label;
  }

  void fields(FieldVisitor& v) {
    v("history_count", count_);
    v("history_when", when_);
    v("history_recent", recent_);
  }
  void check(std::int64_t t) const {
    for (double w : count_) require(w >= 0 && w <= largest, "counts of the labels' past");
    for (std::int64_t when : when_) require(when >= 0 && when <= t, "times of the labels' past");
    for (std::int64_t label : recent_) require(label >= -1 && label < classes_, "last labels");
  }
  std::size_t bytes() const { return count_.capacity() * sizeof(double) + (when_.capacity() + recent_.capacity()) * sizeof(std::int64_t); }

 private:
  static constexpr double largest = 1e100;

  // The contexts of example t, the shortest first, made of labels at least `late` examples older; returns how many.
  int contexts(std::int64_t t, std::int64_t late, std::array<std::size_t, 3>& found) const {
    const auto k = static_cast<std::size_t>(k_);
    const std::int64_t last = label_of(t - 1 - late), before = label_of(t - 2 - late);
    found[0] = 0;
    if (last < 0 || last >= k_) return 1;
    found[1] = 1 + static_cast<std::size_t>(last);
    if (before < 0 || before >= k_ || when_.size() <= 1 + k) return 2;
    found[2] = 1 + k + static_cast<std::size_t>(before) * k + static_cast<std::size_t>(last);
    return 3;
  }
  std::size_t place(std::int64_t example) const { return static_cast<std::size_t>(example) % recent_.size(); }
  std::int64_t label_of(std::int64_t example) const { return example < 0 ? -1 : recent_[place(example)]; }
  const double* row(std::size_t context) const { return count_.data() + context * static_cast<std::size_t>(k_); }
  double faded(std::size_t context, std::int64_t t) const {
    return streamboost::exp(static_cast<double>(t - when_[context]) * streamboost::log(1 - 1 / horizon));
  }

  AlignedVector<double> count_;     // [context][class]
  std::vector<std::int64_t> when_;  // [context]: the example that moved it last
  std::int64_t delay_;
  std::vector<std::int64_t> recent_;  // the last labels, example t at t modulo their number; -1: none yet
  int k_ = 0, classes_ = 0;           // with counts, and all
};

}  // namespace streamboost
