// How Hoeffding trees grow and how they live within their memory. The algorithm and its symbols: hoeffding.hpp.
#pragma once
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/hoeffding_split.hpp"
#include "streamboost/learners/hoeffding_tree.hpp"

namespace streamboost {

// What is kept of a row between asking and learning, and room for a search.
struct HoeffdingNotes final : BankNotes {
  std::vector<double> x;                          // numeric cells of the row
  std::vector<std::int32_t> weight_at, count_at;  // of each known nominal value: where its column's weight and its count lie in a block
  std::vector<double> smoothing;                  // ... alpha times the values known of its column
  ValuePlaces places() const { return {weight_at.data(), count_at.data(), smoothing.data(), weight_at.size()}; }
  std::vector<std::int64_t> known;  // values known once this row is learned
  SplitWork search;
  std::vector<const double*> blocks;     // of the classes present in a leaf
  std::vector<std::int64_t> candidates;  // columns that a node may split on
};

class HoeffdingTrees : public Bank {
 public:
  using Params = HoeffdingParams;

 protected:
  using Forest = HoeffdingForest;

  HoeffdingTrees(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params),
        lanes_(lanes),
        seed_(seed),
        n_(static_cast<std::size_t>(lanes.size())),
        forest_(n_, params.leaf == Params::Leaf::costs, params.max_bytes) {
    for (int lane = lanes.begin; lane < lanes.end; ++lane) numbers_.emplace_back(params_, seed_, lane, 0);
  }

  void grow(const Schema& schema) {
    forest_.grow_classes(static_cast<std::size_t>(std::max(schema.n_classes, 1)));
    known_.resize(static_cast<std::size_t>(schema.width()), 0);
    const bool shared = params_.feature_fraction >= 1;
    std::vector<HoeffdingColumns> now;
    for (std::size_t i = 0; i < (shared ? 1 : n_); ++i) now.push_back(columns_for(schema, i));
    for (std::size_t i = 0; i < n_; ++i) {
      if (!forest_.planted(i))
        forest_.plant(i);
      else if (now[shared ? 0 : i].size != columns(i).size)
        forest_.grow_columns(i, columns(i), now[shared ? 0 : i]);
    }
    columns_ = std::move(now);
    n_values_ = schema.n_values;
    schema_ = schema;
  }
  HoeffdingColumns columns_for(const Schema& schema, std::size_t i) const {
    const int lane = static_cast<int>(i);
    return HoeffdingColumns(schema, params_.feature_fraction, params_.bins, seed_, lanes_.begin + lane, birth(lane));
  }
  // What a tree draws for itself.
  void draw(std::size_t i) {
    const int lane = static_cast<int>(i);
    numbers_[i] = HoeffdingNumbers(params_, seed_, lanes_.begin + lane, birth(lane));
    if (params_.feature_fraction < 1) columns_[i] = columns_for(schema_, i);
  }

  const HoeffdingColumns& columns(std::size_t i) const { return columns_[columns_.size() > 1 ? i : 0]; }

  // log(n_c + alpha) + half the log of a product of squared peaks: one logarithm.
  double log_prior(double mass, const CellDensity& density) const {
    const double prior = std::max(mass + params_.alpha, 1e-150);
    return 0.5 * (streamboost::log(prior * prior * density.mantissa) + density.exponent * ln2);
  }
  // ---- splitting

  NodeColumns node_columns(std::size_t i, std::size_t node, std::vector<double>& scratch) const {
    return {columns(i), params_.max_features, seed_, lanes_.begin + static_cast<int>(i), birth(static_cast<int>(i)), node, scratch};
  }

