// One fit of gradient boosted trees over remembered rows, in slices.
//
// Papers    Friedman: Greedy function approximation, a gradient boosting machine (2001); Chen, Guestrin: XGBoost (2016) for the second order;
//           Ke et al.: LightGBM (2017) for histograms and leaf-wise growth; Iosipoi, Vakhrushev: SketchBoost (2022) for one tree for all
//           classes, its structure searched on few of them.
//
//   F = start                         log shares of the classes (two: their log odds), the mean or the median of the target
//   each round:   g, h = slope and curvature of the loss at F; a tree is grown leaf by leaf, always at the split of highest gain
//     gain        S(left) + S(right) - S(both),   S = G^2 / (H + lambda)               G, H: sums of g and h
//                                                 S = sum_s G_s^2 / (H + lambda)       a tree for all classes: over the outputs s of a sketch;
//                                                                                      H: the mean of theirs
//     leaf        v = -rate G / (H + lambda), for every output; absolute and Huber loss: rate times the median of the residuals (and the
//                 mean of what is left of them, clipped, for Huber's)
//     F += v of the leaf
//
//   two classes   g = p - y, h = p (1 - p), p = 1 / (1 + e^-F)               squared    g = F - y, h = 1
//   more          g_k = p_k - [y = k], h_k = p_k (1 - p_k), p = softmax(F)   absolute   g = sign(F - y), h = 1
//                                                                            Huber      g = clip(F - y, +-delta), h = 1, delta: the 90 % quantile
//   All times the weight of the row.
//
// More than two classes: trees for all of them, two a round; or one for each class a round, with K / (K - 1) times its curvature, as its like have
// it, because all scores move at once. The sketch: up to three outputs are all in it; of more, three are drawn without replacement, by the
// sum of their g^2 (keyed by the fit, the round and the draw).
// A split leaves H of 20 rows of the leaf on either side, and at least 1e-3: a row counts by its curvature, a sure one for little. Missing values go
// where the gain is higher, where there are none to the side with more rows. Ties: lowest column, lowest cut, missing left; among leaves the oldest.
// Departures  g and h are rounded so that sums are exact (replay_kernels.hpp). SketchBoost searches by sums of first order; with curvature the log loss was
//             lower on five sets of five. A round without a split ends the fit, unless a sketch was drawn.
// Cost        per round: rows x columns x (1 + log2(leaves) / 2) additions at most.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "streamboost/data/deferred_work.hpp"
#include "streamboost/data/lanes.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/replay/bins.hpp"
#include "streamboost/replay/boosted_forest.hpp"
#include "streamboost/replay/replay_kernels.hpp"
#include "streamboost/replay/row_ring.hpp"

namespace streamboost {

struct BoostingParams {
  enum class Loss { classes, squared, absolute, huber };
  int rounds, leaves, bins;
  bool shared;  // with more than two classes: two trees a round for all of them; else one for each
  double rate;
  Loss loss;
  std::uint64_t seed;
  std::int64_t histogram_bytes;  // columns have fewer bins where their histograms would take more
  static constexpr double lambda = 1, least_hessian = 1e-3;
  static constexpr std::int64_t least_rows = 20;
  static constexpr std::size_t sketch = 3;

  // ---- how many bytes a fit takes
  bool shares(std::int64_t outputs) const { return shared && outputs > 1; }
  std::int64_t lanes(std::int64_t outputs) const { return shares(outputs) ? static_cast<std::int64_t>(sketch) + 1 : 2; }
  std::int64_t row_bytes(std::int64_t width, std::int64_t outputs) const {
    return width + 8 + 8 * (3 + 2 * outputs + lanes(outputs)) + (loss == Loss::absolute || loss == Loss::huber ? 16 : 0);
  }
  // Bins of a column, at most, the one of missing values among them.
  std::int64_t most_bins(std::int64_t width, std::int64_t outputs) const {
    return std::min<std::int64_t>(256, histogram_bytes / (slot_bytes(outputs) * std::max<std::int64_t>(width, 1)));
  }
  std::int64_t slot_bytes(std::int64_t outputs) const { return 8 * lanes(outputs) * leaves; }  // of the histograms, per bin of a column
  std::int64_t forest_bytes(std::int64_t width, std::int64_t outputs) const {
    const std::int64_t trees = rounds * (shares(outputs) ? 2 : outputs);
    return trees * (leaves * (32 + 8 * (shares(outputs) ? outputs : 1)) + 24) + 4 * width + 8 * outputs;
  }
};

class BoostingFit {
 public:
  // nominal: [column]. All memory is asked for here.
  BoostingFit(const BoostingParams& params, RowRing::Rows rows, std::vector<char> nominal);
  BoostingFit(const BoostingFit&) = delete;
  BoostingFit& operator=(const BoostingFit&) = delete;

