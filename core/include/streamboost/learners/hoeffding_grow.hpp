// How Hoeffding trees grow and, if they are told to, reconsider their splits. The algorithm and its symbols: hoeffding.hpp.
#pragma once
#include "streamboost/learners/hoeffding_memory.hpp"
#include "streamboost/learners/hoeffding_outlook.hpp"

namespace streamboost {

// What is kept of a row between asking and learning, and room for a search.
struct HoeffdingNotes final : BankNotes {
  // Of the row, where all trees see the same: as in HoeffdingLeaves::Sight.
  bool gaps = false, numbers = false, new_value = false;
  std::vector<double> x, whole;                   // numeric cells of the row, NaN and 0 beyond its columns
  std::vector<std::int32_t> weight_at, count_at;  // of each known nominal value: where its column's weight and its count lie in a block
  std::vector<double> smoothing;                  // ... alpha times the values known of its column
  ValuePlaces places() const { return {weight_at.data(), count_at.data(), smoothing.data(), weight_at.size()}; }
  std::vector<std::int64_t> known;       // values known once this row is learned
  std::vector<std::size_t> node, going;  // of each tree: where the row ends; trees where it is still on its way
  std::vector<char> spoke;               // ... whether naive Bayes spoke
  std::vector<double> behind;            // of those where it did, one after the other: log joints of classes with mass less the highest
  SplitWork search;
  SplitOutlook::Work outlook;
  std::vector<const double*> blocks;     // of the classes present in a leaf
  std::vector<std::int64_t> candidates;  // columns that a node may split on
  std::vector<std::int64_t> numeric;     // those of them that hold numbers
};

class HoeffdingTrees : public HoeffdingState {
 protected:
  using HoeffdingState::HoeffdingState;

  NodeColumns node_columns(std::size_t i, std::size_t node, std::vector<double>& scratch) const {
    return {
        columns(i), params_.max_features, seed_, lanes_.begin + static_cast<int>(i), birth(static_cast<int>(i)), forest_.number_of(i, node),
        scratch};
  }

  // What a node's record says of its candidates. bound: of the difference of two merits; 0 without two classes.
  struct Weighed {
    SplitSearch search;
    double bound = 0;
  };
  // only_to_split: the search may be left out where nothing it could find would split the leaf.
  Weighed weigh(std::size_t i, std::size_t node, bool only_to_split, HoeffdingNotes& scratch) const {
    const std::size_t record = forest_.record(i, node);
    const double* head = forest_.head(i, record);
    int present = 0;
    double mass = 0;
    auto& blocks = scratch.blocks;
    blocks.clear();
    for (std::size_t c = 0; c < forest_.classes(); ++c) {
      mass += head[Forest::mass + c];
      present += head[Forest::mass + c] > 0 ? 1 : 0;
      const std::int32_t b = forest_.leaf_of(i, record)[Forest::block + c];
      if (b >= 0) blocks.push_back(forest_.cells(i, b, columns(i)));
    }
    const double examples = head[Forest::own] * head[Forest::own] / head[Forest::squares];
    const double chance = params_.chance_correction * (present - 1) / (2 * examples * ln2);
    Weighed out{SplitSearch(params_, columns(i), blocks, chance, scratch.search)};
    if (present < 2) return out;
    auto& candidates = scratch.candidates;
    candidates.clear();
    if (params_.chooses()) {
      NodeColumns chosen = node_columns(i, node, scratch.search.numbers);
      for (std::size_t p = 0; p < columns(i).all.size(); ++p)
        if (chosen.take(p)) candidates.push_back(static_cast<std::int64_t>(p));
    } else {
      for (std::size_t p = 0; p < columns(i).all.size(); ++p) candidates.push_back(static_cast<std::int64_t>(p));
    }
    const double range = merit_range(head, present, mass);
    out.bound = std::sqrt(range * range * numbers_[i].log_inverse_delta / (2 * (params_.effective ? examples : mass)));
    if (only_to_split && out.bound >= numbers_[i].tie && in_vain(i, chance, out.bound, scratch)) return out;
    out.search.run(candidates.data(), candidates.size());
    return out;
  }
  // Whether the candidates of a leaf surely have no lead above the bound.
  bool in_vain(std::size_t i, double chance, double bound, HoeffdingNotes& scratch) const {
    if (params_.criterion != Params::Criterion::info_gain || params_.nominal == Params::Nominal::grouped || params_.bins > 0 ||
        params_.reconsiders() || scratch.blocks.size() > SplitOutlook::most_classes)
      return false;
    const auto& all = columns(i).all;
    auto& numeric = scratch.numeric;
    numeric.clear();
    for (std::int64_t p : scratch.candidates)
      if (!all[static_cast<std::size_t>(p)].nominal) numeric.push_back(p);
    SplitOutlook outlook(params_, columns(i), scratch.blocks, scratch.outlook);
    for (std::int64_t p : scratch.candidates)
      if (all[static_cast<std::size_t>(p)].nominal) outlook.enter_nominal(all[static_cast<std::size_t>(p)], chance);
    return outlook.in_vain(numeric.data(), numeric.size(), bound);
  }

