// A fitted sum of trees: F_k(x) = start_k + sum over trees of the value_k of the leaf that x falls into.
//
// Flat arrays, tree after tree. A node sends x left where x <= cut; a missing value, and a nominal code that the fit had not seen, goes
// where `missing_left` says. A child >= 0 is a node of the same tree, ~child a leaf.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/data/schema.hpp"
#include "streamboost/learners/tree_shap.hpp"
#include "streamboost/replay/row_ring.hpp"

namespace streamboost {

class BoostedForest {
 public:
  struct Node {
    std::int32_t column;
    float cut;
    std::int32_t child[2];  // left, right
    bool missing_left;
    float gain;
    std::int32_t rows;  // that the fit had here
  };

  // What it was fitted on.
  std::int64_t begin = 0, end = 0;  // example numbers
  int outputs = 0;                  // 0: nothing is fitted yet; 1: two classes or a number; else classes
  std::vector<double> start;        // [output]
  std::vector<float> highest;       // [column]: beyond it a value is missing
  std::vector<Node> node;
  std::vector<double> value;              // of each tree: [leaf], of its output, or [leaf][output], of all
  std::vector<std::int32_t> leaf_rows;    // [leaf]
  std::vector<std::int32_t> first_node;   // [tree + 1]
  std::vector<std::int32_t> first_leaf;   // [tree + 1]
  std::vector<std::int64_t> first_value;  // [tree + 1]
  std::vector<std::int32_t> output;       // [tree]: -1: all

  bool fitted() const { return outputs > 0; }
  int trees() const { return static_cast<int>(output.size()); }
  int width() const { return static_cast<int>(highest.size()); }

  // The cells of a row as the trees read them, into `cell`.
  void read(const Row& row, std::vector<float>& cell) const {
    cell.resize(highest.size());
    for (int j = 0; j < width(); ++j) {
      const float x = remembered_cell(row.cell(j));
      cell[static_cast<std::size_t>(j)] = x <= highest[static_cast<std::size_t>(j)] ? x : std::numeric_limits<float>::quiet_NaN();
    }
  }
  // F[output] of a row that was read.
  void sum(const float* cell, double* F) const {
    const auto k = static_cast<std::size_t>(outputs);
    for (std::size_t o = 0; o < k; ++o) F[o] = start[o];
    const std::size_t n = output.size();
    std::int32_t leaf[side];
    for (std::size_t t = 0; t < n; t += side) {
      const std::size_t some = std::min(side, n - t);
      find_leaves(t, some, cell, leaf);
      for (std::size_t s = 0; s < some; ++s) {
        const double* v = value.data() + first_value[t + s];
        const auto at = static_cast<std::size_t>(leaf[s]);
        if (output[t + s] >= 0)
          F[output[t + s]] += v[at];
        else
          for (std::size_t o = 0; o < k; ++o) F[o] += v[at * k + o];
      }
    }
  }

  // contribution[column] += what the column did to F[of], by exact Shapley values or along the row's path; returns the base.
  double explain(const float* cell, std::size_t of, double factor, bool shapley, double* contribution) const {
    double base = factor * start[of];
    TreeShap shap;
    for (std::size_t t = 0; t < output.size(); ++t) {
      if (output[t] >= 0 && output[t] != static_cast<std::int32_t>(of)) continue;
      lay_out(t, cell, of, shap);
      base += factor * (shapley ? shap.shapley(factor, contribution) : shap.along_path(factor, contribution));
    }
    return base;
  }

  // By how much the splits on a column have lowered the loss; [column].
  std::vector<double> importances() const {
    std::vector<double> gain(highest.size());
    for (const Node& n : node) gain[static_cast<std::size_t>(n.column)] += static_cast<double>(n.gain);
    return gain;
  }

  std::size_t bytes() const {
    return node.capacity() * sizeof(Node) + (value.capacity() + start.capacity()) * sizeof(double) +
           (leaf_rows.capacity() + first_node.capacity() + first_leaf.capacity() + highest.capacity() + output.capacity() +
            2 * first_value.capacity()) *
               4;
  }

