// The state of a bank of Hoeffding trees: flat arrays per tree, no objects per node. The algorithm: hoeffding.hpp.
//
//   nodes       per node: kind, column, first, branches, fallback, value
//                 leaf:   first = number of the leaf
//                 inner:  children are the nodes first .. first + branches - 1, all later than their parent; fallback = the branch of
//                         rows whose value is missing. A child of a nominal split carries its value code, "the rest" carries -1.
//   threshold   per node: numeric split point (x <= threshold goes to the first child)
//   head        per leaf: weight waited since the last attempt, weight and squared weight seen here, hits of both predictors, then
//               mass[class], bias[class] (and cost[class])
//   leaf        per leaf: depth, active, block[class] (-1: this class has no statistics here)
//   cells       per block: the statistics of one class in one leaf (HoeffdingColumns); owner: its leaf and class
//
// Blocks are packed: a freed one is filled with the last, so the length of the arrays is the memory in use. Arrays grow with some
// slack; a tree that has reached its limit of bytes has next to none.
#pragma once
#include "streamboost/learners/hoeffding_columns.hpp"
#include "streamboost/learners/tree_node.hpp"
#include "streamboost/run/fields.hpp"

namespace streamboost {

class HoeffdingForest {
 public:
  enum Kind : std::int32_t { leaf = 0, numeric = 1, multiway = 2, one_value = 3 };
  enum NodeField : std::size_t { kind, column, first, branches, fallback, value, node_ints };
  enum HeadField : std::size_t { waited, own, squares, majority_hits, bayes_hits, mass };
  enum LeafField : std::size_t { depth, active, block };

  HoeffdingForest() = default;
  HoeffdingForest(std::size_t lanes, bool costs, double limit)
      : costs_(costs), limit_(limit), nodes_(lanes), leaf_(lanes), owner_(lanes), threshold_(lanes), head_(lanes), cells_(lanes) {}

  std::size_t classes() const { return classes_; }
  std::size_t n_leaves(std::size_t i) const { return head_[i].size() / head_size(); }
  std::size_t n_nodes(std::size_t i) const { return threshold_[i].size(); }
  std::size_t n_blocks(std::size_t i) const { return owner_[i].size() / 2; }
  const std::int32_t* node(std::size_t i, std::size_t n) const { return nodes_[i].data() + n * node_ints; }
  double* head(std::size_t i, std::size_t leaf) { return head_[i].data() + leaf * head_size(); }
  const double* head(std::size_t i, std::size_t leaf) const { return head_[i].data() + leaf * head_size(); }
  std::int32_t* leaf_of(std::size_t i, std::size_t leaf) { return leaf_[i].data() + leaf * leaf_ints(); }
  const std::int32_t* leaf_of(std::size_t i, std::size_t leaf) const { return leaf_[i].data() + leaf * leaf_ints(); }
  double* cells(std::size_t i, std::int32_t b, const HoeffdingColumns& columns) {
    return cells_[i].data() + static_cast<std::size_t>(b) * columns.size;
  }
  const double* cells(std::size_t i, std::int32_t b, const HoeffdingColumns& columns) const {
    return cells_[i].data() + static_cast<std::size_t>(b) * columns.size;
  }
  std::size_t bias() const { return mass + classes_; }
  std::size_t cost() const { return mass + 2 * classes_; }

  // Bytes of one tree if there were k classes and blocks of so many doubles: a function of the state alone, not of what is reserved.
  double bytes(std::size_t i, std::size_t k, std::size_t block_size) const {
    const std::size_t ints = nodes_[i].size() + n_leaves(i) * (block + k) + owner_[i].size();
    const std::size_t doubles = n_nodes(i) + n_leaves(i) * (mass + (costs_ ? 3 : 2) * k) + n_blocks(i) * block_size;
    return static_cast<double>(n_arrays * sizeof(std::vector<double>) + 4 * ints + 8 * doubles);
  }
  static double block_bytes(std::size_t block_size) { return static_cast<double>(8 * block_size + 8); }
  double split_bytes(std::size_t n, std::size_t k) const {
    return static_cast<double>(n * (4 * node_ints + 8) + (n - 1) * (8 * (mass + (costs_ ? 3 : 2) * k) + 4 * (block + k)));
  }
  // Gives back what a full tree holds and does not use.
  void trim(std::size_t i) {
    if (held(i) <= 1.02 * limit_) return;
    for (auto* ints : {&nodes_[i], &leaf_[i], &owner_[i]}) ints->shrink_to_fit();
    for (auto* doubles : {&threshold_[i], &head_[i], &cells_[i]}) doubles->shrink_to_fit();
  }

