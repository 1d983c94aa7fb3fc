// The state of a bank of Hoeffding trees, and how they live within their memory. The algorithm and its symbols: hoeffding.hpp.
#pragma once
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/hoeffding_check.hpp"
#include "streamboost/learners/hoeffding_layout.hpp"

namespace streamboost {

class HoeffdingState : public Bank {
 public:
  using Params = HoeffdingParams;

 protected:
  using Forest = HoeffdingForest;

  HoeffdingState(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params),
        lanes_(lanes),
        seed_(seed),
        n_(static_cast<std::size_t>(lanes.size())),
        forest_(n_, params.leaf == Params::Leaf::costs, params.reconsiders(), params.nominal == Params::Nominal::grouped, params.max_bytes),
        queue_(n_) {
    for (int lane = lanes.begin; lane < lanes.end; ++lane) numbers_.emplace_back(params_, seed_, lane, 0);
  }

  void grow_forest(const Schema& schema, Journal& journal) {
    forest_.grow_classes(schema, journal);
    journal.resize(known_, static_cast<std::size_t>(schema.width()));
    const bool shared = params_.feature_fraction >= 1;
    std::vector<HoeffdingColumns> now;
    for (std::size_t i = 0; i < (shared ? 1 : n_); ++i) now.push_back(columns_for(schema, i));
    for (std::size_t i = 0; i < n_; ++i) {
      if (!forest_.planted(i))
        forest_.plant(i);
      else if (!now[shared ? 0 : i].holds(columns(i)))
        forest_.grow_columns(i, columns(i), now[shared ? 0 : i], journal);
    }
    journal.assign(columns_, std::move(now));
    journal.assign(n_values_, schema.n_values);
    journal.assign(schema_, schema);
  }
  HoeffdingColumns columns_for(const Schema& schema, std::size_t i) const {
    const int lane = static_cast<int>(i);
    return HoeffdingColumns(schema, params_.feature_fraction, params_.bins, seed_, lanes_.begin + lane, birth(lane));
  }
  // What a tree draws for itself.
  void draw(std::size_t i) {
    const int lane = static_cast<int>(i);
    if (params_.feature_fraction < 1) columns_[i] = columns_for(schema_, i);
    numbers_[i] = HoeffdingNumbers(params_, seed_, lanes_.begin + lane, birth(lane));
  }

  const HoeffdingColumns& columns(std::size_t i) const { return columns_[columns_.size() > 1 ? i : 0]; }

  // log(n_c + alpha) + half the log of a product of squared peaks: one logarithm.
  double log_prior(double mass, const CellDensity& density) const {
    const double prior = std::max(mass + params_.alpha, 1e-150);
    return 0.5 * (streamboost::log(prior * prior * density.mantissa) + density.exponent * ln2);
  }
  // ---- memory
  // What is counted is what has been learned of columns, values and classes so far, not what is reserved for rows to come: the same
  // decisions however the stream is cut into calls.

  std::size_t block_size(std::size_t i) const {
    const HoeffdingColumns& mine = columns(i);
    std::size_t numeric = 0, counts = 0;
    for (std::int32_t j : mine.numeric) numeric += known_[static_cast<std::size_t>(j)] > 0 ? 1 : 0;
    for (std::size_t q : mine.nominal)
      counts += 1 + room_for(static_cast<std::size_t>(known_[static_cast<std::size_t>(mine.all[q].column)]));
    return HoeffdingColumns::numeric_size(numeric, mine.bins) + room_for(counts);
  }
  double bytes(std::size_t i, std::size_t k) const { return forest_.bytes(i, k, block_size(i)); }