  // Splits the leaf if the bound allows it. True if the tree has changed its shape. k: classes known by now.
  bool attempt(std::size_t i, std::size_t node, std::size_t k, HoeffdingNotes& scratch) {
    const std::size_t leaf = static_cast<std::size_t>(forest_.node(i, node)[Forest::first]);
    const double* head = forest_.head(i, leaf);
    int present = 0;
    double mass = 0;
    auto& blocks = scratch.blocks;
    blocks.clear();
    for (std::size_t c = 0; c < forest_.classes(); ++c) {
      mass += head[Forest::mass + c];
      present += head[Forest::mass + c] > 0 ? 1 : 0;
      const std::int32_t b = forest_.leaf_of(i, leaf)[Forest::block + c];
      if (b >= 0) blocks.push_back(forest_.cells(i, b, columns(i)));
    }
    if (present < 2 || forest_.leaf_of(i, leaf)[Forest::depth] >= params_.max_depth) return false;
    auto& candidates = scratch.candidates;
    candidates.clear();
    if (params_.chooses()) {
      NodeColumns chosen = node_columns(i, node, scratch.search.numbers);
      for (std::size_t p = 0; p < columns(i).all.size(); ++p)
        if (chosen.take(p)) candidates.push_back(static_cast<std::int64_t>(p));
    } else {
      for (std::size_t p = 0; p < columns(i).all.size(); ++p) candidates.push_back(static_cast<std::int64_t>(p));
    }
    const double examples = head[Forest::own] * head[Forest::own] / head[Forest::squares];
    SplitSearch search(params_, columns(i), blocks, params_.chance_correction * (present - 1) / (2 * examples * ln2), scratch.search);
    search.run(candidates.data(), candidates.size());
    if (search.best.column == nullptr) return false;
    const double range = merit_range(head, present, mass);
    const double n = params_.effective ? examples : mass;
    const double bound = std::sqrt(range * range * numbers_[i].log_inverse_delta / (2 * n));
    const bool alone = search.columns == 1 && !params_.null_split;
    if (!(alone || search.best.merit - search.second > bound || bound < numbers_[i].tie)) return false;
    return split(i, node, k, search.best, scratch.search.numbers);
  }

  // A gain cannot exceed the entropy of the leaf; leaves of several classes would wait too long for the logarithm of their number.
  double merit_range(const double* head, int present, double mass) const {
    if (params_.criterion != Params::Criterion::info_gain) return 1;
    if (!params_.entropy_range) return streamboost::log(static_cast<double>(present)) / ln2;
    double sum = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c) {
      const double m = head[Forest::mass + c];
      if (m > 0) sum += m * streamboost::log(m);
    }
    return std::max(1.0, (streamboost::log(mass) - sum / mass) / ln2);
  }