  // Splits the leaf if the bound allows it. True if the tree has changed its shape. k: classes known by now.
  bool attempt(std::size_t i, std::size_t node, std::size_t k, HoeffdingNotes& scratch) {
    if (forest_.leaf_of(i, forest_.record(i, node))[Forest::depth] >= params_.max_depth) return false;
    const Weighed found = weigh(i, node, true, scratch);
    const SplitSearch& search = found.search;
    if (search.best.column == nullptr) return false;
    const bool alone = search.columns == 1 && !params_.null_split;
    if (params_.reconsiders() ? !(search.best.merit > found.bound)
                              : !(alone || search.best.merit - search.second > found.bound || found.bound < numbers_[i].tie))
      return false;
    return split(i, node, k, search.best, scratch.search);
  }

  // Compares the split of an inner node with the best one by now, and with none. True if the tree has changed its shape.
  bool reconsider(std::size_t i, std::size_t node, std::size_t k, HoeffdingNotes& scratch) {
    const Weighed found = weigh(i, node, false, scratch);
    const SplitCandidate& best = found.search.best;
    if (best.column != nullptr && best.merit - present_merit(i, node, found) > found.bound) {
      queue_[i].clear();  // records get other numbers
      forest_.prune(i, node, columns(i));
      grows([&] { return split(i, node, k, best, scratch.search); });
      return true;
    }
    if (!(best.merit <= found.bound && found.bound < numbers_[i].tie)) return false;
    queue_[i].clear();
    forest_.prune(i, node, columns(i));
    return true;
  }
  // Merit of the split that an inner node has, by the statistics of its record.
  double present_merit(std::size_t i, std::size_t node, const Weighed& found) const {
    const std::int32_t* at = forest_.node(i, node);
    const HoeffdingColumns::Column& column = *columns(i).find(at[Forest::column]);
    const auto count = static_cast<std::size_t>(at[Forest::branches]);
    std::vector<double> masses(count * found.search.classes(), 0.0);  // [branch][class]; reconsidering may allocate
    int values = 0;                                                   // with weight
    for (std::size_t c = 0; c < found.search.classes(); ++c) {
      const double* b = found.search.block(c);
      if (at[Forest::kind] == Forest::numeric) {
        masses[c] = SplitSearch::left_mass(columns(i), b, column.place, forest_.threshold(i, node));
        masses[found.search.classes() + c] = std::max(columns(i).row(b, 2)[column.place] - masses[c], 0.0);
        continue;
      }
      for (std::size_t v = 0; v < column.values; ++v)
        masses[static_cast<std::size_t>(forest_.nominal_branch(i, node, static_cast<std::int32_t>(v))) * found.search.classes() + c] +=
            b[column.place + 1 + v];
    }
    for (std::size_t v = 0; v < column.values && at[Forest::kind] == Forest::group; ++v) values += found.search.weighs(column, v) ? 1 : 0;
    return found.search.merit_of(masses, count, values);
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
  bool split(std::size_t i, std::size_t node, std::size_t known_classes, const SplitCandidate& by, SplitWork& work) {
    std::vector<double>& masses = work.numbers;
    const std::size_t leaf = forest_.record(i, node), k = forest_.classes();
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
      const bool one = by.kind == SplitCandidate::one_value;
      if (one) work.named.assign(1, static_cast<std::int32_t>(by.at));
      values = {one ? work.named[0] : -1, -1};
      masses.resize(2 * k);
      for (std::size_t c = 0; c < k; ++c) {
        const double* b = block_of(c);
        const double all = b == nullptr ? 0.0 : column.nominal ? b[column.place] : mine.row(b, 2)[column.place];
        masses[c] = 0;
        if (b != nullptr && !column.nominal) masses[c] = SplitSearch::left_mass(mine, b, column.place, by.at);
        for (std::size_t v = 0; v < work.named.size() && b != nullptr && column.nominal; ++v)
          masses[c] += b[column.place + 1 + static_cast<std::size_t>(work.named[v])];
        masses[k + c] = std::max(all - masses[c], 0.0);
      }
    }
    const std::size_t count = values.size();
    if (static_cast<double>(forest_.n_leaves(i) + count - 1) > params_.max_leaves) return false;
    const bool grouped = by.kind == SplitCandidate::group;
    if (!make_room(i, leaf, known_classes, count, grouped ? work.named.size() : 0)) return false;
    if (params_.pass_on == Params::PassOn::all) share_out(forest_.head(i, leaf), k, count, masses);
    const std::vector<double> cost(params_.leaf == Params::Leaf::costs ? forest_.head(i, leaf) + forest_.cost() : nullptr,
                                   params_.leaf == Params::Leaf::costs ? forest_.head(i, leaf) + forest_.cost() + k : nullptr);
    const Forest::Kind kind = multiway ? Forest::multiway : grouped ? Forest::group : column.nominal ? Forest::one_value : Forest::numeric;
    if (forest_.reconsiders()) queue_[i].clear();  // the record of an inner node promises less than before
    const std::size_t child = forest_.split(i, node, kind, column.column, by.at, count, work.named, mine);
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
};

}  // namespace streamboost
