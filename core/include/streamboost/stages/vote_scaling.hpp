// Votes made probabilities, labels as they are: P ~ Q^w S^a, a logarithmic pool of the vote Q and the shares S of the classes so far.
//
//   l, u      ln max(Q, 1e-3) and ln S, less their means over the classes;  S_c = (n_c + 1) / (n + k), n fading like everything here
//   count     n_y <- n_y + s, of every row
//   learn     g = (l_y - E l, u_y - E u),  C = covariance of (l, u), both under P;  n <- f n
//             H <- f H + s C + (1 - f) 20 I;   (w, a) <- (w, a) + s H^-1 g,  then w in [.01, 3] and a in [0, 1.5]
//
// From (w, a) = (1, 0), the vote itself; (0, 1) are the shares: the loss is convex in (w, a), so Newton steps lose little to either. A slope
// alone would not do: flattened votes become equal chances, which rare classes do not have. Chances and labels never contradict each other: the
// odds r of the label that was voted for, against the likeliest other class, are raised to 1 + e r / (1 + e) where they are below 1 + e = 1.05,
// so that the order of the rows stays. While the vote's own logarithmic loss, fading too, is not above that of P, the vote speaks as it is:
// so before the first lesson.
#pragma once
#include <algorithm>
#include <cstddef>

#include "streamboost/data/fields.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class VoteScaling {
 public:
  void reserve(std::size_t n_classes) {
    if (counts_.size() < n_classes) counts_.resize(n_classes);
  }

  // P from Q over k classes, the voted one being `label` (-1: others decide); `logs` (2 k: l, then u) and `scaled` (k: P before the label is heard) are for learn.
  void answer(const double* Q, int k, int label, double* logs, double* scaled, double* P) const {
    const auto n = static_cast<std::size_t>(k);
    double total = 0;
    for (std::size_t c = 0; c < n; ++c) total += counts_[c];
    for (std::size_t c = 0; c < n; ++c) {
      logs[c] = std::max(Q[c], rim);
      logs[n + c] = (counts_[c] + 1) / (total + k);
    }
    log_lanes(logs, logs, 2 * n);
    for (double* x : {logs, logs + n}) {
      double mean = 0;
      for (std::size_t c = 0; c < n; ++c) mean += x[c];
      mean /= k;
      for (std::size_t c = 0; c < n; ++c) x[c] -= mean;
    }
    for (std::size_t c = 0; c < n; ++c) scaled[c] = state_[0] * logs[c] + state_[1] * logs[n + c];
    const double highest = *std::max_element(scaled, scaled + n);
    for (std::size_t c = 0; c < n; ++c) scaled[c] -= highest;
    exp_lanes(scaled, scaled, n);
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += scaled[c];
    for (std::size_t c = 0; c < n; ++c) scaled[c] /= sum;
    if (vote_leads()) {
      std::copy_n(Q, n, P);
      return;
    }
    const Raised raised(scaled, k, label);
    for (int c = 0; c < k; ++c) P[c] = raised.chance(c);
  }

  // voted: the class that `answer` was told.
  void learn(const double* Q, const double* logs, const double* scaled, int k, int voted, int label, double weight, double fading) {
    double* lost = state_.data() + 5;
    lost[0] = std::min(fading * lost[0] - weight * log(std::clamp(Q[label], least, 1.0)), largest);
    lost[1] = std::min(fading * lost[1] - weight * log(std::clamp(Raised(scaled, k, voted).chance(label), least, 1.0)), largest);
    const double *l = logs, *u = logs + k;
    double ml = 0, mu = 0, ll = 0, lu = 0, uu = 0;
    for (int c = 0; c < k; ++c) {
      const double pl = scaled[c] * l[c], pu = scaled[c] * u[c];
      ml += pl;
      mu += pu;
      ll += pl * l[c];
      lu += pl * u[c];
      uu += pu * u[c];
    }
    double *w = state_.data(), *H = w + 2;
    H[0] = curve(H[0], ll - ml * ml, weight, fading);
    H[2] = curve(H[2], uu - mu * mu, weight, fading);
    const double most = H[0] * H[2] * (1 - 1e-9), off = fading * H[1] + weight * (lu - ml * mu);
    H[1] = off * off < most ? off : (off < 0 ? -1 : 1) * sqrt(most);
    const double det = H[0] * H[2] - H[1] * H[1], gl = weight * (l[label] - ml), gu = weight * (u[label] - mu);
    w[0] = std::clamp(w[0] + (H[2] * gl - H[1] * gu) / det, 0.01, 3.0);
    w[1] = std::clamp(w[1] + (H[0] * gu - H[1] * gl) / det, 0.0, 1.5);
    for (double& n : counts_) n *= fading;
  }

  void count(int label, double weight) {
    double& n = counts_[static_cast<std::size_t>(label)];
    n = std::min(n + weight, largest);
  }

  double of_votes() const { return vote_leads() ? 1.0 : state_[0]; }
  double of_shares() const { return vote_leads() ? 0.0 : state_[1]; }

  void fields(FieldVisitor& v) {
    v("temperature", state_);
    v("shares", counts_);
  }
  void check() const {
    require(state_[0] >= 0.01 && state_[0] <= 3 && state_[1] >= 0 && state_[1] <= 1.5, "temperature");
    require(state_[2] > 0 && state_[2] <= largest && state_[4] > 0 && state_[4] <= largest, "temperature");
    require(state_[3] * state_[3] < state_[2] * state_[4], "temperature");
    for (std::size_t i : {5, 6}) require(state_[i] >= 0 && state_[i] <= largest, "temperature");
    for (double n : counts_) require(n >= 0 && n <= largest, "shares of the classes");
  }

 private:
  static constexpr double rim = 1e-3, least = 1e-6, start = 20, largest = 1e100, room = 0.05;

  // P with the chance of the voted class above all others.
  struct Raised {
    const double* p;
    int voted;
    double own, sum = 1;
    Raised(const double* scaled, int k, int label) : p(scaled), voted(label), own(label < 0 ? 0.0 : scaled[label]) {
      if (label < 0) return;
      double most = 0;
      for (int c = 0; c < k; ++c) most = c == label ? most : std::max(most, scaled[c]);
      if (own >= (1 + room) * most) return;
      own = most + room / (1 + room) * own;
      sum += own - scaled[label];
    }
    double chance(int c) const { return (c == voted ? own : p[c]) / sum; }
  };
  bool vote_leads() const { return state_[5] <= state_[6]; }
  static double curve(double H, double variance, double weight, double fading) {
    return std::min(fading * H + weight * std::max(variance, 0.0) + (1 - fading) * start, largest);
  }

  AlignedVector<double> state_{1.0, 0.0, start, 0.0, start, 0.0, 0.0};  // w, a, H (ll, lu, uu), losses of Q and P
  AlignedVector<double> counts_;                                        // [class]
};

}  // namespace streamboost