  // masses [branch][class] of the split, made of what the leaf has seen on the column; then scaled to the masses of the leaf.
  bool split(std::size_t i, std::size_t node, std::size_t known_classes, const SplitCandidate& by, std::vector<double>& masses) {
    const std::size_t leaf = static_cast<std::size_t>(forest_.node(i, node)[Forest::first]), k = forest_.classes();
    const HoeffdingColumns& mine = columns(i);
    const auto& column = *by.column;
    const bool multiway = by.kind == SplitCandidate::multiway;
    const auto block_of = [&](std::size_t c) {
      const std::int32_t b = forest_.leaf_of(i, leaf)[Forest::block + c];
      return b < 0 ? nullptr : forest_.cells(i, b, mine);
    };
    masses.clear();
    std::vector<std::int32_t> values;  // of the branches; a split may allocate
    if (multiway) {
      for (std::size_t v = 0; v < column.values; ++v) {
        double seen = 0;
        for (std::size_t c = 0; c < k; ++c)
          if (const double* b = block_of(c)) seen += b[column.place + 1 + v];
        if (!(seen > 0)) continue;
        values.push_back(static_cast<std::int32_t>(v));
        for (std::size_t c = 0; c < k; ++c) masses.push_back(block_of(c) ? block_of(c)[column.place + 1 + v] : 0.0);
      }
    } else {
      values = {column.nominal ? static_cast<std::int32_t>(by.at) : -1, -1};
      masses.resize(2 * k);
      for (std::size_t c = 0; c < k; ++c) {
        const double* b = block_of(c);
        const double all = b == nullptr ? 0.0 : column.nominal ? b[column.place] : mine.row(b, 2)[column.place];
        masses[c] = b == nullptr     ? 0.0
                    : column.nominal ? b[column.place + 1 + static_cast<std::size_t>(by.at)]
                                     : SplitSearch::left_mass(mine, b, column.place, by.at);
        masses[k + c] = std::max(all - masses[c], 0.0);
      }
    }
    const std::size_t count = values.size();
    if (static_cast<double>(forest_.n_leaves(i) + count - 1) > params_.max_leaves) return false;
    if (!make_room(i, leaf, known_classes, count)) return false;
    if (params_.pass_on == Params::PassOn::all) share_out(forest_.head(i, leaf), k, count, masses);
    const std::vector<double> cost(params_.leaf == Params::Leaf::costs ? forest_.head(i, leaf) + forest_.cost() : nullptr,
                                   params_.leaf == Params::Leaf::costs ? forest_.head(i, leaf) + forest_.cost() + k : nullptr);
    forest_.free_blocks(i, leaf, mine);
    const Forest::Kind kind = multiway ? Forest::multiway : column.nominal ? Forest::one_value : Forest::numeric;
    const std::size_t child = forest_.split(i, node, kind, column.column, by.at, count);
    double whole = 0;
    for (double m : masses) whole += m;
    double heaviest = -1;
    for (std::size_t b = 0; b < count; ++b) {
      double* head = forest_.head(i, static_cast<std::size_t>(forest_.node(i, child + b)[Forest::first]));
      double total = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const double m = masses[b * k + c];
        head[Forest::mass + c] = m;
        if (m > 0 && params_.uses_bayes()) head[forest_.bias() + c] = log_prior(m, {0, 1, 0});
        total += m;
      }
      for (std::size_t c = 0; c < cost.size(); ++c) head[forest_.cost() + c] = cost[c] * (total / whole);
      if (values[b] >= 0) forest_.set(i, child + b, Forest::value, static_cast<std::size_t>(values[b]));
      if (total > heaviest) {
        heaviest = total;
        forest_.set(i, node, Forest::fallback, b);
      }
    }
    forest_.trim(i);
    return true;
  }

  // Each class of the leaf is divided among the branches as its examples with a value on the column were; a class that was never
  // seen with one is divided as all of them together.
  static void share_out(const double* head, std::size_t k, std::size_t count, std::vector<double>& masses) {
    std::vector<double> together(count, 0.0);
    double all = 0;
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t c = 0; c < k; ++c) together[b] += masses[b * k + c];
    for (double m : together) all += m;
    for (std::size_t c = 0; c < k; ++c) {
      double seen = 0;
      for (std::size_t b = 0; b < count; ++b) seen += masses[b * k + c];
      for (std::size_t b = 0; b < count; ++b)
        masses[b * k + c] = head[Forest::mass + c] * (seen > 0 ? masses[b * k + c] / seen : together[b] / all);
    }
  }

  // ---- memory
  // What is counted is what has been learned of columns, values and classes so far, not what is reserved for rows to come: the same
  // decisions however the stream is cut into calls.

  std::size_t block_size(std::size_t i) const {
    const HoeffdingColumns& mine = columns(i);
    std::size_t numeric = 0, counts = 0;
    for (std::int32_t j : mine.numeric) numeric += known_[static_cast<std::size_t>(j)] > 0 ? 1 : 0;
    for (std::size_t q : mine.nominal) counts += 1 + static_cast<std::size_t>(known_[static_cast<std::size_t>(mine.all[q].column)]);
    return 6 * ((numeric + 7) / 8 * 8) + numeric * HoeffdingBins::size(mine.bins) + counts;
  }
  double bytes(std::size_t i, std::size_t k) const { return forest_.bytes(i, k, block_size(i)); }

  std::size_t blocks_of(std::size_t i, std::size_t leaf) const {
    std::size_t n = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c) n += forest_.leaf_of(i, leaf)[Forest::block + c] >= 0 ? 1 : 0;
    return n;
  }
  double promise(std::size_t i, std::size_t leaf) const {
    const double* mass = forest_.head(i, leaf) + Forest::mass;
    double sum = 0, most = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c) {
      sum += mass[c];
      most = std::max(most, mass[c]);
    }
    return sum - most;
  }
  // The active leaf with statistics that promises least; the earliest among equals.
  std::size_t least_promising(std::size_t i) const {
    const std::size_t none = forest_.n_leaves(i);
    std::size_t worst = none;
    double least = 0;
    for (std::size_t l = 0; l < none; ++l) {
      if (!forest_.leaf_of(i, l)[Forest::active] || blocks_of(i, l) == 0) continue;
      const double p = promise(i, l);
      if (worst != none && !(p < least)) continue;
      worst = l;
      least = p;
    }
    return worst;
  }
  void deactivate(std::size_t i, std::size_t leaf) {
    limited_ = true;
    forest_.free_blocks(i, leaf, columns(i));
    forest_.leaf_of(i, leaf)[Forest::active] = 0;
    double* head = forest_.head(i, leaf);
    for (std::size_t c = 0; c < forest_.classes() && params_.uses_bayes(); ++c)
      if (head[Forest::mass + c] > 0) head[forest_.bias() + c] = log_prior(head[Forest::mass + c], {0, 1, 0});
    forest_.trim(i);
  }
  bool limited() const { return params_.max_bytes < 1e300; }
  bool full(std::size_t i, std::size_t k) const {
    if (!limited()) return false;
    const std::size_t size = block_size(i);
    return forest_.bytes(i, k, size) + forest_.block_bytes(size) > params_.max_bytes;
  }

  // Room for the branches of a split, at the expense of less promising leaves. False: there is none.
  bool make_room(std::size_t i, std::size_t leaf, std::size_t k, std::size_t count) {
    if (!limited()) return true;
    const double freed = static_cast<double>(blocks_of(i, leaf)) * forest_.block_bytes(block_size(i));
    while (bytes(i, k) - freed + forest_.split_bytes(count, k) > params_.max_bytes) {
      limited_ = true;
      const std::size_t worst = least_promising(i);
      if (worst == leaf || worst == forest_.n_leaves(i) || !(promise(i, worst) < promise(i, leaf))) return false;
      deactivate(i, worst);
    }
    return true;
  }
  // A block for this class, at the expense of less promising leaves if memory is short. False: the leaf itself had to yield.
  bool find_room(std::size_t i, std::size_t leaf, std::size_t label, std::size_t k) {
    if (forest_.leaf_of(i, leaf)[Forest::block + label] >= 0) return true;
    while (full(i, k)) {
      const std::size_t worst = least_promising(i);
      const bool yields = worst == forest_.n_leaves(i) || worst == leaf || promise(i, leaf) < promise(i, worst);
      deactivate(i, yields ? leaf : worst);
      if (yields) return false;
    }
    forest_.add_block(i, leaf, label, columns(i));
    forest_.trim(i);
    return true;
  }
  // An inactive leaf observes again if there is room or an active leaf promises less.
  void revive(std::size_t i, std::size_t leaf, std::size_t k) {
    if (full(i, k)) {
      const std::size_t worst = least_promising(i);
      if (worst == forest_.n_leaves(i) || !(promise(i, leaf) > promise(i, worst))) return;
      deactivate(i, worst);
    }
    forest_.leaf_of(i, leaf)[Forest::active] = 1;
  }
  // New columns, values or classes make every block or leaf larger.
  void keep_within(std::size_t i, std::size_t k) {
    while (bytes(i, k) > params_.max_bytes) {
      const std::size_t worst = least_promising(i);
      if (worst != forest_.n_leaves(i))
        deactivate(i, worst);
      else if (!fold_least(i))
        return;
    }
  }
  // Where statistics are no longer what fills the memory, the split that tells least apart is taken back. False: there is none.
  bool fold_least(std::size_t i) {
    std::size_t least = 0;
    double loss = -1;
    for (std::size_t n = 0; n < forest_.n_nodes(i); ++n) {
      const std::int32_t* at = forest_.node(i, n);
      if (at[Forest::kind] == Forest::leaf) continue;
      std::vector<double> together(forest_.classes(), 0.0);  // taking back may allocate
      double apart = 0;
      bool leaves = true;
      for (std::int32_t b = 0; b < at[Forest::branches] && leaves; ++b) {
        const std::int32_t* child = forest_.node(i, static_cast<std::size_t>(at[Forest::first] + b));
        leaves = child[Forest::kind] == Forest::leaf;
        if (!leaves) continue;
        const auto leaf = static_cast<std::size_t>(child[Forest::first]);
        apart += promise(i, leaf);
        for (std::size_t c = 0; c < together.size(); ++c) together[c] += forest_.head(i, leaf)[Forest::mass + c];
      }
      if (!leaves) continue;
      double sum = 0, most = 0;
      for (double m : together) {
        sum += m;
        most = std::max(most, m);
      }
      const double more = std::max(sum - most - apart, 0.0);
      if (loss >= 0 && !(more < loss)) continue;
      loss = more;
      least = n;
    }
    if (loss < 0) return false;
    limited_ = true;
    forest_.fold(i, least);
    const auto leaf = static_cast<std::size_t>(forest_.node(i, least)[Forest::first]);
    double* head = forest_.head(i, leaf);
    for (std::size_t c = 0; c < forest_.classes() && params_.uses_bayes(); ++c)
      head[forest_.bias() + c] = head[Forest::mass + c] > 0 ? log_prior(head[Forest::mass + c], {0, 1, 0}) : 0.0;
    forest_.trim(i);
    return true;
  }

  static constexpr double ln2 = 0.693147180559945309417;

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  std::size_t n_;
  HoeffdingForest forest_;
  std::vector<std::int64_t> known_;        // per column: value codes learned so far; numeric: 1 once a number was
  std::vector<std::int64_t> n_values_;     // the schema's, -1 for numeric columns
  std::vector<HoeffdingColumns> columns_;  // one for all trees, or one each with feature subsets
  std::vector<HoeffdingNumbers> numbers_;
  Schema schema_;
  bool limited_ = false;  // some tree has met its limit of bytes since the model was made or loaded
};

}  // namespace streamboost
