// The state of a bank of Hoeffding trees: flat arrays per tree, no objects per node. The algorithm: hoeffding.hpp.
//
//   nodes       per node: kind, column, first, branches, fallback, value
//                 leaf:   first = number of the leaf
//                 inner:  children are the nodes first .. first + branches - 1, all later than their parent; fallback = the branch of
//                         rows whose value is missing. A child of a nominal split carries its value code, "the rest" carries -1.
//   threshold   per node: numeric split point (x <= threshold goes to the first child)
//   head        per record: weight waited since the last attempt, weight and squared weight seen here, hits of both predictors, then
//               mass[class], bias[class] (and cost[class])
//   leaf        per record: depth, state, block[class] (-1: this class has no statistics here)
//   cells       per block: the statistics of one class in one record (HoeffdingColumns); owner: its record and class
//   kept        trees that reconsider their splits: how many nodes were ever made, then per node its record (of an inner node; -1 in
//               leaves) and its number in the order of making, which keys its draws however nodes move
//   groups      trees that group values: for each such split, in the order of the nodes, how many values it names, and these. The
//               node's threshold is where that begins.
//
// A record is what a leaf knows, numbered by the leaf's `first`. Where splits are reconsidered, inner nodes keep theirs.
// Blocks are packed: a freed one is filled with the last, so the length of the arrays is the memory in use. Arrays grow with some
// slack; a tree that has reached its limit of bytes has next to none.
#pragma once
#include <span>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/journal.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/hoeffding_columns.hpp"
#include "streamboost/learners/tree_node.hpp"

namespace streamboost {

class HoeffdingForest {
 public:
  enum Kind : std::int32_t { leaf = 0, numeric = 1, multiway = 2, one_value = 3, group = 4 };
  enum NodeField : std::size_t { kind, column, first, branches, fallback, value, node_ints };
  enum HeadField : std::size_t { waited, own, squares, majority_hits, bayes_hits, mass };
  enum LeafField : std::size_t { depth, state, block };
  enum State : std::int32_t { observing = 1, of_inner = 2 };  // bits

  HoeffdingForest() = default;
  HoeffdingForest(std::size_t lanes, bool costs, bool reconsiders, bool groups, double limit)
      : costs_(costs),
        limit_(limit),
        nodes_(lanes),
        leaf_(lanes),
        owner_(lanes),
        kept_(reconsiders ? lanes : 0),
        groups_(groups ? lanes : 0),
        threshold_(lanes),
        head_(lanes),
        cells_(lanes) {}