  // New classes: every leaf gets room for them.
  void grow_classes(std::size_t k) {
    if (k == classes_) return;
    const std::size_t old = classes_, old_head = head_size(), old_leaf = leaf_ints();
    classes_ = k;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::size_t leaves = old == 0 ? 0 : head_[i].size() / old_head;
      std::vector<double> heads(leaves * head_size(), 0.0);
      std::vector<std::int32_t> ints(leaves * leaf_ints(), -1);
      for (std::size_t l = 0; l < leaves; ++l) {
        const double* from = head_[i].data() + l * old_head;
        double* to = heads.data() + l * head_size();
        std::copy_n(from, std::size_t{mass}, to);
        for (std::size_t part = 0; part < (costs_ ? 3u : 2u); ++part) std::copy_n(from + mass + part * old, old, to + mass + part * k);
        std::copy_n(leaf_[i].data() + l * old_leaf, old_leaf, ints.data() + l * leaf_ints());
      }
      head_[i] = std::move(heads);
      leaf_[i] = std::move(ints);
    }
  }
  void grow_columns(std::size_t i, const HoeffdingColumns& old, const HoeffdingColumns& now) {
    std::vector<double> moved(n_blocks(i) * now.size, 0.0);
    for (std::size_t b = 0; b < n_blocks(i); ++b) now.widen(old, cells_[i].data() + b * old.size, moved.data() + b * now.size);
    cells_[i] = std::move(moved);
  }

  // One empty leaf.
  void plant(std::size_t i) {
    nodes_[i] = {leaf, -1, 0, 0, 0, -1};
    threshold_[i] = {0.0};
    head_[i].assign(head_size(), 0.0);
    leaf_[i].assign(leaf_ints(), -1);
    leaf_[i][depth] = 0;
    leaf_[i][active] = 1;
    owner_[i].clear();
    cells_[i].clear();
  }
  void swap(std::size_t i, HoeffdingForest& other) noexcept {
    nodes_[i].swap(other.nodes_[i]);
    threshold_[i].swap(other.threshold_[i]);
    head_[i].swap(other.head_[i]);
    leaf_[i].swap(other.leaf_[i]);
    cells_[i].swap(other.cells_[i]);
    owner_[i].swap(other.owner_[i]);
  }
  bool planted(std::size_t i) const { return !threshold_[i].empty(); }

  // The node where a row ends. known[j]: value codes of column j met so far; others count as missing.
  std::size_t route(std::size_t i, const double* x, const std::int64_t* known) const {
    const std::int32_t* nodes = nodes_[i].data();
    std::size_t n = 0;
    while (nodes[n * node_ints + kind] != leaf) n = static_cast<std::size_t>(nodes[n * node_ints + first] + branch(i, n, x, known));
    return n;
  }
  // The branch that a row takes at an inner node.
  std::int32_t branch(std::size_t i, std::size_t n, const double* x, const std::int64_t* known) const {
    const std::int32_t* at = node(i, n);
    const double v = x[at[column]];
    if (at[kind] == numeric) return v <= threshold_[i][n] ? 0 : v == v ? 1 : at[fallback];
    const bool usable = v >= 0 && v < static_cast<double>(known[at[column]]);
    return usable ? nominal_branch(nodes_[i].data(), at, static_cast<std::int32_t>(v)) : at[fallback];
  }

