// A loaded ITI tree is believed only after every index, count and table has been worked out again from its instances.
#pragma once
#include <cmath>

#include "streamboost/learners/iti_tree.hpp"

namespace streamboost {

inline void ItiTree::check(const ItiColumns& columns, const ItiParams& params, ItiWork& work) const {
  check_instances(columns);
  const std::size_t n = n_nodes();
  require(n >= 1 && node.size() == n * n_parts && node_real.size() == n * n_reals && free_node.size() == 1, "nodes of a tree");
  for (double r : node_real) require(std::isfinite(r), "number of a node");

  std::vector<bool> met(n, false);
  const auto meet = [&](std::int32_t at_node) {
    require(at_node >= 0 && static_cast<std::size_t>(at_node) < n && !met[static_cast<std::size_t>(at_node)], "node of a tree");
    met[static_cast<std::size_t>(at_node)] = true;
  };
  for (std::int32_t link = free_node[0]; link != 0; link = part(link - 1, yes)) {
    require(link > 0, "free node");
    const std::int32_t f = link - 1;
    meet(f);
    require(part(f, column) == unused && part(f, size) == -1 && part(f, first) == -1, "free node");
  }
  std::vector<ItiBlock> blocks;
  work.grown.clear();
  work.stack.assign(1, 0);
  while (!work.stack.empty()) {
    const std::int32_t here = work.stack.back();
    work.stack.pop_back();
    meet(here);
    work.grown.push_back(here);
    if (n_instances() > 0) blocks.push_back(block(here));
    if (part(here, column) == leaf) {
      require(part(here, yes) == -1 && part(here, no) == -1 && part(here, n_tests) == 0 && real(here, cut) == 0, "leaf of a tree");
      continue;
    }
    require(part(here, column) >= 0 && static_cast<std::size_t>(part(here, column)) < columns.width(), "test of a node");
    work.stack.push_back(part(here, no));
    work.stack.push_back(part(here, yes));
  }
  for (bool m : met) require(m, "lost node of a tree");
  pool.check(blocks);
  if (n_instances() == 0) {
    require(n == 1 && part(0, column) == leaf && part(0, length) == 0 && part(0, size) == -1 && part(0, first) == -1, "empty tree");
    return;
  }

  work.ids.resize(n_instances());
  for (std::size_t i = 0; i < work.ids.size(); ++i) work.ids[i] = static_cast<std::int32_t>(i);
  work.tasks.assign(1, {0, 0, work.ids.size()});
  while (!work.tasks.empty()) {
    const ItiWork::Task task = work.tasks.back();
    work.tasks.pop_back();
    const bool decides = part(task.node, column) >= 0;
    count(columns, task, work, true);
    if (decides) count(columns, task, work, false);
    check_table(table(task.node), work.entries);
    if (!decides) {
      std::int32_t id = part(task.node, first);
      for (std::size_t i = task.end; i-- > task.begin; id = instance_next[static_cast<std::size_t>(id)])
        require(id == work.ids[i], "instances of a leaf");
      require(id == -1, "instances of a leaf");
      continue;
    }
    require(part(task.node, first) == -1, "instances of a decision node");
    require(work.scorer.best(table(task.node), columns, params.metric) == test(task.node), "test of a node");
    require(work.scorer.n_tests == part(task.node, n_tests), "number of tests of a node");
    const std::size_t middle = divide(columns, test(task.node), task, work);
    require(middle > task.begin && middle < task.end, "test that separates nothing");
    work.tasks.push_back({part(task.node, no), middle, task.end});
    work.tasks.push_back({part(task.node, yes), task.begin, middle});
  }
  for (std::size_t i = work.grown.size(); i-- > 0;) {
    const Price price = priced(params, work.grown[i], work);
    require(real(work.grown[i], bits) == price.bits && part(work.grown[i], pruned) == (price.pruned ? 1 : 0), "pruning of a node");
  }
}

inline void ItiTree::check_instances(const ItiColumns& columns) const {
  const std::size_t m = n_instances();
  require(m <= most_instances && instance_next.size() == m && instance_weight.size() == m && instance_code.size() == m * columns.nominal &&
              instance_number.size() == m * columns.numeric,
          "instances of a tree");
  for (std::size_t i = 0; i < m; ++i) {
    require(instance_class[i] >= 0 && static_cast<std::size_t>(instance_class[i]) < columns.classes, "class of an instance");
    require(instance_weight[i] > 0 && std::isfinite(instance_weight[i]), "weight of an instance");
  }
  for (std::size_t j = 0; j < columns.width(); ++j)
    for (std::size_t i = 0; i < m; ++i) {
      if (columns.is_nominal(j)) {
        const std::int32_t code = instance_code[i * columns.nominal + columns.rank[j]];
        require(code >= -1 && code < columns.n_values[j], "value of an instance");
      } else {
        const double x = instance_number[i * columns.numeric + columns.rank[j]];
        require(x == ItiColumns::missing || std::fabs(x) <= ItiColumns::largest_input, "value of an instance");
      }
    }
  require(index.size() == (m > 0 ? index_size(m) : 0), "index of a tree");
  std::vector<std::int32_t> expected(index.size(), 0);
  fill_index(columns, expected, true);
  require(index == expected, "index of a tree");
}

// Sums were made in another order: the weights need not agree to the last bit.
inline void ItiTree::check_table(const ItiTable& table, const std::vector<ItiEntry>& expected) {
  require(table.size == expected.size(), "table of a node");
  for (std::size_t e = 0; e < table.size; ++e) {
    require(expected[e].same_key({table.column[e], table.label[e], table.value[e], 0}), "table of a node");
    require(std::fabs(table.weight[e] - expected[e].weight) <= 1e-6 * expected[e].weight, "table of a node");
  }
}

}  // namespace streamboost
