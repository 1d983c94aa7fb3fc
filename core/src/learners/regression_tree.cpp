#include "streamboost/learners/regression_tree.hpp"

namespace streamboost {

namespace {

// Whole numbers that a file may hold.
std::size_t whole(double value, std::size_t below, const char* what) {
  require(value >= 0 && value < static_cast<double>(below) && value == std::floor(value), what);
  return static_cast<std::size_t>(value);
}

}  // namespace

// trained, nodes; each node: column, nominal, fallback, threshold, first child; a leaf (column -1): its numbers, the plane's size and
// cells, the number of observers, and of each its size and cells.
std::vector<double> RegressionTree::pack() const {
  std::vector<double> out{trained_ ? 1.0 : 0.0, static_cast<double>(nodes_.size())};
  const auto put = [&](const std::vector<double>& cells) {
    out.push_back(static_cast<double>(cells.size()));
    out.insert(out.end(), cells.begin(), cells.end());
  };
  for (const Node& node : nodes_) {
    out.insert(out.end(), {static_cast<double>(node.column), node.nominal ? 1.0 : 0.0, node.fallback ? 1.0 : 0.0, node.threshold,
                           static_cast<double>(node.first)});
    if (node.column >= 0) continue;
    const RegressionLeaf& leaf = leaves_[node.leaf];
    out.insert(out.end(), {leaf.n, leaf.sum, leaf.squares, leaf.centre, leaf.low, leaf.high, leaf.mean_error, leaf.plane_error, leaf.tried,
                           leaf.solved, leaf.depth});
    put(leaf.plane.cells);
    const LeafObservers& all = leaf.observers;
    out.push_back(static_cast<double>(all.columns()));
    for (std::size_t c = 0; c < all.columns(); ++c) {
      if (!all.seen(c)) {
        put(all.values[c]);
        continue;
      }
      out.push_back(static_cast<double>(NumericObserver::size));
      const double *head = all.head(c), *sums = all.cells(c);
      out.insert(out.end(), head, head + NumericObserver::head);
      out.insert(out.end(), sums, sums + NumericObserver::cells);
    }
  }
  return out;
}

void RegressionTree::unpack(const std::vector<double>& cells, const RegressionColumns& columns) {
  std::size_t at = 0;
  const auto take = [&] {
    require(at < cells.size() && std::isfinite(cells[at]), "numbers of a tree");
    return cells[at++];
  };
  const auto take_all = [&](std::size_t most) {
    const std::size_t size = whole(take(), most + 1, "size of a part of a tree");
    std::vector<double> part(size);
    for (double& value : part) value = take();
    return part;
  };
  RegressionTree tree;
  tree.trained_ = whole(take(), 2, "a trained tree") == 1;
  const std::size_t n = whole(take(), cells.size() + 1, "nodes of a tree");
  require(n >= 1 && n % 2 == 1, "nodes of a tree");
  tree.nodes_.assign(n, Node());
  tree.leaves_.clear();
  tree.bytes_ = 0;
  std::vector<bool> child(n, false);
  for (Node& node : tree.nodes_) {
    const double column = take();
    const auto self = static_cast<std::size_t>(&node - tree.nodes_.data());
    node.nominal = whole(take(), 2, "kind of a node") == 1;
    node.fallback = whole(take(), 2, "branch for missing values") == 1;
    node.threshold = take();
    const double first = take();
    if (column >= 0) {
      std::size_t position = columns.all.size();
      for (std::size_t c = 0; c < columns.all.size(); ++c)
        if (static_cast<double>(columns.all[c]) == column) position = c;
      require(position < columns.all.size() && node.nominal == columns.nominal[position], "column of a node");
      node.column = columns.all[position];
      node.first = whole(first, n - 1, "children of a node");
      require(node.first > self && !child[node.first] && !child[node.first + 1], "children of a node");
      child[node.first] = child[node.first + 1] = true;
      continue;
    }
    require(column == -1 && first == 0 && node.threshold == 0 && !node.nominal && !node.fallback, "leaf of a tree");
    node.leaf = tree.leaves_.size();
    RegressionLeaf leaf;
    for (double* number : {&leaf.n, &leaf.sum, &leaf.squares, &leaf.centre, &leaf.low, &leaf.high, &leaf.mean_error, &leaf.plane_error,
                           &leaf.tried, &leaf.solved, &leaf.depth})
      *number = take();
    require(leaf.n >= 0 && leaf.squares >= 0 && leaf.low <= leaf.high && leaf.mean_error >= 0 && leaf.plane_error >= 0,
            "numbers of a leaf");
    require(leaf.tried >= 0 && leaf.solved >= 0 && leaf.depth >= 0, "numbers of a leaf");
    leaf.plane.cells = take_all(LeafPlane::size(columns.plane.size()));
    while (LeafPlane::size(leaf.plane.p) < leaf.plane.cells.size()) ++leaf.plane.p;
    require(leaf.plane.cells.empty() || LeafPlane::size(leaf.plane.p) == leaf.plane.cells.size(), "plane of a leaf");
    require(leaf.plane.cells.empty() ? !tree.trained_ : leaf.plane.n() >= 0, "plane of a leaf");
    const std::size_t observers = whole(take(), columns.all.size() + 1, "observers of a leaf");
    leaf.observers.grow(observers);
    for (std::size_t c = 0; c < observers; ++c) {
      std::vector<double> observer = take_all(columns.nominal[c] ? cells.size() : NumericObserver::size);
      if (columns.nominal[c]) {
        require(observer.size() % 3 == 0, "observer of a leaf");
        leaf.observers.values[c] = std::move(observer);
      } else if (!observer.empty()) {
        require(observer.size() == NumericObserver::size && observer[1] >= 0 && observer[2] >= 1 && observer[4] >= 0, "observer of a leaf");
        const NumericObserver mine = leaf.observers.begin(c);
        std::copy_n(observer.data(), NumericObserver::head, mine.heads);
        std::copy_n(observer.data() + NumericObserver::head, NumericObserver::cells, mine.sums);
      }
    }
    tree.leaves_.push_back(std::move(leaf));
    tree.bytes_ += leaf_bytes(tree.leaves_.back());
  }
  for (std::size_t i = 1; i < n; ++i) require(child[i], "node without a parent");
  require(at == cells.size(), "length of a tree");
  *this = std::move(tree);
}

}  // namespace streamboost