  std::size_t classes() const { return classes_; }  // that there is room for
  std::size_t used() const { return used_; }        // known to the schema
  bool reconsiders() const { return !kept_.empty(); }
  std::size_t n_records(std::size_t i) const { return head_[i].size() / head_size(); }
  std::size_t n_leaves(std::size_t i) const {
    std::size_t n = n_records(i);
    for (std::size_t r = 0, all = n; r < all && reconsiders(); ++r) n -= inner(i, r) ? 1 : 0;
    return n;
  }
  bool active(std::size_t i, std::size_t record) const { return (leaf_of(i, record)[state] & observing) != 0; }
  bool inner(std::size_t i, std::size_t record) const { return (leaf_of(i, record)[state] & of_inner) != 0; }
  void set_active(std::size_t i, std::size_t record, bool now) {
    std::int32_t& s = leaf_of(i, record)[state];
    s = now ? s | observing : s & ~std::int32_t{observing};
  }
  // The record of a leaf, or of an inner node that keeps its own.
  std::size_t record(std::size_t i, std::size_t n) const {
    return static_cast<std::size_t>(node(i, n)[kind] == leaf ? node(i, n)[first] : kept_[i][1 + 2 * n]);
  }
  std::size_t number_of(std::size_t i, std::size_t n) const { return reconsiders() ? static_cast<std::size_t>(kept_[i][2 + 2 * n]) : n; }
  std::size_t n_nodes(std::size_t i) const { return threshold_[i].size(); }
  std::size_t n_blocks(std::size_t i) const { return owner_[i].size() / 2; }
  const std::int32_t* node(std::size_t i, std::size_t n) const { return nodes_[i].data() + n * node_ints; }
  double threshold(std::size_t i, std::size_t n) const { return threshold_[i][n]; }
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
  // 32 numbers and two per class are for what a model keeps beside its trees, which tells where there is only one.
  double bytes(std::size_t i, std::size_t k, std::size_t block_size) const {
    k = with_room(k);
    const std::size_t ints = nodes_[i].size() + n_records(i) * (block + k) + owner_[i].size() + (reconsiders() ? kept_[i].size() : 0) +
                             (groups_.empty() ? 0 : groups_[i].size());
    const std::size_t doubles = n_nodes(i) + n_records(i) * (mass + (costs_ ? 3 : 2) * k) + n_blocks(i) * block_size;
    const std::size_t arrays = 6 + (reconsiders() ? 1 : 0) + (groups_.empty() ? 0 : 1);
    return static_cast<double>(arrays * sizeof(std::vector<double>) + 4 * ints + 8 * (doubles + 2 * k + 32));
  }
  static double block_bytes(std::size_t block_size) { return static_cast<double>(8 * block_size + 8); }
  // Of a split into n branches that names so many values.
  double split_bytes(std::size_t n, std::size_t k, std::size_t named) const {
    k = with_room(k);
    const std::size_t records = reconsiders() ? n : n - 1, ints = node_ints + (reconsiders() ? 2 : 0);
    return static_cast<double>(n * (4 * ints + 8) + records * (8 * (mass + (costs_ ? 3 : 2) * k) + 4 * (block + k)) +
                               (named > 0 ? 4 * (1 + named) : 0));
  }
  // Gives back what a full tree holds and does not use.
  void trim(std::size_t i) {
    if (held(i) > 1.005 * limit_) give_back(i);
  }

  // New classes: every leaf gets room for them, and for more to come.
  void grow_classes(const Schema& schema, Journal& journal) {
    const std::size_t k = class_room(schema, classes_);
    journal.assign(used_, classes_of(schema));
    if (k == classes_) return;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      journal.assign(head_[i], heads_of(head_[i], classes_, k));
      journal.assign(leaf_[i], leaves_of(leaf_[i], classes_, k));
    }
    journal.assign(classes_, k);
  }
  void grow_columns(std::size_t i, const HoeffdingColumns& old, const HoeffdingColumns& now, Journal& journal) {
    journal.assign(cells_[i], now.move(old, cells_[i], n_blocks(i)));
  }

  // One empty leaf, and no memory of a tree that stood here before.
  void plant(std::size_t i) {
    nodes_[i] = {leaf, -1, 0, 0, 0, -1};
    threshold_[i] = {0.0};
    head_[i].assign(head_size(), 0.0);
    leaf_[i].assign(leaf_ints(), -1);
    leaf_[i][depth] = 0;
    leaf_[i][state] = observing;
    owner_[i].clear();
    cells_[i].clear();
    if (reconsiders()) kept_[i] = {1, -1, 0};
    if (!groups_.empty()) groups_[i].clear();
    give_back(i);
  }
  void swap(std::size_t i, HoeffdingForest& other) noexcept {
    nodes_[i].swap(other.nodes_[i]);
    threshold_[i].swap(other.threshold_[i]);
    head_[i].swap(other.head_[i]);
    leaf_[i].swap(other.leaf_[i]);
    cells_[i].swap(other.cells_[i]);
    owner_[i].swap(other.owner_[i]);
    if (reconsiders()) kept_[i].swap(other.kept_[i]);
    if (!groups_.empty()) groups_[i].swap(other.groups_[i]);
  }
  bool planted(std::size_t i) const { return !threshold_[i].empty(); }

