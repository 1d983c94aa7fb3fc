// The labels' own past: what label follows the last two, whatever the row says.
//
//   p_0 = 1 / K;   for the contexts of no label, of the last one, of the last two, in this order:
//   p = (w + 2 p_shorter) / (sum w + 2),   w: labels that followed the context, fading by 1 - 1/1000 per example
//
// A chain of second order that backs off to shorter contexts where longer ones are new. Streams of real data often repeat their labels
// (Zliobaite et al. 2015), and then this knows more than any row; where they do not, a pool gives it no weight.
// Late labels where they come `delay` rows late in use, the context of a row that is learned are the labels of so many rows before, and it is
//             answered with the counts of so many rows before: as it will be in use. For these there is a second table.
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

  explicit LabelHistory(std::int64_t delay = 0)
      : delay_(delay), recent_(static_cast<std::size_t>(2 * delay) + 2, -1), weight_(static_cast<std::size_t>(delay), 0.0) {}

  // The same past with room for more classes.
  LabelHistory grown(int n_classes) const {
    LabelHistory grown = *this;
    grown.classes_ = n_classes;
    grown.k_ = std::min(n_classes, most);
    grown.now_ = now_.grown(k_, grown.k_, n_classes <= most);
    if (delay_ > 0) grown.then_ = then_.grown(k_, grown.k_, n_classes <= most);
    return grown;
  }

  // Of `known` classes, before example number t. learned: t is about to be learned.
  void answer(std::int64_t t, bool learned, int known, double* p) const {
    for (int c = 0; c < known; ++c) p[c] = 1.0 / known;
    const bool late = learned && delay_ > 0;
    const Counts& counts = late ? then_ : now_;
    std::array<std::size_t, 3> context;
    const int counted = std::min(known, k_);
    for (int o = 0, n = contexts(t, late ? delay_ : 0, context); o < n; ++o) {
      const std::size_t at = context[static_cast<std::size_t>(o)];
      const double* w = counts.weight.data() + at * static_cast<std::size_t>(k_);
      const double fade = faded(t - (late ? delay_ : 0) - counts.when[at]);
      double sum = 0;
      for (int c = 0; c < counted; ++c) sum += w[c] * fade;
      for (int c = 0; c < known; ++c) p[c] = ((c < counted ? w[c] * fade : 0.0) + backing * p[c]) / (sum + backing);
    }
  }

  void learn(std::int64_t t, int label, double weight) {
    count(now_, t, label, weight);
    if (delay_ > 0) {
      double& kept = weight_[static_cast<std::size_t>(t % delay_)];
      if (t >= delay_) count(then_, t - delay_, static_cast<int>(label_of(t - delay_)), kept);
      kept = weight;
    }
    recent_[place(t)] = label;
  }

  void fields(FieldVisitor& v) {
    v("history_count", now_.weight);
    v("history_when", now_.when);
    v("history_recent", recent_);
    if (delay_ == 0) return;
    v("history_count_then", then_.weight);
    v("history_when_then", then_.when);
    v("history_weight", weight_);
  }
  void check(std::int64_t t) const {
    for (const Counts* counts : {&now_, &then_}) {
      for (double w : counts->weight) require(w >= 0 && w <= largest, "counts of the labels' past");
      for (std::int64_t when : counts->when) require(when >= 0 && when <= t, "times of the labels' past");
    }
    for (std::int64_t label : recent_) require(label >= -1 && label < classes_, "last labels");
    for (std::int64_t i = 0; i < std::min(t, delay_); ++i) require(label_of(t - 1 - i) >= 0, "last labels");
    for (double w : weight_) require(w >= 0, "weights of the last labels");
  }
  std::size_t bytes() const {
    const auto of = [](const Counts& c) { return c.weight.capacity() * sizeof(double) + c.when.capacity() * sizeof(std::int64_t); };
    return of(now_) + of(then_) + (recent_.capacity() + weight_.capacity()) * sizeof(double);
  }

 private:
  static constexpr double largest = 1e100;

  struct Counts {
    AlignedVector<double> weight;    // [context][class]
    std::vector<std::int64_t> when;  // [context]: the example that moved it last
    Counts grown(int before, int after, bool pairs) const {
      const auto was = static_cast<std::size_t>(before), k = static_cast<std::size_t>(after);
      const std::size_t contexts = 1 + k + (pairs ? k * k : 0);
      Counts grown{AlignedVector<double>(contexts * k, 0.0), std::vector<std::int64_t>(contexts, 0)};
      for (std::size_t c = 0; c < when.size(); ++c) {
        const std::size_t pair = c - 1 - was, to = c <= was ? c : 1 + k + pair / was * k + pair % was;
        if (to >= contexts) continue;  // pairs are dropped beyond 64 classes
        std::copy_n(weight.begin() + static_cast<std::ptrdiff_t>(c * was), was, grown.weight.begin() + static_cast<std::ptrdiff_t>(to * k));
        grown.when[to] = when[c];
      }
      return grown;
    }
  };

  void count(Counts& counts, std::int64_t t, int label, double weight) {
    std::array<std::size_t, 3> context;
    for (int o = 0, n = contexts(t, delay_, context); o < n && label < k_; ++o) {
      const std::size_t at = context[static_cast<std::size_t>(o)];
      const double fade = faded(t - counts.when[at]);
      double* w = counts.weight.data() + at * static_cast<std::size_t>(k_);
      for (int c = 0; c < k_; ++c) w[c] *= fade;
      w[label] = std::min(w[label] + weight, largest);
      counts.when[at] = t;
    }
  }

  // The contexts of example t, the shortest first, made of labels at least `late` examples older; returns how many.
  int contexts(std::int64_t t, std::int64_t late, std::array<std::size_t, 3>& found) const {
    const auto k = static_cast<std::size_t>(k_);
    const std::int64_t last = label_of(t - 1 - late), before = label_of(t - 2 - late);
    found[0] = 0;
    if (last < 0 || last >= k_) return 1;
    found[1] = 1 + static_cast<std::size_t>(last);
    if (before < 0 || before >= k_ || now_.when.size() <= 1 + k) return 2;
    found[2] = 1 + k + static_cast<std::size_t>(before) * k + static_cast<std::size_t>(last);
    return 3;
  }
  std::size_t place(std::int64_t example) const { return static_cast<std::size_t>(example) % recent_.size(); }
  std::int64_t label_of(std::int64_t example) const { return example < 0 ? -1 : recent_[place(example)]; }
  static double faded(std::int64_t examples) { return streamboost::exp(static_cast<double>(examples) * streamboost::log(1 - 1 / horizon)); }

  Counts now_, then_;  // then: as of `delay` examples ago
  std::int64_t delay_;
  std::vector<std::int64_t> recent_;  // the last labels, example t at t modulo their number; -1: none yet
  AlignedVector<double> weight_;      // of the last `delay` examples, likewise
  int k_ = 0, classes_ = 0;           // with counts, and all
};

}  // namespace streamboost