  void fields(FieldVisitor& v) {
    std::vector<std::int64_t> whole{begin, end, outputs}, nodes, trees;
    if (!v.loads()) {
      for (const Node& n : node) {
        nodes.insert(nodes.end(), {n.column, std::bit_cast<std::int32_t>(n.cut), n.child[0], n.child[1], n.missing_left ? 1 : 0,
                                   std::bit_cast<std::int32_t>(n.gain), n.rows});
      }
      for (const auto* list : {&first_node, &first_leaf, &output}) trees.insert(trees.end(), list->begin(), list->end());
      trees.insert(trees.end(), leaf_rows.begin(), leaf_rows.end());
      for (float x : highest) trees.push_back(std::bit_cast<std::int32_t>(x));
      whole.insert(whole.end(), {static_cast<std::int64_t>(first_node.size()), static_cast<std::int64_t>(highest.size())});
    }
    v.growing("forest", whole);
    v.growing("forest_nodes", nodes);
    v.growing("forest_trees", trees);
    v.growing("forest_start", start);
    v.growing("forest_values", value);
    if (v.loads()) load(whole, nodes, trees);
  }
  void check(int columns, int most_outputs) const {
    require_count(begin, "fitted rows");
    require_count(end, "fitted rows");
    require(begin <= end, "fitted rows");
    require(outputs >= 0 && outputs <= most_outputs && width() <= columns, "outputs of a forest");
    const auto k = static_cast<std::size_t>(outputs);
    require(start.size() == k, "values of a forest");
    require(first_node.size() == first_leaf.size() && (k > 0 ? !first_node.empty() : first_node.empty() && node.empty()),
            "trees of a forest");
    for (float x : highest) require(std::isfinite(x) && x >= 0, "columns of a forest");
    for (std::int32_t n : leaf_rows) require(n >= 0, "rows of a leaf");
    if (first_node.empty()) return require(leaf_rows.empty() && value.empty(), "leaves of a forest");
    require(first_node.front() == 0 && first_leaf.front() == 0, "trees of a forest");
    require(first_node.back() == static_cast<std::int64_t>(node.size()), "nodes of a forest");
    require(first_leaf.back() == static_cast<std::int64_t>(leaf_rows.size()), "leaves of a forest");
    for (std::size_t t = 0; t + 1 < first_node.size(); ++t) {
      const std::int64_t nodes = static_cast<std::int64_t>(first_node[t + 1]) - first_node[t];
      const std::int64_t leaves = static_cast<std::int64_t>(first_leaf[t + 1]) - first_leaf[t];
      require(nodes >= 1 && leaves == nodes + 1, "size of a tree");
      require(first_node[t + 1] <= static_cast<std::int64_t>(node.size()), "size of a tree");
      require(output[t] >= -1 && output[t] < outputs, "output of a tree");
      check_tree(static_cast<std::size_t>(first_node[t]), nodes);
    }
    require(first_value.back() == static_cast<std::int64_t>(value.size()), "values of a forest");
  }

 private:
  static bool goes_left(const Node& n, float x) { return (x <= n.cut) | (n.missing_left & (x != x)); }

  // Several trees side by side and without branches: which way a row goes nobody can foretell, and each step waits for the one before it.
  static constexpr std::size_t side = 8;
  void find_leaves(std::size_t tree, std::size_t n, const float* cell, std::int32_t* leaf) const {
    const Node* base[side];
    std::int32_t at[side];
    for (std::size_t s = 0; s < side; ++s) {
      base[s] = node.data() + first_node[tree + std::min(s, n - 1)];
      at[s] = 0;
    }
    for (bool inside = true; inside;) {
      std::int32_t all = -1;
      for (std::size_t s = 0; s < side; ++s) {
        const Node& here = base[s][std::max(at[s], 0)];
        const std::int32_t next = here.child[goes_left(here, cell[here.column]) ? 0 : 1];
        at[s] = at[s] < 0 ? at[s] : next;
        all &= at[s];
      }
      inside = all >= 0;  // a leaf's number is negative: one node among them keeps the sign away
    }
    for (std::size_t s = 0; s < n; ++s) leaf[s] = ~at[s];
  }