  std::size_t blocks_of(std::size_t i, std::size_t leaf) const {
    std::size_t n = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c) n += forest_.leaf_of(i, leaf)[Forest::block + c] >= 0 ? 1 : 0;
    return n;
  }
  bool observes(std::size_t i, std::size_t record) const { return forest_.active(i, record) && blocks_of(i, record) > 0; }
  // Records of inner nodes promise less than any leaf: the lighter, the less.
  double promise(std::size_t i, std::size_t record) const {
    const double* mass = forest_.head(i, record) + Forest::mass;
    double sum = 0, most = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c) {
      sum += mass[c];
      most = std::max(most, mass[c]);
    }
    return forest_.inner(i, record) ? -1 / (1 + sum) : sum - most;
  }
  // The observing record with statistics that promises least; the earliest among equals. No promise falls while a record observes, so
  // they wait in a queue with what they promised when they were put there, and only the first one is looked at again. (Or it falls by
  // a rounding: then `add_mass` puts the record there once more.)
  std::size_t least_promising(std::size_t i) {
    const auto later = [](const Waiting& a, const Waiting& b) { return a > b; };
    auto& queue = queue_[i];
    const std::size_t n = forest_.n_records(i);
    if (queue.empty() || queue.size() > 4 * n + 64) {  // none yet, or too many that have been put there twice
      queue.clear();
      const bool made = grows([&] {
        for (std::size_t l = 0; l < n; ++l)
          if (observes(i, l)) queue.emplace_back(promise(i, l), l);
        return true;
      });
      if (!made) return least_promising_of_all(i);
      std::make_heap(queue.begin(), queue.end(), later);
    }
    while (!queue.empty()) {
      const auto [promised, l] = queue.front();
      const bool still = l < n && observes(i, l);
      if (still && promise(i, l) == promised) return l;
      std::pop_heap(queue.begin(), queue.end(), later);
      queue.pop_back();
      if (still) enqueue(i, l);
    }
    return n;
  }
  // The same where there is no memory for a queue.
  std::size_t least_promising_of_all(std::size_t i) {
    queue_[i].clear();
    const std::size_t n = forest_.n_records(i);
    std::size_t worst = n;
    for (std::size_t l = 0; l < n; ++l)
      if (observes(i, l) && (worst == n || promise(i, l) < promise(i, worst))) worst = l;
    return worst;
  }
  void enqueue(std::size_t i, std::size_t record) {
    queue_[i].emplace_back(promise(i, record), record);
    std::push_heap(queue_[i].begin(), queue_[i].end(), [](const Waiting& a, const Waiting& b) { return a > b; });
  }
  // A record gets heavier. Its sum of masses is rounded: what it promises may fall by the last bit, and it must not wait behind those
  // that promise more now; which one is given up must not hang on when the queue was made.
  void add_mass(std::size_t i, std::size_t record, std::size_t label, double amount) {
    double& mass = forest_.head(i, record)[Forest::mass + label];
    const double before = queue_[i].empty() ? 0.0 : promise(i, record);
    mass += amount;
    if (queue_[i].empty() || !(promise(i, record) < before)) return;
    const bool waits = grows([&] {
      enqueue(i, record);
      return true;
    });
    if (!waits) queue_[i].clear();
  }
  void deactivate(std::size_t i, std::size_t leaf) {
    limited_ = true;
    forest_.free_blocks(i, leaf, columns(i));
    forest_.set_active(i, leaf, false);
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
  bool make_room(std::size_t i, std::size_t leaf, std::size_t k, std::size_t count, std::size_t named) {
    if (!limited()) return true;
    const double freed = forest_.reconsiders() ? 0.0 : static_cast<double>(blocks_of(i, leaf)) * forest_.block_bytes(block_size(i));
    while (bytes(i, k) - freed + forest_.split_bytes(count, k, named) > params_.max_bytes) {
      limited_ = true;
      const std::size_t worst = least_promising(i);
      if (worst == leaf || worst == forest_.n_records(i) || !(promise(i, worst) < promise(i, leaf))) return false;
      deactivate(i, worst);
    }
    return true;
  }
  // Growth for which the machine may have no memory: it waits then, and this is false.
  template <class Grow>
  bool grows(Grow grow) {
    return grows_or_waits(grow, starved_);
  }
  // A block for this class, at the expense of less promising leaves if memory is short. False: the leaf itself had to yield, or the
  // machine has none.
  bool find_room(std::size_t i, std::size_t leaf, std::size_t label, std::size_t k) {
    if (forest_.leaf_of(i, leaf)[Forest::block + label] >= 0) return true;
    while (full(i, k)) {
      const std::size_t worst = least_promising(i);
      const bool yields = worst == forest_.n_records(i) || worst == leaf || promise(i, leaf) < promise(i, worst);
      deactivate(i, yields ? leaf : worst);
      if (yields) return false;
    }
    return grows([&] {
      if (!queue_[i].empty() && blocks_of(i, leaf) == 0) enqueue(i, leaf);  // first: without a block it is passed over
      forest_.add_block(i, leaf, label, columns(i));
      forest_.trim(i);
      return true;
    });
  }
  // An inactive leaf observes again if there is room or an active leaf promises less.
  void revive(std::size_t i, std::size_t leaf, std::size_t k) {
    if (full(i, k)) {
      const std::size_t worst = least_promising(i);
      if (worst == forest_.n_records(i) || !(promise(i, leaf) > promise(i, worst))) return;
      deactivate(i, worst);
    }
    forest_.set_active(i, leaf, true);
  }
  // New columns, values or classes make every block or leaf larger. False: there is nothing left to give up.
  bool keep_within(std::size_t i, std::size_t k) {
    while (bytes(i, k) > params_.max_bytes) {
      const std::size_t worst = least_promising(i);
      if (worst != forest_.n_records(i))
        deactivate(i, worst);
      else if (!fold_least(i))
        return false;
    }
    return true;
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
    queue_[i].clear();  // records get other numbers
    if (forest_.reconsiders())
      forest_.prune(i, least, columns(i));
    else
      forest_.fold(i, least, columns(i));
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
  using Waiting = std::pair<double, std::size_t>;  // what a record promised, its number
  std::vector<std::vector<Waiting>> queue_;        // of each tree; a function of its records, made when it is needed
  std::vector<std::int64_t> known_;                // per column: value codes learned so far; numeric: 1 once a number was
  std::vector<std::int64_t> n_values_;             // the schema's, -1 for numeric columns
  std::vector<HoeffdingColumns> columns_;          // one for all trees, or one each with feature subsets
  std::vector<HoeffdingNumbers> numbers_;
  Schema schema_;
  // Since the model was made or loaded:
  bool limited_ = false;  // some tree has met its limit of bytes
  bool starved_ = false;  // ... has found no memory to grow
};

}  // namespace streamboost
