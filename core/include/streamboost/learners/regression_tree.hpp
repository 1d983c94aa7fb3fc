// A regression Hoeffding tree.
//
// Papers    Ikonomovska, Gama, Dzeroski: Learning model trees from evolving data streams (2011), FIMT-DD, for the test and the models in the
//           leaves; Mastelini, de Carvalho: Using dynamical quantization to perform split attempts in online tree regressors (2021), for
//           observers of fixed size.
//
//   merit   (V - V_1 - V_2) / n of a split in two, V the sum of squared deviations of the targets; numeric columns at the ends of 31 intervals,
//           nominal ones one value against the rest
//   split   every `grace` of weight: by the best column if merit_2 / merit_1 < 1 - eps or eps < tie, eps = sqrt(ln(1 / delta) / 2n), merit_2 that of
//           the second best column (0 if there is none); both branches hold at least `min_branch` of the weight
//
// Departures  No Page-Hinkley test inside the tree: drift is the business of the guard (drift/guard.hpp). Planes are ridge regressions that
//             children inherit, not perceptrons. Max_features draws the columns that a node may split on, as in the classifier.
// Memory      Under max_bytes (of all leaves: planes, observers, values) a tree ends to split, to observe further columns and to count further
//             values where it would outgrow the limit. What a leaf has room for follows the rows that it has learned, not the columns that are
//             known. Where the machine has no memory left, splits, columns of a plane and observers wait for another example.
// Missing     A missing or unseen value goes where most of the weight went.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/data/fields.hpp"
#include "streamboost/learners/regression_leaf.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

struct RegressionTreeParams {
  enum class Leaf { adaptive, mean, plane };
  double grace, log_inverse_delta, tie, min_branch, ridge;
  Leaf leaf;
  double max_features, feature_fraction, max_depth, max_bytes;

  static RegressionTreeParams read(const Config& c) {
    const double delta = c.number("delta");
    return {c.number("grace_period"),
            -streamboost::log(delta),
            c.number("tie_threshold"),
            c.number("min_branch"),
            c.number("ridge"),
            c.choice<Leaf>("leaf_prediction", {{"adaptive", Leaf::adaptive}, {"mean", Leaf::mean}, {"linear", Leaf::plane}}),
            c.number("max_features"),
            c.number_or_none("feature_fraction").value_or(1),
            c.number_or_none("max_depth").value_or(1e9),
            c.number_or_none("max_bytes").value_or(1e300)};
  }
};

// The columns of one tree, and where its draws come from.
struct RegressionColumns {
  std::vector<std::int32_t> all, plane;  // column numbers; those of the plane are the first numeric ones
  std::vector<bool> nominal;             // by position
  std::size_t n_numeric = 0;
  std::uint64_t seed = 0;
  std::uint32_t lane = 0, birth = 0;

  RegressionColumns() = default;
  RegressionColumns(const Schema& schema, double fraction, std::uint64_t s, int global_lane, std::uint32_t b)
      : seed(s), lane(static_cast<std::uint32_t>(global_lane)), birth(b) {
    const auto width = static_cast<std::size_t>(schema.width());
    const auto chosen = fraction < 1 ? chosen_columns(fraction, schema, seed, global_lane, birth) : std::vector<bool>(width, true);
    for (std::size_t j = 0; j < width; ++j) {
      if (!chosen[j]) continue;
      all.push_back(static_cast<int>(j));
      nominal.push_back(schema.nominal(static_cast<int>(j)));
      n_numeric += nominal.back() ? 0 : 1;
      if (!nominal.back() && plane.size() < LeafPlane::most) plane.push_back(static_cast<int>(j));
    }
  }
};

class RegressionTree {
 public:
  using Params = RegressionTreeParams;
  struct Said {
    std::size_t node;
    double mean, plane;
  };

  RegressionTree() {
    nodes_.emplace_back();
    leaves_.emplace_back();
    bytes_ = leaf_bytes(leaves_[0]);
  }

  bool trained() const { return trained_; }
  bool starved() const { return starved_; }
  bool limited() const { return limited_; }
  // Room for the plane that a tree begins with.
  void expect(const RegressionColumns& columns) { leaves_[0].plane.cells.reserve(LeafPlane::size(columns.plane.size())); }
  // Untaught again, in the memory that is there.
  void clear() {
    nodes_.resize(1);
    leaves_.resize(1);
    nodes_[0] = Node();
    std::vector<double> cells = std::move(leaves_[0].plane.cells);
    cells.clear();
    leaves_[0] = RegressionLeaf();
    leaves_[0].plane.cells = std::move(cells);
    trained_ = false;
    bytes_ = leaf_bytes(leaves_[0]);
  }
  std::size_t n_leaves() const { return leaves_.size(); }
  // Those that have had no room to observe anything.
  std::size_t n_idle() const {
    return static_cast<std::size_t>(std::count_if(leaves_.begin(), leaves_.end(), [](const RegressionLeaf& leaf) { return leaf.idle(); }));
  }
  std::size_t n_nodes() const { return nodes_.size(); }