  std::int32_t add_block(std::size_t i, std::size_t leaf_number, std::size_t c, const HoeffdingColumns& columns) {
    const auto b = static_cast<std::int32_t>(n_blocks(i));
    append(i, owner_[i], 2, std::int32_t{0});
    owner_[i][owner_[i].size() - 2] = static_cast<std::int32_t>(leaf_number);
    owner_[i][owner_[i].size() - 1] = static_cast<std::int32_t>(c);
    append(i, cells_[i], columns.size, 0.0);
    leaf_of(i, leaf_number)[block + c] = b;
    return b;
  }
  void free_blocks(std::size_t i, std::size_t leaf_number, const HoeffdingColumns& columns) {
    for (std::size_t c = 0; c < classes_; ++c) {
      std::int32_t& mine = leaf_of(i, leaf_number)[block + c];
      if (mine < 0) continue;
      const std::size_t hole = static_cast<std::size_t>(mine), last = n_blocks(i) - 1;
      mine = -1;
      if (hole != last) {
        const std::int32_t* mover = owner_[i].data() + 2 * last;
        leaf_of(i, static_cast<std::size_t>(mover[0]))[block + static_cast<std::size_t>(mover[1])] = static_cast<std::int32_t>(hole);
        std::copy_n(mover, 2, owner_[i].data() + 2 * hole);
        std::copy_n(cells_[i].data() + last * columns.size, columns.size, cells_[i].data() + hole * columns.size);
      }
      owner_[i].resize(2 * last);
      cells_[i].resize(last * columns.size);
    }
  }