  // The tree as TreeShap wants it: nodes by level, so that siblings stand side by side behind their parent.
  void lay_out(std::size_t tree, const float* cell, std::size_t of, TreeShap& shap) const {
    const Node* base = node.data() + first_node[tree];
    const auto leaf0 = static_cast<std::size_t>(first_leaf[tree]);
    const double* values = value.data() + first_value[tree];
    std::vector<std::int32_t> source{0};
    shap.nodes.assign(1, {});
    for (std::size_t i = 0; i < source.size(); ++i) {
      TreeShap::Node made;
      if (source[i] < 0) {
        const auto leaf = static_cast<std::size_t>(~source[i]);
        made.weight = leaf_rows[leaf0 + leaf];
        made.answer = values[output[tree] >= 0 ? leaf : leaf * static_cast<std::size_t>(outputs) + of];
      } else {
        const Node& n = base[source[i]];
        const float x = cell[n.column];
        made.column = n.column;
        made.first = static_cast<int>(source.size());
        made.branches = 2;
        made.taken = goes_left(n, x) ? 0 : 1;
        made.weight = n.rows;
        for (const auto child : n.child) source.push_back(child);
        shap.nodes.resize(source.size());
      }
      shap.nodes[i] = made;
    }
    for (std::size_t i = shap.nodes.size(); i-- > 0;) {  // a node answers with the mean of its leaves
      TreeShap::Node& n = shap.nodes[i];
      if (n.column < 0 || !(n.weight > 0)) continue;
      const auto child = static_cast<std::size_t>(n.first);
      n.answer =
          (shap.nodes[child].weight * shap.nodes[child].answer + shap.nodes[child + 1].weight * shap.nodes[child + 1].answer) / n.weight;
    }
  }

  void load(const std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& nodes, const std::vector<std::int64_t>& trees) {
    require(whole.size() == 5, "head of a forest");
    begin = whole[0];
    end = whole[1];
    require(whole[2] >= 0 && whole[2] <= std::numeric_limits<std::int32_t>::max(), "outputs of a forest");
    outputs = static_cast<int>(whole[2]);
    const std::int64_t n_trees = whole[3], columns = whole[4], rest = static_cast<std::int64_t>(trees.size());
    require(n_trees >= 0 && columns >= 0 && n_trees <= (rest + 1) / 3 && columns <= rest - 3 * n_trees + 1, "size of a forest");
    require(nodes.size() % 7 == 0, "nodes of a forest");
    const auto small = [](std::int64_t x) {
      require(x >= std::numeric_limits<std::int32_t>::min() && x <= std::numeric_limits<std::int32_t>::max(), "number in a forest");
      return static_cast<std::int32_t>(x);
    };
    node.clear();
    for (std::size_t i = 0; i < nodes.size(); i += 7)
      node.push_back({small(nodes[i]),
                      std::bit_cast<float>(small(nodes[i + 1])),
                      {small(nodes[i + 2]), small(nodes[i + 3])},
                      nodes[i + 4] == 1,
                      std::bit_cast<float>(small(nodes[i + 5])),
                      small(nodes[i + 6])});
    const auto part = [&](std::int64_t from, std::int64_t n) {
      std::vector<std::int32_t> list;
      for (std::int64_t i = from; i < from + n; ++i) list.push_back(small(trees[static_cast<std::size_t>(i)]));
      return list;
    };
    first_node = part(0, n_trees);
    first_leaf = part(n_trees, n_trees);
    const std::int64_t outputs_end = 2 * n_trees + std::max<std::int64_t>(n_trees - 1, 0);
    require(outputs_end <= rest - columns, "size of a forest");
    output = part(2 * n_trees, outputs_end - 2 * n_trees);
    leaf_rows = part(outputs_end, rest - columns - outputs_end);
    first_value.assign(n_trees > 0 ? 1 : 0, 0);
    for (std::size_t t = 0; t < output.size(); ++t) {
      const std::int64_t leaves = static_cast<std::int64_t>(first_leaf[t + 1]) - first_leaf[t];
      first_value.push_back(first_value.back() + leaves * (output[t] >= 0 ? 1 : outputs));
    }
    highest.clear();
    for (std::int32_t bits : part(rest - columns, columns)) highest.push_back(std::bit_cast<float>(bits));
  }

  // Every node but the first and every leaf has exactly one parent, which stands before it.
  void check_tree(std::size_t first, std::int64_t nodes) const {
    std::vector<char> node_met(static_cast<std::size_t>(nodes)), leaf_met(static_cast<std::size_t>(nodes) + 1);
    for (std::int64_t i = 0; i < nodes; ++i) {
      const Node& n = node[first + static_cast<std::size_t>(i)];
      require(n.column >= 0 && n.column < width() && std::isfinite(n.cut) && std::isfinite(n.gain) && n.rows >= 0, "node of a forest");
      for (const std::int32_t child : n.child) {
        const auto leaf = static_cast<std::size_t>(~child);
        require(child < 0 ? leaf < leaf_met.size() && !leaf_met[leaf]
                          : child > i && child < nodes && !node_met[static_cast<std::size_t>(child)],
                "child in a forest");
        (child < 0 ? leaf_met[leaf] : node_met[static_cast<std::size_t>(child)]) = 1;
      }
    }
  }
};

}  // namespace streamboost