  // Where a row ends; the leaf is called for.
  std::size_t route(const double* x) const {
    std::size_t at = 0;
    while (nodes_[at].column >= 0) at = next(nodes_[at], x);
    fetch(&leaves_[nodes_[at].leaf], sizeof(RegressionLeaf));
    return at;
  }
  // Trees are spread over memory: what asking and teaching will look at is called for while another tree is at work.
  void fetch_plane(std::size_t at) const {
    const RegressionLeaf& leaf = leaves_[nodes_[at].leaf];
    fetch(leaf.plane.cells.data(), 8 * leaf.plane.cells.size());
  }
  void fetch_heads(std::size_t at) const {
    const RegressionLeaf& leaf = leaves_[nodes_[at].leaf];
    fetch(leaf.observers.heads.data(), 8 * leaf.observers.heads.size());
  }
  Said ask(std::size_t at, const double* x, const RegressionColumns& columns) const {
    const RegressionLeaf& leaf = leaves_[nodes_[at].leaf];
    double z[LeafPlane::most];
    if (leaf.plane.p == 0) return {at, leaf.mean(), leaf.mean()};
    leaf.plane.offsets(x, columns.plane.data(), z);
    return {at, leaf.mean(), leaf.kept(leaf.plane.at(z))};
  }
  double answer(const Said& said, const Params& params) const {
    const RegressionLeaf& leaf = leaves_[nodes_[said.node].leaf];
    if (params.leaf == Params::Leaf::mean) return said.mean;
    return params.leaf == Params::Leaf::plane || leaf.plane_error < leaf.mean_error ? said.plane : said.mean;
  }

  void learn(const Said& said, const double* x, double y, double w, const RegressionColumns& columns, const Params& params) {
    RegressionLeaf& leaf = leaves_[nodes_[said.node].leaf];
    if (!trained_) {
      leaf.low = leaf.high = leaf.centre = y;
      begin_plane(leaf, x, y, params.leaf == Params::Leaf::mean ? 0 : reach(x, columns.plane, 0), columns);
      bytes_ += 8.0 * static_cast<double>(leaf.plane.cells.size());
    } else {
      leaf.mean_error = RegressionLeaf::fading * leaf.mean_error + (y - said.mean) * (y - said.mean);
      leaf.plane_error = RegressionLeaf::fading * leaf.plane_error + (y - said.plane) * (y - said.plane);
    }
    trained_ = true;
    leaf.low = std::min(leaf.low, y);
    leaf.high = std::max(leaf.high, y);
    const double off = y - leaf.centre;
    leaf.n += w;
    leaf.sum += w * off;
    leaf.squares += w * (off * off);
    if (params.leaf != Params::Leaf::mean && !columns.plane.empty()) {
      const std::size_t before = leaf.plane.cells.size();
      grows_or_waits([&] { return leaf.plane.widen(reach(x, columns.plane, leaf.plane.p)); }, starved_);
      bytes_ += 8.0 * static_cast<double>(leaf.plane.cells.size() - before);
      double z[LeafPlane::most];
      leaf.plane.offsets(x, columns.plane.data(), z);
      leaf.plane.add(z, y, w);
      if (leaf.plane.n() - leaf.solved > leaf.plane.n() / 16) {
        leaf.plane.solve(params.ridge);
        leaf.solved = leaf.plane.n();
      }
    }
    observe(leaf, x, off, w, columns, params);
    if (leaf.n - leaf.tried < params.grace) return;
    leaf.tried = leaf.n;
    if (leaf.depth < params.max_depth && fits(leaf_bytes(leaf), params))
      grows_or_waits([&] { return try_split(said.node, columns, params); }, starved_);
  }

  std::size_t bytes() const { return static_cast<std::size_t>(bytes_); }

  // The whole tree as numbers.
  std::vector<double> pack() const;
  // Refuses what no tree of these columns can be.
  void unpack(const std::vector<double>& cells, const RegressionColumns& columns);

 private:
  struct Node {
    int column = -1;                         // -1: a leaf
    bool nominal = false, fallback = false;  // fallback: missing values go to the second child
    double threshold = 0;                    // numeric: below it the first child; nominal: this code
    std::size_t first = 0, leaf = 0;
  };
  struct Split {
    double merit = 0, threshold = 0;
    std::array<double, 3> left{}, right{};
    std::size_t position = 0;
  };

  static std::size_t next(const Node& node, const double* x) {
    const double value = x[node.column];
    if (std::isnan(value) || (node.nominal && value < 0)) return node.first + (node.fallback ? 1 : 0);
    return node.first + ((node.nominal ? value == node.threshold : value < node.threshold) ? 0 : 1);
  }