  // The node where a row ends. known[j]: value codes of column j met so far; others count as missing.
  std::size_t route(std::size_t i, const double* x, const std::int64_t* known) const {
    std::size_t n = 0;
    while (nodes_[i][n * node_ints] != leaf) n = next(i, n, x, known);
    return n;
  }
  // The same for all trees, a step of each at a time: while one waits for memory, the others go on. going: room.
  void route(const double* x, const std::int64_t* known, std::vector<std::size_t>& at, std::vector<std::size_t>& going) const {
    const std::size_t lanes = nodes_.size();
    at.assign(lanes, 0);
    going.resize(lanes);
    for (std::size_t i = 0; i < lanes; ++i) going[i] = i;
    for (std::size_t left = lanes, still = 0; left > 0; left = still, still = 0)
      for (std::size_t a = 0; a < left; ++a) {
        const std::size_t i = going[a];
        const std::int32_t* here = node(i, at[i]);
        if (here[kind] == leaf) {
          const auto own = static_cast<std::size_t>(here[first]);
          fetch(head(i, own), head_size());
          fetch(leaf_of(i, own), leaf_ints());
          continue;
        }
        at[i] = next(i, at[i], x, known);
        __builtin_prefetch(node(i, at[i]));
        __builtin_prefetch(threshold_[i].data() + at[i]);
        going[still++] = i;
      }
  }
  // Memory that will be needed soon: what a record knows of all classes, to answer, and of one, to learn.
  void fetch_to_answer(std::size_t i, std::size_t record, const HoeffdingColumns& columns) const {
    const std::int32_t* numbers = leaf_of(i, record) + block;
    for (std::size_t c = 0; c < classes_; ++c) {
      if (numbers[c] < 0) continue;
      const double* mine = cells(i, numbers[c], columns);
      if (columns.width > 0) fetch(mine, std::min<std::size_t>(2 * columns.stride, 128));
      if (columns.size > columns.first_count)
        fetch(mine + columns.first_count, std::min<std::size_t>(columns.size - columns.first_count, 128));
    }
  }
  void fetch_to_learn(std::size_t i, std::size_t record, std::size_t label, const HoeffdingColumns& columns) const {
    const std::int32_t number = leaf_of(i, record)[block + label];
    if (number >= 0 && columns.width > 0)
      fetch(cells(i, number, columns) + 2 * columns.stride, std::min<std::size_t>(4 * columns.stride, 256));
  }
  // The child of an inner node that a row goes to.
  std::size_t next(std::size_t i, std::size_t n, const double* x, const std::int64_t* known) const {
    return static_cast<std::size_t>(node(i, n)[first] + branch(i, n, x, known));
  }
  // The branch that a row takes at an inner node.
  std::int32_t branch(std::size_t i, std::size_t n, const double* x, const std::int64_t* known) const {
    const std::int32_t* at = node(i, n);
    const double v = x[at[column]];
    if (at[kind] == numeric) return v != v ? at[fallback] : static_cast<std::int32_t>(!(v <= threshold_[i][n]));  // no guess at the side
    const bool usable = v >= 0 && v < static_cast<double>(known[at[column]]);
    return usable ? nominal_branch(i, n, static_cast<std::int32_t>(v)) : at[fallback];
  }
  // Children's values ascend; the rest (-1), if there is one, comes last.
  std::int32_t nominal_branch(std::size_t i, std::size_t n, std::int32_t v) const {
    const std::int32_t *nodes = nodes_[i].data(), *at = nodes + n * node_ints;
    const auto value_of = [&](std::int32_t b) { return nodes[static_cast<std::size_t>(at[first] + b) * node_ints + value]; };
    if (at[kind] == one_value) return value_of(0) == v ? 0 : 1;
    if (at[kind] == group) {
      const auto named = named_by(i, n);
      return std::binary_search(named.begin(), named.end(), v) ? 0 : 1;
    }
    if (v < at[branches] && value_of(v) == v) return v;  // as where the first values have all been met
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
  // The values that a grouped split sends to its first branch, ascending.
  std::span<const std::int32_t> named_by(std::size_t i, std::size_t n) const {
    const std::int32_t* at = groups_[i].data() + static_cast<std::size_t>(threshold_[i][n]);
    return {at + 1, static_cast<std::size_t>(at[0])};
  }

  void add_block(std::size_t i, std::size_t record, std::size_t c, const HoeffdingColumns& columns) {
    const auto b = static_cast<std::int32_t>(n_blocks(i));
    make_space(i, owner_[i], 2);  // what can fail comes first
    make_space(i, cells_[i], columns.size);
    owner_[i].push_back(static_cast<std::int32_t>(record));
    owner_[i].push_back(static_cast<std::int32_t>(c));
    cells_[i].resize(cells_[i].size() + columns.size, 0.0);
    leaf_of(i, record)[block + c] = b;
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

  // Leaf node n becomes an inner node with `count` empty leaves below. The first takes over its record, without the statistics, unless
  // inner nodes keep theirs.
  // Returns the first child. named: the values of the first branch, ascending, if the split groups them.
  std::size_t split(std::size_t i, std::size_t n, Kind how, int split_column, double at, std::size_t count,
                    std::span<const std::int32_t> named, const HoeffdingColumns& columns) {
    const std::size_t child = n_nodes(i), own = record(i, n), more = reconsiders() ? count : count - 1;
    std::size_t next_record = n_records(i);
    make_space(i, nodes_[i], count * node_ints);  // what can fail comes first
    make_space(i, threshold_[i], count);
    make_space(i, head_[i], more * head_size());
    make_space(i, leaf_[i], more * leaf_ints());
    if (reconsiders()) make_space(i, kept_[i], 2 * count);
    if (how == group) make_space(i, groups_[i], 1 + named.size());
    if (!reconsiders()) free_blocks(i, own, columns);
    const std::int32_t below = leaf_of(i, own)[depth] + 1;
    nodes_[i].resize(nodes_[i].size() + count * node_ints, 0);
    threshold_[i].resize(child + count, 0.0);
    head_[i].resize(head_[i].size() + more * head_size(), 0.0);
    leaf_[i].resize(leaf_[i].size() + more * leaf_ints(), -1);
    std::int32_t* parent = nodes_[i].data() + n * node_ints;
    parent[kind] = how;
    parent[column] = split_column;
    parent[first] = static_cast<std::int32_t>(child);
    parent[branches] = static_cast<std::int32_t>(count);
    threshold_[i][n] = how == numeric ? at : 0.0;
    if (how == group) insert_group(i, n, named);
    if (reconsiders()) {
      kept_[i][1 + 2 * n] = static_cast<std::int32_t>(own);
      leaf_of(i, own)[state] |= of_inner;
    }
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t number = b == 0 && !reconsiders() ? own : next_record++;
      std::int32_t* to = nodes_[i].data() + (child + b) * node_ints;
      to[kind] = leaf;
      to[column] = -1;
      to[first] = static_cast<std::int32_t>(number);
      to[value] = -1;
      std::fill_n(head(i, number), head_size(), 0.0);
      std::fill_n(leaf_of(i, number), leaf_ints(), -1);
      leaf_of(i, number)[depth] = below;
      leaf_of(i, number)[state] = observing;
      if (!reconsiders()) continue;
      kept_[i].push_back(-1);
      kept_[i].push_back(kept_[i][0]);
      kept_[i][0] = static_cast<std::int32_t>((static_cast<std::uint32_t>(kept_[i][0]) + 1) & 0x7fffffffu);
    }
    return child;
  }
  // Node n, whose children are leaves without statistics, becomes a leaf with all they have learned, without statistics.
  void fold(std::size_t i, std::size_t n, const HoeffdingColumns& columns) {
    const auto child = static_cast<std::size_t>(node(i, n)[first]), count = static_cast<std::size_t>(node(i, n)[branches]);
    const std::size_t own = record(i, child);
    const Gone gone = below(i, n, own);
    for (std::size_t b = 1; b < count; ++b) {
      const double* from = head(i, record(i, child + b));
      for (std::size_t h = 0; h < head_size(); ++h) head(i, own)[h] += from[h];
    }
    leaf_of(i, own)[depth] -= 1;
    set_active(i, own, false);
    remove(i, n, own, gone, columns);
  }
  // Node n, which has kept its record, becomes a leaf again and all below it is forgotten.
  void prune(std::size_t i, std::size_t n, const HoeffdingColumns& columns) {
    const std::size_t own = record(i, n);
    const Gone gone = below(i, n, own);
    leaf_of(i, own)[state] &= ~std::int32_t{of_inner};
    kept_[i][1 + 2 * n] = -1;
    remove(i, n, own, gone, columns);
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
                 at[kind] == numeric ? threshold_[i][n] : 0.0,
                 {},
                 {}};
      if (at[kind] == group) {
        const auto named = named_by(i, n);
        t.named.assign(named.begin(), named.end());
      }
      if (at[kind] == leaf) {
        const double* h = head(i, static_cast<std::size_t>(at[first]));
        t.mass.assign(h + mass, h + mass + used_);
        t.first = -1;
      }
      out.push_back(std::move(t));
    }
    return out;
  }

  // columns: of each tree, or of all.
  void fields(FieldVisitor& v, const std::vector<HoeffdingColumns>& columns) {
    v("nodes", nodes_);
    v("threshold", threshold_);
    if (used_ == classes_ || v.measures()) {
      v("head", head_);
      v("leaf", leaf_);
    } else {
      packed_fields(v);
    }
    packed_cells(v, columns);
    v("owner", owner_);
    if (reconsiders()) v("kept", kept_);
    if (!groups_.empty()) v("groups", groups_);
  }

  void check(std::size_t i, const HoeffdingColumns& columns) const;  // hoeffding_check.hpp

 private:
  template <class T>
  static void fetch(const T* from, std::size_t n) {
    const char *at = reinterpret_cast<const char*>(from), *end = reinterpret_cast<const char*>(from + n);
    for (; at < end; at += 64) __builtin_prefetch(at);
    __builtin_prefetch(end - 1);
  }
  void check_nodes(std::size_t i, const HoeffdingColumns& columns) const;
  void check_records(std::size_t i) const;
  void check_blocks(std::size_t i, const HoeffdingColumns& columns) const;
  std::size_t head_size() const { return mass + (costs_ ? 3 : 2) * classes_; }
  std::size_t with_room(std::size_t k) const { return std::min(room_for(k), classes_); }
  // Records of so many classes as those of another number: each has some numbers of its own, then some for each class.
  template <class T>
  static std::vector<T> records_of(const std::vector<T>& from, std::size_t own, std::size_t parts, std::size_t before, std::size_t now,
                                   T none) {
    const std::size_t size_before = own + parts * before, size_now = own + parts * now, n = from.size() / size_before;
    std::vector<T> to(n * size_now, none);
    for (std::size_t r = 0; r < n; ++r) {
      const T* old = from.data() + r * size_before;
      T* made = to.data() + r * size_now;
      std::copy_n(old, own, made);
      for (std::size_t p = 0; p < parts; ++p) std::copy_n(old + own + p * before, std::min(before, now), made + own + p * now);
    }
    return to;
  }
  std::vector<double> heads_of(const std::vector<double>& from, std::size_t before, std::size_t now) const {
    return records_of(from, mass, costs_ ? 3 : 2, before, now, 0.0);
  }
  static std::vector<std::int32_t> leaves_of(const std::vector<std::int32_t>& from, std::size_t before, std::size_t now) {
    return records_of(from, block, 1, before, now, std::int32_t{-1});
  }
  // Records as a file has them: without the room for classes to come.
  void packed_fields(FieldVisitor& v) {
    Ragged<double> heads(head_.size());
    Ragged<std::int32_t> leaves(leaf_.size());
    for (std::size_t i = 0; i < head_.size() && !v.loads(); ++i) {
      heads[i] = heads_of(head_[i], classes_, used_);
      leaves[i] = leaves_of(leaf_[i], classes_, used_);
    }
    v("head", heads);
    v("leaf", leaves);
    for (std::size_t i = 0; i < head_.size() && v.loads(); ++i) {
      require(heads[i].size() % (mass + (costs_ ? 3 : 2) * used_) == 0 && leaves[i].size() % (block + used_) == 0, "tree leaves");
      head_[i] = heads_of(heads[i], used_, classes_);
      leaf_[i] = leaves_of(leaves[i], used_, classes_);
    }
  }
  void packed_cells(FieldVisitor& v, const std::vector<HoeffdingColumns>& columns) {
    std::vector<HoeffdingColumns> tight;
    bool same = true;
    for (const HoeffdingColumns& one : columns) {
      tight.push_back(one.packed());
      same = same && one.holds(tight.back());
    }
    if (same || v.measures()) return v("cells", cells_);
    Ragged<double> cells(cells_.size());
    const auto at = [&](std::size_t i) { return columns.size() > 1 ? i : 0; };
    for (std::size_t i = 0; i < cells_.size() && !v.loads(); ++i) cells[i] = tight[at(i)].move(columns[at(i)], cells_[i], n_blocks(i));
    v("cells", cells);
    for (std::size_t i = 0; i < cells_.size() && v.loads(); ++i) {
      const std::size_t size = std::max<std::size_t>(tight[at(i)].size, 1);
      require(cells[i].size() % size == 0, "tree blocks");
      cells_[i] = columns[at(i)].move(tight[at(i)], cells[i], cells[i].size() / size);
    }
  }
  std::size_t leaf_ints() const { return block + classes_; }

  // New numbers of nodes and records once all below a node is gone; -1: gone. Made before anything is changed, for it may fail.
  struct Gone {
    std::vector<std::int32_t> node, record;
  };
  Gone below(std::size_t i, std::size_t n, std::size_t own) const {
    Gone gone{std::vector<std::int32_t>(n_nodes(i), 0), std::vector<std::int32_t>(n_records(i), 0)};
    for (std::size_t m = n; m < n_nodes(i); ++m) {
      const std::int32_t* at = node(i, m);
      if (gone.node[m] < 0 && (at[kind] == leaf || reconsiders())) gone.record[record(i, m)] = -1;
      if (at[kind] == leaf || (m != n && gone.node[m] == 0)) continue;
      std::fill_n(gone.node.begin() + at[first], at[branches], -1);
    }
    gone.record[own] = 0;
    for (auto* numbers : {&gone.node, &gone.record}) {
      std::int32_t now = 0;
      for (std::int32_t& number : *numbers) number = number < 0 ? -1 : now++;
    }
    return gone;
  }
  // What comes later moves up.
  void remove(std::size_t i, std::size_t n, std::size_t own, const Gone& gone, const HoeffdingColumns& columns) {
    for (std::size_t r = 0; r < gone.record.size(); ++r)
      if (gone.record[r] < 0) free_blocks(i, r, columns);
    std::int32_t* at = nodes_[i].data() + n * node_ints;
    const std::int32_t value_here = at[value];
    if (at[kind] == group) erase_group(i, n);
    std::fill_n(at, std::size_t{node_ints}, 0);
    at[kind] = leaf;
    at[column] = -1;
    at[first] = static_cast<std::int32_t>(own);
    at[value] = value_here;
    threshold_[i][n] = 0;
    for (std::size_t m = 0; m < gone.node.size(); ++m)
      if (gone.node[m] < 0 && node(i, m)[kind] == group) erase_group(i, m);
    for (std::size_t m = 0; m < gone.node.size(); ++m) {
      if (gone.node[m] < 0) continue;
      const auto to = static_cast<std::size_t>(gone.node[m]);
      std::int32_t* moved = nodes_[i].data() + to * node_ints;
      std::copy_n(node(i, m), std::size_t{node_ints}, moved);
      threshold_[i][to] = threshold_[i][m];
      moved[first] =
          moved[kind] == leaf ? gone.record[static_cast<std::size_t>(moved[first])] : gone.node[static_cast<std::size_t>(moved[first])];
      if (!reconsiders()) continue;
      const std::int32_t kept = kept_[i][1 + 2 * m];
      kept_[i][1 + 2 * to] = kept < 0 ? -1 : gone.record[static_cast<std::size_t>(kept)];
      kept_[i][2 + 2 * to] = kept_[i][2 + 2 * m];
    }
    for (std::size_t r = 0; r < gone.record.size(); ++r) {
      if (gone.record[r] < 0) continue;
      const auto to = static_cast<std::size_t>(gone.record[r]);
      std::copy_n(head(i, r), head_size(), head(i, to));
      std::copy_n(leaf_of(i, r), leaf_ints(), leaf_of(i, to));
    }
    for (std::size_t b = 0; b < n_blocks(i); ++b) owner_[i][2 * b] = gone.record[static_cast<std::size_t>(owner_[i][2 * b])];
    const auto left = [](const std::vector<std::int32_t>& numbers) {
      return numbers.size() - static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), -1));
    };
    nodes_[i].resize(left(gone.node) * node_ints);
    threshold_[i].resize(left(gone.node));
    head_[i].resize(left(gone.record) * head_size());
    leaf_[i].resize(left(gone.record) * leaf_ints());
    if (reconsiders()) kept_[i].resize(1 + 2 * left(gone.node));
  }

  // Values named by splits lie in the order of their nodes; whoever comes or goes moves those behind.
  void insert_group(std::size_t i, std::size_t n, std::span<const std::int32_t> named) {
    const auto size = static_cast<std::ptrdiff_t>(1 + named.size());
    std::size_t begin = groups_[i].size();
    for (std::size_t m = n_nodes(i); m-- > n + 1;)
      if (node(i, m)[kind] == group) {
        begin = static_cast<std::size_t>(threshold_[i][m]);
        threshold_[i][m] += static_cast<double>(size);
      }
    auto at = groups_[i].insert(groups_[i].begin() + static_cast<std::ptrdiff_t>(begin), static_cast<std::size_t>(size), 0);
    *at = static_cast<std::int32_t>(named.size());
    std::copy(named.begin(), named.end(), at + 1);
    threshold_[i][n] = static_cast<double>(begin);
  }
  void erase_group(std::size_t i, std::size_t n) {
    const auto begin = static_cast<std::ptrdiff_t>(threshold_[i][n]);
    const auto size = static_cast<std::ptrdiff_t>(1 + named_by(i, n).size());
    groups_[i].erase(groups_[i].begin() + begin, groups_[i].begin() + begin + size);
    for (std::size_t m = n + 1; m < n_nodes(i); ++m)
      if (node(i, m)[kind] == group && threshold_[i][m] > static_cast<double>(begin)) threshold_[i][m] -= static_cast<double>(size);
  }

  // Bytes of the arrays with their slack.
  double held(std::size_t i) const {
    std::size_t ints = nodes_[i].capacity() + leaf_[i].capacity() + owner_[i].capacity();
    if (reconsiders()) ints += kept_[i].capacity();
    if (!groups_.empty()) ints += groups_[i].capacity();
    return static_cast<double>(4 * ints + 8 * (threshold_[i].capacity() + head_[i].capacity() + cells_[i].capacity()));
  }
  // Where the machine has no memory to move an array to, it keeps its slack.
  void give_back(std::size_t i) {
    for (auto* ints : {&nodes_[i], &leaf_[i], &owner_[i]}) ints->shrink_to_fit();
    if (reconsiders()) kept_[i].shrink_to_fit();
    if (!groups_.empty()) groups_[i].shrink_to_fit();
    for (auto* doubles : {&threshold_[i], &head_[i], &cells_[i]}) doubles->shrink_to_fit();
  }
  // A quarter of slack, while the limit allows it: trees are many and grow slowly.
  template <class T>
  void make_space(std::size_t i, std::vector<T>& in, std::size_t n) {
    if (in.size() + n <= in.capacity()) return;
    const bool roomy = held(i) + static_cast<double>((n + in.size() / 4) * sizeof(T)) <= limit_;
    in.reserve(in.size() + std::max(n, in.size() / (roomy ? 4 : 256)));
  }

  std::size_t classes_ = 0, used_ = 0;
  bool costs_ = false;
  double limit_ = 1e300;  // bytes of one tree
  Ragged<std::int32_t> nodes_, leaf_, owner_, kept_, groups_;
  Ragged<double> threshold_, head_, cells_;
};

}  // namespace streamboost
