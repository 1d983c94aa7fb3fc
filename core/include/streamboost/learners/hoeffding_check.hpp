// A loaded Hoeffding tree is believed only after everything that an index is used for later is proved: children lie after their parent
// and have one, records and blocks are numbered without gaps and point to each other, columns are those the tree may look at, values
// exist.
#pragma once
#include "streamboost/learners/hoeffding_tree.hpp"

namespace streamboost {

inline void HoeffdingForest::check(std::size_t i, const HoeffdingColumns& columns) const {
  const std::size_t n_n = threshold_[i].size(), records = head_[i].size() / head_size(), blocks = owner_[i].size() / 2;
  require(n_n >= 1 && nodes_[i].size() == n_n * node_ints, "tree nodes");
  require(records >= 1 && head_[i].size() == records * head_size() && leaf_[i].size() == records * leaf_ints(), "tree leaves");
  require(owner_[i].size() == 2 * blocks && cells_[i].size() == blocks * columns.size, "tree blocks");
  require(!reconsiders() || (kept_[i].size() == 1 + 2 * n_n && kept_[i][0] >= 0), "nodes that keep their records");
  check_nodes(i, columns);
  check_records(i);
  check_blocks(i, columns);
}

inline void HoeffdingForest::check_nodes(std::size_t i, const HoeffdingColumns& columns) const {
  const std::size_t n_n = n_nodes(i), records = n_records(i);
  std::vector<std::int32_t> depth_of(n_n, -1);
  std::vector<bool> has_node(records, false);
  std::size_t grouped = 0;  // how much of the named values has an owner
  depth_of[0] = 0;
  const auto owns = [&](std::int32_t record, std::size_t n) {
    require(record >= 0 && static_cast<std::size_t>(record) < records && !has_node[static_cast<std::size_t>(record)], "leaf number");
    has_node[static_cast<std::size_t>(record)] = true;
    require(leaf_of(i, static_cast<std::size_t>(record))[depth] == depth_of[n], "depth of a leaf");
    require(inner(i, static_cast<std::size_t>(record)) == (node(i, n)[kind] != leaf), "leaf state");
  };
  for (std::size_t n = 0; n < n_n; ++n) {
    const std::int32_t* at = node(i, n);
    require(depth_of[n] >= 0, "tree node without a parent");  // parents come first
    require(!reconsiders() || kept_[i][2 + 2 * n] >= 0, "number of a node");
    if (at[kind] == leaf) {
      owns(at[first], n);
      require(at[branches] == 0 && (!reconsiders() || kept_[i][1 + 2 * n] == -1), "branches of a leaf");
      continue;
    }
    if (reconsiders()) owns(kept_[i][1 + 2 * n], n);
    const HoeffdingColumns::Column* c = columns.find(at[column]);
    const bool of_values = at[kind] == multiway || at[kind] == one_value || (at[kind] == group && !groups_.empty());
    require(c != nullptr && (at[kind] == numeric ? !c->nominal : c->nominal && of_values), "split column");
    require(at[branches] >= 2 && (at[kind] == multiway || at[branches] == 2) && at[fallback] >= 0 && at[fallback] < at[branches],
            "branches");
    require(at[first] > static_cast<std::int64_t>(n) && static_cast<std::size_t>(at[first]) + static_cast<std::size_t>(at[branches]) <= n_n,
            "child index");
    if (at[kind] == group) {
      const std::vector<std::int32_t>& all = groups_[i];
      require(threshold_[i][n] == static_cast<double>(grouped) && grouped < all.size() && all[grouped] >= 1 &&
                  static_cast<std::size_t>(all[grouped]) < all.size() - grouped,
              "group of values");
      const auto named = named_by(i, n);
      for (std::size_t v = 0; v < named.size(); ++v)
        require(named[v] > (v == 0 ? -1 : named[v - 1]) && static_cast<std::size_t>(named[v]) < c->values, "value of a group");
      grouped += 1 + named.size();
    }
    for (std::int32_t b = 0; b < at[branches]; ++b) {
      const auto child = static_cast<std::size_t>(at[first] + b);
      const std::int32_t v = node(i, child)[value];
      require(depth_of[child] < 0, "tree node with two parents");
      depth_of[child] = depth_of[n] + 1;
      if (at[kind] == numeric || at[kind] == group || (at[kind] == one_value && b == 1))
        require(v == -1, "value of a branch");
      else
        require(v >= 0 && static_cast<std::size_t>(v) < c->values && (b == 0 || v > node(i, child - 1)[value]), "value of a branch");
    }
  }
  require(groups_.empty() || grouped == groups_[i].size(), "group without a split");
  for (std::size_t r = 0; r < records; ++r) require(has_node[r], "leaf state");
}

inline void HoeffdingForest::check_records(std::size_t i) const {
  const std::size_t blocks = n_blocks(i);
  std::vector<bool> has_owner(blocks, false);
  for (std::size_t r = 0; r < n_records(i); ++r) {
    const std::int32_t* ints = leaf_of(i, r);
    require(ints[state] >= 0 && ints[state] <= (observing | of_inner), "leaf state");
    for (std::size_t k = 0; k < mass + classes_; ++k) require(head(i, r)[k] >= 0, "negative count");
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::int32_t b = ints[block + c];
      require(b >= -1 && (b < 0 || (static_cast<std::size_t>(b) < blocks && !has_owner[static_cast<std::size_t>(b)] && active(i, r))),
              "block index");
      if (b < 0) continue;
      has_owner[static_cast<std::size_t>(b)] = true;
      require(owner_[i][2 * static_cast<std::size_t>(b)] == static_cast<std::int32_t>(r) &&
                  owner_[i][2 * static_cast<std::size_t>(b) + 1] == static_cast<std::int32_t>(c),
              "block owner");
    }
  }
  for (std::size_t b = 0; b < blocks; ++b) require(has_owner[b], "block without a leaf");
}

inline void HoeffdingForest::check_blocks(std::size_t i, const HoeffdingColumns& columns) const {
  for (std::size_t b = 0; b < n_blocks(i); ++b) {
    const double* block_cells = cells(i, static_cast<std::int32_t>(b), columns);
    const auto is_count = [&](std::size_t k) {  // means, lows and highs may be negative
      return (k >= columns.stride && k < 4 * columns.stride) || k >= columns.first_count;
    };
    for (std::size_t k = 0; k < columns.size; ++k) require(block_cells[k] >= 0 || !is_count(k), "negative count");
    for (std::size_t cell = 0; cell < columns.numeric.size() && columns.bins > 0; ++cell)
      require(HoeffdingBins::sound(columns.intervals(block_cells, cell), columns.bins), "intervals");
    for (std::size_t k = 0; k < 4 * columns.stride; ++k)
      require(k % columns.stride < columns.numeric.size() || block_cells[k] == 0, "padding");
  }
}

}  // namespace streamboost
