// Why a tree answered a row as it did: along the row's path, or by exact Shapley values.
//
// Paper     Lundberg, Erion, Lee: Consistent individualized feature attribution for tree ensembles (2018), algorithm 2.
//
// The path     each split gives its column what the node's answer changes by; the base is the answer of the root.
// Shapley      the game in which a split on a column that is not there follows all its branches, by their weights. Every leaf hands out
//              what it would add: a path keeps for each of its columns the share of the weight that flows on without the column (zero)
//              and whether the row goes this way (one), and for each size of a subset how many orders bring it about (weight). The base
//              is the mean of the leaves' answers by their weights.
// A value that is missing goes its usual way, and that the column is missing counts as what it says.
//
// Departures   nodes may have any number of branches. A branch without weight that the row does not take says nothing.
// Cost         the path: one pass over the nodes. Shapley: leaves x depth^2, as published.
#pragma once
#include <algorithm>
#include <vector>

namespace streamboost {

class TreeShap {
 public:
  struct Node {
    int column = -1;              // -1: a leaf
    int first = 0, branches = 0;  // children, all later than their parent
    int taken = 0;                // the row's branch
    double weight = 0, answer = 0;
  };
  static constexpr int deepest = 256;  // of Shapley values

  std::vector<Node> nodes;

  // contribution[column] += factor times what the column gave; returns the base.
  double along_path(double factor, double* contribution) const {
    std::size_t n = 0;
    while (nodes[n].column >= 0) {
      const Node& at = nodes[n];
      const auto next = static_cast<std::size_t>(at.first + at.taken);
      contribution[at.column] += factor * (nodes[next].answer - at.answer);
      n = next;
    }
    return nodes[0].answer;
  }
  double leaf_answer() const {
    std::size_t n = 0;
    while (nodes[n].column >= 0) n = static_cast<std::size_t>(nodes[n].first + nodes[n].taken);
    return nodes[n].answer;
  }

  double shapley(double factor, double* contribution) {
    factor_ = factor;
    contribution_ = contribution;
    mean_ = 0;
    path_.resize(static_cast<std::size_t>((depth() + 2) * (depth() + 3)));
    visit(0, path_.data(), 0, -1, 1, 1, 1);
    return mean_;
  }
  // Splits on the longest path.
  int depth() const {
    level_.assign(nodes.size(), 0);
    int deep = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (int b = 0; b < nodes[n].branches; ++b) {
        int& below = level_[static_cast<std::size_t>(nodes[n].first + b)];
        deep = std::max(deep, below = level_[n] + 1);
      }
    return deep;
  }

 private:
  struct Step {
    int column;
    double zero, one, weight;
  };

  // path: the steps so far, of which there are `length`; flow: the share of all weight that comes here.
  void visit(std::size_t n, Step* before, int length, int column, double zero, double one, double flow) {
    Step* path = column < 0 ? path_.data() : before + length;
    if (column >= 0) std::copy_n(before, length, path);
    extend(path, length, column, zero, one);
    const Node& at = nodes[n];
    if (at.column < 0) {
      for (int s = 1; s <= length; ++s)
        contribution_[path[s].column] += factor_ * at.answer * unwound(path, length, s) * (path[s].one - path[s].zero);
      mean_ += flow * at.answer;
      return;
    }
    // A column that was met before leaves the path and comes back with both of its splits.
    double past_zero = 1, past_one = 1;
    int last = length;
    for (int s = 1; s <= length; ++s)
      if (path[s].column == at.column) {
        past_zero = path[s].zero;
        past_one = path[s].one;
        unwind(path, length, s);
        last = length - 1;
        break;
      }
    for (int b = 0; b < at.branches; ++b) {
      const auto child = static_cast<std::size_t>(at.first + b);
      const double share = at.weight > 0 ? nodes[child].weight / at.weight : 1.0 / at.branches;
      const double hot = b == at.taken ? past_one : 0.0;
      if (share * past_zero == 0 && hot == 0) continue;
      visit(child, path, last + 1, at.column, past_zero * share, hot, flow * share);
    }
  }

  static void extend(Step* path, int length, int column, double zero, double one) {
    path[length] = {column, zero, one, length == 0 ? 1.0 : 0.0};
    for (int s = length - 1; s >= 0; --s) {
      path[s + 1].weight += one * path[s].weight * (s + 1) / (length + 1.0);
      path[s].weight *= zero * (length - s) / (length + 1.0);
    }
  }
  // Takes step `gone` out of a path whose last step is `length`.
  static void unwind(Step* path, int length, int gone) {
    const double one = path[gone].one, zero = path[gone].zero;
    double next = path[length].weight;
    for (int s = length - 1; s >= 0; --s) {
      if (one != 0) {
        const double was = path[s].weight;
        path[s].weight = next * (length + 1.0) / ((s + 1) * one);
        next = was - path[s].weight * zero * (length - s) / (length + 1.0);
      } else {
        path[s].weight *= (length + 1.0) / (zero * (length - s));
      }
    }
    for (int s = gone; s < length; ++s) {
      path[s].column = path[s + 1].column;
      path[s].zero = path[s + 1].zero;
      path[s].one = path[s + 1].one;
    }
  }
  // The weights of all sizes together, had that step been taken out.
  static double unwound(const Step* path, int length, int gone) {
    const double one = path[gone].one, zero = path[gone].zero;
    double next = path[length].weight, total = 0;
    for (int s = length - 1; s >= 0; --s) {
      if (one != 0) {
        const double weight = next * (length + 1.0) / ((s + 1) * one);
        total += weight;
        next = path[s].weight - weight * zero * (length - s) / (length + 1.0);
      } else {
        total += path[s].weight * (length + 1.0) / (zero * (length - s));
      }
    }
    return total;
  }

  double factor_ = 1, mean_ = 0;
  double* contribution_ = nullptr;
  std::vector<Step> path_;
  mutable std::vector<int> level_;
};

}  // namespace streamboost