  std::int64_t begin() const { return rows_.begin; }
  std::int64_t done() const { return work_.done(); }
  bool finished() const { return work_.finished(); }
  // How much there may be to do yet, at most.
  std::int64_t left() const;
  void go_on_to(std::int64_t done) { work_.go_on_to(done); }
  void finish() {
    while (work_.next()) {
    }
  }
  BoostedForest take() { return std::move(forest_); }
  std::size_t bytes() const;

 private:
  static constexpr std::int64_t slice = 8192;  // additions to a histogram, and other work counted as so many

  struct Split {
    double gain = 0;  // 0: there is none
    int column = -1, bin = 0;
    bool missing_left = false;
    std::int64_t left[4] = {};  // sums of the rows that go left
  };
  struct Leaf {
    std::size_t begin = 0, end = 0;  // of listed_
    std::size_t place = 0;           // of its histogram
    std::int64_t total[4] = {};
    Split best;
    std::int32_t parent = -1;
    std::size_t rows() const { return end - begin; }
  };

  DeferredWork run();
  DeferredWork make_bins();
  DeferredWork gradients();
  DeferredWork pack();
  DeferredWork grow();
  DeferredWork fill(const Leaf& leaf);
  void find_usual();
  void list_unusual();
  void fill_usual(const Leaf& leaf);
  DeferredWork search(Leaf& leaf);
  DeferredWork partition(Leaf& leaf, std::size_t& stay);
  DeferredWork set_values();

  void begin_scores();
  double start_of_numbers();
  void scale_gradients(double most_g, double most_h);
  void draw_sketch();
  template <class Call>
  void for_segments(std::size_t first, std::size_t n, Call call) const;
  void search_column(const Leaf& leaf, int column, Split& best) const;
  double half(const std::int64_t* sums) const;
  void leaf_value(const Leaf& leaf, double* value);
  double median_of(const Leaf& leaf);
  double quantile_of_residuals();

  std::int64_t* histogram(std::size_t place) { return histograms_.data() + place * slots_ * static_cast<std::size_t>(lanes_); }
  const std::int64_t* histogram(std::size_t place) const { return histograms_.data() + place * slots_ * static_cast<std::size_t>(lanes_); }
  bool draws() const { return shared() && outputs_ > BoostingParams::sketch; }  // the outputs that a tree is grown from
  bool shared() const { return params_.shares(static_cast<std::int64_t>(outputs_)); }
  int rounds() const { return shared() ? 2 * params_.rounds : params_.rounds; }
  std::size_t trees_per_round() const { return shared() ? 1 : outputs_; }
  bool classes() const { return params_.loss == BoostingParams::Loss::classes; }

  BoostingParams params_;
  RowRing::Rows rows_;
  std::size_t n_, width_, outputs_ = 1;
  int lanes_ = 2, bins_ = 0;  // bins_: of a column, but for missing values
  std::vector<char> nominal_;
  std::vector<ColumnBins> column_;
  std::vector<std::uint8_t> bin_;                 // [row][column]
  std::vector<std::uint32_t> offset_;             // [column]
  std::vector<std::uint8_t> usual_;               // [column]: the bin that most rows have; empty where too few have it
  std::vector<std::uint32_t> slot_, slot_start_;  // where there are usual ones: the other cells of each row, as bins of a histogram
  std::size_t slots_ = 0;                         // bins of all columns
  std::vector<double> y_, weight_;                // [row]
  std::vector<double> F_;                         // [row][output]
  std::vector<double> g_;                         // [row][output], of several
  AlignedVector<std::int64_t> words_, histograms_;
  std::vector<std::uint32_t> listed_, aside_;
  std::vector<Leaf> leaf_;
  std::vector<std::size_t> drawn_;  // outputs in the sketch
  std::vector<double> squares_;     // [output]: sum of g^2
  std::vector<double> sums_;        // [output] gradients and curvatures of a leaf
  std::vector<std::pair<double, double>> residual_;
  double g_unit_ = 1, h_unit_ = 1;  // what a whole number stands for
  double delta_ = 0;
  int round_ = 0;
  std::size_t output_ = 0;  // of the tree at hand, where each has one
  std::int64_t setup_cost_ = 0, round_cost_ = 0, round_began_ = 0;
  BoostedForest forest_;
  DeferredWork work_;
};

}  // namespace streamboost