  static void begin_plane(RegressionLeaf& leaf, const double* x, double y, std::size_t p, const RegressionColumns& columns) {
    leaf.plane.begin(p, y);
    for (std::size_t j = 0; j < p; ++j) {
      const double value = x[columns.plane[j]];
      leaf.plane.part(0)[j] = std::isnan(value) ? 0.0 : value;
    }
  }

  // How many of these columns a leaf that has met `so_far` of them knows after this row: up to the last one with a value.
  static std::size_t reach(const double* x, const std::vector<std::int32_t>& columns, std::size_t so_far) {
    std::size_t n = columns.size();
    while (n > so_far && std::isnan(x[columns[n - 1]])) --n;
    return n;
  }
  bool fits(double more, const Params& params) {
    const bool there_is_room = bytes_ + more <= params.max_bytes;
    limited_ |= !there_is_room;
    return there_is_room;
  }

  // All heads first: the intervals that they point at are then called for together.
  void observe(RegressionLeaf& leaf, const double* x, double off, double w, const RegressionColumns& columns, const Params& params) {
    LeafObservers& all = leaf.observers;
    if (const std::size_t now = reach(x, columns.all, all.columns()); all.columns() < now) {
      const double more = LeafObservers::column_bytes * static_cast<double>(now - all.columns());
      if (fits(more, params) && grows_or_waits([&] { return all.grow(now), true; }, starved_)) bytes_ += more;
    }
    if (all.slots() < columns.n_numeric) grows_or_waits([&] { return begin_observers(all, x, columns, params), true; }, starved_);
    const std::size_t n_columns = all.columns();
    constexpr std::size_t group = 32;
    double* met[group];
    for (std::size_t first = 0; first < n_columns; first += group) {
      std::size_t n = 0;
      for (std::size_t c = first, last = std::min(first + group, n_columns); c < last; ++c) {
        const double value = x[columns.all[c]];
        if (std::isnan(value)) continue;
        if (!columns.nominal[c]) {
          if (!all.seen(c)) continue;
          NumericObserver observer = all.numeric(c);
          met[n++] = observer.sums + 3 * observer.place(value);
        } else if (value >= 0) {
          const auto code = static_cast<std::size_t>(value);
          std::vector<double>& cells = all.values[c];
          if (cells.size() < 3 * (code + 1) && !widen(cells, 3 * (code + 1), params)) continue;
          met[n++] = cells.data() + 3 * code;
        }
      }
      for (std::size_t k = 0; k < n; ++k) {
        met[k][0] += w;
        met[k][1] += w * off;
        met[k][2] += w * (off * off);
      }
    }
  }
  bool widen(std::vector<double>& cells, std::size_t size, const Params& params) {
    const double more = 8.0 * static_cast<double>(size - cells.size());
    if (!fits(more, params) || !grows_or_waits([&] { return cells.resize(size, 0.0), true; }, starved_)) return false;
    bytes_ += more;
    return true;
  }
  // Observers for numeric columns that show themselves for the first time: the first so many that there is room for.
  void begin_observers(LeafObservers& all, const double* x, const RegressionColumns& columns, const Params& params) {
    constexpr double each = 8.0 * NumericObserver::size;
    const auto is_new = [&](std::size_t c) { return !columns.nominal[c] && !all.seen(c) && !std::isnan(x[columns.all[c]]); };
    std::size_t n = 0;
    for (std::size_t c = 0; c < all.columns(); ++c) n += is_new(c) ? 1 : 0;
    while (n > 0 && !fits(each * static_cast<double>(n), params)) --n;
    if (n == 0) return;
    all.reserve(n);
    bytes_ += each * static_cast<double>(n);
    for (std::size_t c = 0; n > 0; ++c) {
      if (!is_new(c)) continue;
      all.begin(c);
      --n;
    }
  }
  // What bytes_ is the sum of, over all leaves.
  static double leaf_bytes(const RegressionLeaf& leaf) {
    double cells = static_cast<double>(leaf.plane.cells.size() + leaf.observers.slots() * NumericObserver::size);
    for (const auto& values : leaf.observers.values) cells += static_cast<double>(values.size());
    return 8 * cells + LeafObservers::column_bytes * static_cast<double>(leaf.observers.columns()) + leaf_size + 2 * sizeof(Node);
  }
  static void fetch(const void* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(from) + at);
  }

  static double deviations(const std::array<double, 3>& b) { return b[0] > 0 ? std::max(b[2] - b[1] * (b[1] / b[0]), 0.0) : 0.0; }

  // Of the sums on the left of a cut and of all; false if a branch is too thin or nothing is gained.
  static bool better(const std::array<double, 3>& left, const std::array<double, 3>& all, double threshold, double least, Split& best) {
    const std::array<double, 3> right{all[0] - left[0], all[1] - left[1], all[2] - left[2]};
    if (left[0] < least || right[0] < least) return false;
    const double merit = (deviations(all) - deviations(left) - deviations(right)) / all[0];
    if (!(merit > best.merit)) return false;
    best = {merit, threshold, left, right, best.position};
    return true;
  }

  static Split best_of(const LeafObservers& observers, bool nominal, std::size_t position, double min_branch) {
    Split best;
    best.position = position;
    const std::size_t n = observers.n_cells(position);
    const double *cells = observers.cells(position), *head = nominal || n == 0 ? nullptr : observers.head(position);
    std::array<double, 3> all{}, left{};
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; k < 3; ++k) all[k] += cells[3 * b + k];
    const double least = std::max(min_branch * all[0], 1.0);
    for (std::size_t b = 0; b < n; ++b) {
      const double* cell = cells + 3 * b;
      if (nominal) {
        better({cell[0], cell[1], cell[2]}, all, static_cast<double>(b), least, best);
        continue;
      }
      if (cell[0] == 0) continue;
      for (std::size_t k = 0; k < 3; ++k) left[k] += cell[k];
      better(left, all, head[0] + head[1] * static_cast<double>(b + 1), least, best);
    }
    return best;
  }

  bool try_split(std::size_t at, const RegressionColumns& columns, const Params& params) {
    RegressionLeaf& leaf = leaves_[nodes_[at].leaf];
    std::vector<double> draw(columns.all.size());
    double most = 2;
    if (params.max_features < 1) {
      node_uniforms(columns.seed, static_cast<std::uint32_t>(at), columns.lane, columns.birth, columns.all.data(), draw.data(),
                    draw.size());
      const auto d = static_cast<double>(draw.size());
      const double wanted = params.max_features > 0 ? params.max_features * d : std::sqrt(d) + 1;
      const auto take = std::min(draw.size(), static_cast<std::size_t>(std::max(1.0, std::floor(wanted + 0.5))));
      std::vector<double> sorted = draw;
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(take - 1), sorted.end());
      most = sorted[take - 1];
    }
    Split best, second;
    for (std::size_t c = 0; c < leaf.observers.columns(); ++c) {
      if (draw[c] > most) continue;
      const Split found = best_of(leaf.observers, columns.nominal[c], c, params.min_branch);
      if (found.merit > best.merit) {
        second = best;
        best = found;
      } else if (found.merit > second.merit) {
        second = found;
      }
    }
    if (!(best.merit > 0)) return false;
    const double eps = std::sqrt(params.log_inverse_delta / (2 * leaf.n));
    if (!(second.merit / best.merit < 1 - eps || eps < params.tie)) return false;
    split(at, best, columns);
    return true;
  }

  void split(std::size_t at, const Split& by, const RegressionColumns& columns) {
    const std::size_t place = nodes_[at].leaf;
    make_room(nodes_, 2);  // what can fail comes first
    make_room(leaves_, 1);
    std::array<LeafPlane, 2> planes{leaves_[place].plane.child(), leaves_[place].plane.child()};
    RegressionLeaf parent = std::move(leaves_[place]);
    bytes_ -= leaf_bytes(parent);
    const std::size_t first = nodes_.size();
    nodes_.resize(first + 2);
    leaves_.emplace_back();
    nodes_[at] = {columns.all[by.position], columns.nominal[by.position], by.right[0] > by.left[0], by.threshold, first, 0};
    for (std::size_t side = 0; side < 2; ++side) {
      nodes_[first + side].leaf = side == 0 ? place : leaves_.size() - 1;
      RegressionLeaf& leaf = leaves_[nodes_[first + side].leaf];
      leaf = RegressionLeaf();
      const std::array<double, 3>& sums = side == 0 ? by.left : by.right;
      leaf.centre = parent.centre;
      leaf.n = leaf.tried = sums[0];
      leaf.sum = sums[1];
      leaf.squares = sums[2];
      leaf.low = parent.low;
      leaf.high = parent.high;
      leaf.depth = parent.depth + 1;
      leaf.mean_error = inherited * parent.mean_error;
      leaf.plane_error = inherited * parent.plane_error;
      leaf.plane = std::move(planes[side]);
      bytes_ += leaf_bytes(leaf);
    }
  }

  static constexpr double inherited = 0.1;  // share of the parent's errors that a child begins with
  static constexpr double leaf_size = 224;  // bytes of a leaf without its cells, as its budget counts it
  std::vector<Node> nodes_;
  std::vector<RegressionLeaf> leaves_;
  bool trained_ = false;
  bool starved_ = false;  // growth has waited because there was no memory
  bool limited_ = false;  // growth has been given up at the limit of bytes
  double bytes_ = 0;
};

}  // namespace streamboost