  // Leaf node n becomes an inner node with `count` empty leaves below; the first takes over its leaf number. Returns the first child.
  std::size_t split(std::size_t i, std::size_t n, Kind how, int split_column, double at, std::size_t count) {
    const std::size_t child = n_nodes(i), old_leaf = static_cast<std::size_t>(node(i, n)[first]), leaves = n_leaves(i);
    const std::int32_t below = leaf_of(i, old_leaf)[depth] + 1;
    append(i, nodes_[i], count * node_ints, std::int32_t{0});
    append(i, threshold_[i], count, 0.0);
    append(i, head_[i], (count - 1) * head_size(), 0.0);
    append(i, leaf_[i], (count - 1) * leaf_ints(), std::int32_t{-1});
    std::int32_t* parent = nodes_[i].data() + n * node_ints;
    parent[kind] = how;
    parent[column] = split_column;
    parent[first] = static_cast<std::int32_t>(child);
    parent[branches] = static_cast<std::int32_t>(count);
    threshold_[i][n] = how == numeric ? at : 0.0;
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t number = b == 0 ? old_leaf : leaves + b - 1;
      std::int32_t* to = nodes_[i].data() + (child + b) * node_ints;
      to[kind] = leaf;
      to[column] = -1;
      to[first] = static_cast<std::int32_t>(number);
      to[value] = -1;
      std::fill_n(head(i, number), head_size(), 0.0);
      std::fill_n(leaf_of(i, number), leaf_ints(), -1);
      leaf_of(i, number)[depth] = below;
      leaf_of(i, number)[active] = 1;
    }
    return child;
  }
  // Node n, whose children are leaves without statistics, becomes a leaf with all they have learned. What comes later moves up.
  void fold(std::size_t i, std::size_t n) {
    const auto child = static_cast<std::size_t>(node(i, n)[first]), count = static_cast<std::size_t>(node(i, n)[branches]);
    const auto kept = static_cast<std::size_t>(node(i, child)[first]);
    for (std::size_t b = 1; b < count; ++b) {
      const double* from = head(i, static_cast<std::size_t>(node(i, child + b)[first]));
      for (std::size_t h = 0; h < head_size(); ++h) head(i, kept)[h] += from[h];
    }
    leaf_of(i, kept)[depth] -= 1;
    leaf_of(i, kept)[active] = 0;
    for (std::size_t b = 1; b < count; ++b) drop_leaf(i, static_cast<std::size_t>(node(i, child + b)[first]));
    std::int32_t* at = nodes_[i].data() + n * node_ints;
    const std::int32_t value_here = at[value], leaf_here = node(i, child)[first];
    std::fill_n(at, std::size_t{node_ints}, 0);
    at[kind] = leaf;
    at[column] = -1;
    at[first] = leaf_here;
    at[value] = value_here;
    threshold_[i][n] = 0;
    const auto begin = static_cast<std::ptrdiff_t>(child), end = static_cast<std::ptrdiff_t>(child + count);
    threshold_[i].erase(threshold_[i].begin() + begin, threshold_[i].begin() + end);
    const auto ints = static_cast<std::ptrdiff_t>(node_ints);
    nodes_[i].erase(nodes_[i].begin() + begin * ints, nodes_[i].begin() + end * ints);
    for (std::size_t m = 0; m < n_nodes(i); ++m) {
      std::int32_t* other = nodes_[i].data() + m * node_ints;
      if (other[kind] != leaf && static_cast<std::size_t>(other[first]) > child) other[first] -= static_cast<std::int32_t>(count);
    }
  }
  void set(std::size_t i, std::size_t n, NodeField field, std::size_t to) {
    nodes_[i][n * node_ints + field] = static_cast<std::int32_t>(to);
  }

  std::vector<TreeNode> show(std::size_t i) const {
    std::vector<TreeNode> out;
    for (std::size_t n = 0; n < n_nodes(i); ++n) {
      const std::int32_t* at = node(i, n);
      TreeNode t{at[kind] == leaf      ? "leaf"
                 : at[kind] == numeric ? "numeric"
                                       : "nominal",
                 at[column],
                 at[first],
                 at[branches],
                 at[fallback],
                 at[value],
                 threshold_[i][n],
                 {}};
      if (at[kind] == leaf) {
        const double* h = head(i, static_cast<std::size_t>(at[first]));
        t.mass.assign(h + mass, h + mass + classes_);
        t.first = -1;
      }
      out.push_back(std::move(t));
    }
    return out;
  }

  void fields(FieldVisitor& v) {
    v("nodes", nodes_);
    v("threshold", threshold_);
    v("head", head_);
    v("leaf", leaf_);
    v("cells", cells_);
    v("owner", owner_);
  }

  // Everything an index is used for later is proved here: children lie after their parent and have one, leaves and blocks are
  // numbered without gaps and point to each other, columns are those the tree may look at, values exist.
  void check(std::size_t i, const HoeffdingColumns& columns) const {
    const std::size_t n_n = threshold_[i].size(), leaves = head_[i].size() / head_size(), blocks = owner_[i].size() / 2;
    require(n_n >= 1 && nodes_[i].size() == n_n * node_ints, "tree nodes");
    require(leaves >= 1 && head_[i].size() == leaves * head_size() && leaf_[i].size() == leaves * leaf_ints(), "tree leaves");
    require(owner_[i].size() == 2 * blocks && cells_[i].size() == blocks * columns.size, "tree blocks");
    std::vector<std::int32_t> depth_of(n_n, -1);
    std::vector<bool> has_node(leaves, false), has_owner(blocks, false);
    depth_of[0] = 0;
    for (std::size_t n = 0; n < n_n; ++n) {
      const std::int32_t* at = node(i, n);
      require(depth_of[n] >= 0, "tree node without a parent");  // parents come first
      if (at[kind] == leaf) {
        require(at[first] >= 0 && static_cast<std::size_t>(at[first]) < leaves && !has_node[static_cast<std::size_t>(at[first])],
                "leaf number");
        has_node[static_cast<std::size_t>(at[first])] = true;
        require(at[branches] == 0, "branches of a leaf");
        require(leaf_of(i, static_cast<std::size_t>(at[first]))[depth] == depth_of[n], "depth of a leaf");
        continue;
      }
      const HoeffdingColumns::Column* c = columns.find(at[column]);
      require(c != nullptr && (at[kind] == numeric ? !c->nominal : c->nominal && (at[kind] == multiway || at[kind] == one_value)),
              "split column");
      require(at[branches] >= 2 && (at[kind] == multiway || at[branches] == 2) && at[fallback] >= 0 && at[fallback] < at[branches],
              "branches");
      require(
          at[first] > static_cast<std::int64_t>(n) && static_cast<std::size_t>(at[first]) + static_cast<std::size_t>(at[branches]) <= n_n,
          "child index");
      for (std::int32_t b = 0; b < at[branches]; ++b) {
        const auto child = static_cast<std::size_t>(at[first] + b);
        const std::int32_t v = node(i, child)[value];
        require(depth_of[child] < 0, "tree node with two parents");
        depth_of[child] = depth_of[n] + 1;
        if (at[kind] == numeric || (at[kind] == one_value && b == 1))
          require(v == -1, "value of a branch");
        else
          require(v >= 0 && static_cast<std::size_t>(v) < c->values && (b == 0 || v > node(i, child - 1)[value]), "value of a branch");
      }
    }
    for (std::size_t l = 0; l < leaves; ++l) {
      const std::int32_t* ints = leaf_of(i, l);
      require(has_node[l] && (ints[active] == 0 || ints[active] == 1), "leaf state");
      for (std::size_t k = 0; k < mass + classes_; ++k) require(head(i, l)[k] >= 0, "negative count");
      for (std::size_t c = 0; c < classes_; ++c) {
        const std::int32_t b = ints[block + c];
        require(
            b >= -1 && (b < 0 || (static_cast<std::size_t>(b) < blocks && !has_owner[static_cast<std::size_t>(b)] && ints[active] == 1)),
            "block index");
        if (b < 0) continue;
        has_owner[static_cast<std::size_t>(b)] = true;
        require(owner_[i][2 * static_cast<std::size_t>(b)] == static_cast<std::int32_t>(l) &&
                    owner_[i][2 * static_cast<std::size_t>(b) + 1] == static_cast<std::int32_t>(c),
                "block owner");
      }
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      require(has_owner[b], "block without a leaf");
      const double* block_cells = cells(i, static_cast<std::int32_t>(b), columns);
      const auto is_count = [&](std::size_t k) {  // means, lows and highs may be negative
        return (k >= columns.width && k < 4 * columns.width) || k >= columns.first_count;
      };
      for (std::size_t k = 0; k < columns.size; ++k) require(block_cells[k] >= 0 || !is_count(k), "negative count");
      for (std::size_t cell = 0; cell < columns.numeric.size() && columns.bins > 0; ++cell)
        require(HoeffdingBins::sound(columns.intervals(block_cells, cell), columns.bins), "intervals");
      for (std::size_t k = 0; k < 4 * columns.width; ++k)
        require(k % columns.width < columns.numeric.size() || block_cells[k] == 0, "padding");
    }
  }

 private:
  std::size_t head_size() const { return mass + (costs_ ? 3 : 2) * classes_; }
  std::size_t leaf_ints() const { return block + classes_; }

  // Children's values ascend; the rest (-1), if there is one, comes last.
  // The last leaf takes the number of one that is no more and has no statistics.
  void drop_leaf(std::size_t i, std::size_t gone) {
    const std::size_t last = n_leaves(i) - 1;
    if (gone != last) {
      std::copy_n(head(i, last), head_size(), head(i, gone));
      std::copy_n(leaf_of(i, last), leaf_ints(), leaf_of(i, gone));
      for (std::size_t m = 0; m < n_nodes(i); ++m) {
        std::int32_t* at = nodes_[i].data() + m * node_ints;
        if (at[kind] == leaf && static_cast<std::size_t>(at[first]) == last) at[first] = static_cast<std::int32_t>(gone);
      }
      for (std::size_t b = 0; b < n_blocks(i); ++b)
        if (static_cast<std::size_t>(owner_[i][2 * b]) == last) owner_[i][2 * b] = static_cast<std::int32_t>(gone);
    }
    head_[i].resize(last * head_size());
    leaf_[i].resize(last * leaf_ints());
  }

  static std::int32_t nominal_branch(const std::int32_t* nodes, const std::int32_t* at, std::int32_t v) {
    const auto value_of = [&](std::int32_t b) { return nodes[static_cast<std::size_t>(at[first] + b) * node_ints + value]; };
    if (at[kind] == one_value) return value_of(0) == v ? 0 : 1;
    std::int32_t low = 0, high = at[branches];
    while (low < high) {
      const std::int32_t middle = (low + high) / 2;
      if (value_of(middle) < v)
        low = middle + 1;
      else
        high = middle;
    }
    return low < at[branches] && value_of(low) == v ? low : at[fallback];
  }

  // Bytes of the arrays with their slack.
  double held(std::size_t i) const {
    const std::size_t ints = nodes_[i].capacity() + leaf_[i].capacity() + owner_[i].capacity();
    return static_cast<double>(4 * ints + 8 * (threshold_[i].capacity() + head_[i].capacity() + cells_[i].capacity()));
  }
  // A quarter of slack, while the limit allows it: trees are many and grow slowly.
  template <class T>
  void append(std::size_t i, std::vector<T>& to, std::size_t n, T fill) {
    if (to.size() + n > to.capacity()) {
      const bool roomy = held(i) + static_cast<double>((n + to.size() / 4) * sizeof(T)) <= limit_;
      to.reserve(to.size() + std::max(n, to.size() / (roomy ? 4 : 64)));
    }
    to.resize(to.size() + n, fill);
  }

  static constexpr std::size_t n_arrays = 6;
  std::size_t classes_ = 0;
  bool costs_ = false;
  double limit_ = 1e300;  // bytes of one tree
  Ragged<std::int32_t> nodes_, leaf_, owner_;
  Ragged<double> threshold_, head_, cells_;
};

}  // namespace streamboost
