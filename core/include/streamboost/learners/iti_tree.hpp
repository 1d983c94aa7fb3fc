// One ITI tree in flat arrays: the examples it keeps, its nodes, their tables. The algorithm is told in iti.hpp.
//
//   instance_*   one per distinct (x, y), in order of arrival: class, weight, next of the same leaf, values (nominal as codes, -1
//                missing; numeric as doubles); index: hash table over them (number + 1; 0: free)
//   node_*       test, children, table; root 0; free nodes are linked through `yes`
//   pool         the tables: all columns at a decision node, class counts alone at a leaf
//
// A leaf lists its instances with the last arrived first, so lists depend on what is in them alone.
#pragma once
#include "streamboost/learners/iti_pool.hpp"

namespace streamboost {

// Buffers of one call.
struct ItiWork {
  struct Task {
    std::int32_t node;
    std::size_t begin, end;
  };
  std::vector<double> x, cells;
  std::vector<ItiEntry> entries, lesson;
  std::vector<std::size_t> places;
  std::vector<std::int32_t> path, ids, grown, stack, aside;
  std::vector<Task> tasks;
  ItiScorer scorer;
};

class ItiTree {
 public:
  enum Part : std::size_t { column, yes, no, at, length, size, first, n_tests, pruned, n_parts };
  enum Real : std::size_t { cut, bits, n_reals };
  static constexpr std::int32_t leaf = -1, unused = -2;

  std::vector<std::int32_t> instance_class, instance_next, instance_code, index;
  std::vector<double> instance_weight, instance_number;
  std::vector<std::int32_t> node = {leaf, -1, -1, -1, 0, -1, -1, 0, 0};
  std::vector<double> node_real = {0, 0};
  std::vector<std::int32_t> free_node = {0};  // the first, plus 1
  ItiPool pool;

  std::int32_t part(std::int32_t n, Part p) const { return node[static_cast<std::size_t>(n) * n_parts + p]; }
  double real(std::int32_t n, Real r) const { return node_real[static_cast<std::size_t>(n) * n_reals + r]; }
  ItiTest test(std::int32_t n) const { return {part(n, column), real(n, cut)}; }
  ItiBlock block(std::int32_t n) const { return {part(n, at), part(n, length), part(n, size)}; }
  ItiTable table(std::int32_t n) const { return pool.table(block(n)); }
  std::size_t n_instances() const { return instance_class.size(); }
  std::size_t n_nodes() const { return node.size() / n_parts; }

  // The node that answers: a leaf, or the first node on the way whose subtree is not worth its bits.
  std::int32_t route(const ItiColumns& columns, const double* x) const {
    std::int32_t n = 0;
    while (part(n, column) >= 0 && !part(n, pruned)) n = part(n, columns.passes(part(n, column), real(n, cut), x) ? yes : no);
    return n;
  }

  // ---- memory
  // Whether there may be no room for this example within so many bytes: its own values, larger tables on its way, a split of its leaf.
  bool full_for(const ItiColumns& columns, const double* x, double max_bytes) const {
    if (!(max_bytes < 1e300)) return false;
    const auto room_of = [](std::size_t entries) { return static_cast<double>(entry_bytes * std::bit_ceil(entries)); };
    double more = instance_bytes(columns) + 2 * (4 * n_parts + 8 * n_reals) + 3 * room_of(2 * (columns.width() + 1));
    if (2 * (n_instances() + 1) > index.size()) more += 4 * static_cast<double>(index_size(n_instances() + 1));
    for (std::int32_t n = 0; part(n, column) >= 0; n = part(n, columns.passes(part(n, column), real(n, cut), x) ? yes : no)) {
      const ItiBlock b = block(n);
      const std::size_t needed = static_cast<std::size_t>(b.length) + columns.width() + 1;
      if (b.size < 0 || needed > std::size_t{1} << b.size) more += room_of(needed);
    }
    return used() + more > max_bytes * 2 / 3;  // the rest is for tables that grow where the best test changes
  }
  double used() const {
    return bytes([](const auto& list) { return list.size(); });
  }
  double held() const {
    return bytes([](const auto& list) { return list.capacity(); });
  }
  // No slack, and no gaps between tables, where there is no room for these. A tree that is too large even so becomes one leaf.
  void trim(const ItiColumns& columns, const ItiParams& params, ItiWork& work) {
    if (!(held() > params.max_bytes)) return;
    if (used() > params.max_bytes) {
      std::vector<ItiBlock> blocks(n_nodes());
      std::vector<ItiBlock*> all;
      for (std::size_t n = 0; n < blocks.size(); ++n) {
        blocks[n] = block(static_cast<std::int32_t>(n));
        all.push_back(&blocks[n]);
      }
      pool.compact(all);
      for (std::size_t n = 0; n < blocks.size(); ++n) set_block(static_cast<std::int32_t>(n), blocks[n]);
      if (used() > params.max_bytes) fold(columns, params, work);
    }
    for (auto* ints : {&instance_class, &instance_next, &instance_code, &index, &node, &pool.column, &pool.label}) ints->shrink_to_fit();
    for (auto* doubles : {&instance_weight, &instance_number, &node_real, &pool.value, &pool.weight}) doubles->shrink_to_fit();
  }
  static double instance_bytes(const ItiColumns& columns) {
    return 16 + 8 * static_cast<double>(columns.numeric) + 4 * static_cast<double>(columns.nominal);
  }

  // Room for so many more instances, and for a tree that has to be one leaf.
  void expect(const ItiColumns& columns, std::size_t n) {
    for (auto* ints : {&instance_class, &instance_next}) make_room(*ints, n);
    make_room(instance_weight, n);
    make_room(instance_code, n * columns.nominal);
    make_room(instance_number, n * columns.numeric);
    index.reserve(index_size(n_instances() + n));
    pool.expect(columns.classes);
  }

  // Keeps the example and follows it through the tree. Where there is no memory for that the tree becomes one leaf, and is grown again
  // with the next example that is new: false.
  bool learn(const ItiColumns& columns, const ItiParams& params, const double* x, int label, double amount, ItiWork& work) {
    const std::size_t known = n_instances();
    const std::int32_t id = intern(columns, x, label);
    instance_weight[static_cast<std::size_t>(id)] += amount;
    try {
      follow(columns, params, x, id, static_cast<std::size_t>(id) == known, amount, work);
    } catch (const std::bad_alloc&) {
      fold(columns, params, work);
      return false;
    }
    return true;
  }

  // No examples, and what memory there was.
  void clear() {
    for (auto* ints : {&instance_class, &instance_next, &instance_code, &index}) ints->clear();
    for (auto* doubles : {&instance_weight, &instance_number}) doubles->clear();
    only_root();
    pool.start_again(0);
  }

  // Batch mode: the tree of the instances kept, whatever it was before.
  void rebuild(const ItiColumns& columns, const ItiParams& params, ItiWork& work) {
    if (n_instances() == 0) return;
    collect(0, work);
    grow(columns, params, 0, work);
  }
  // Batch mode: keeps the example without looking at the tree; `rebuild` must follow.
  void keep(const ItiColumns& columns, const double* x, int label, double amount) {
    const std::size_t known = n_instances();
    const std::int32_t id = intern(columns, x, label);
    instance_weight[static_cast<std::size_t>(id)] += amount;
    if (static_cast<std::size_t>(id) == known) link(0, id);
  }

  // Columns are only ever appended, and missing in all instances so far. No test on such a column separates anything, so that every best
  // test is what it was, and so is the tree: its tables count the new gaps.
  void widen(const ItiColumns& old, const ItiColumns& now, ItiWork& work) {
    const std::size_t m = n_instances();
    std::vector<std::int32_t> code(m * now.nominal, -1);
    std::vector<double> number(m * now.numeric, ItiColumns::missing);
    for (std::size_t i = 0; i < m; ++i) {
      std::copy_n(instance_code.begin() + static_cast<std::ptrdiff_t>(i * old.nominal), old.nominal,
                  code.begin() + static_cast<std::ptrdiff_t>(i * now.nominal));
      std::copy_n(instance_number.begin() + static_cast<std::ptrdiff_t>(i * old.numeric), old.numeric,
                  number.begin() + static_cast<std::ptrdiff_t>(i * now.numeric));
    }
    instance_code = std::move(code);
    instance_number = std::move(number);
    for (std::int32_t n = 0; static_cast<std::size_t>(n) < n_nodes(); ++n) {
      if (part(n, column) < 0) continue;
      work.lesson.clear();
      const ItiTable known = table(n);
      for (std::size_t j = old.width(); j < now.width(); ++j)
        for (std::size_t e = 0; e < known.size && known.column[e] < 0; ++e)
          work.lesson.push_back({static_cast<std::int32_t>(j), known.label[e], ItiColumns::missing, known.weight[e]});
      add(n, work);
    }
  }

  void check(const ItiColumns& columns, const ItiParams& params, ItiWork& work) const;

 private:
  static constexpr std::size_t entry_bytes = 24;
  template <class Count>
  double bytes(Count count) const {
    std::size_t ints = 0, doubles = 0;
    for (const auto* list : {&instance_class, &instance_next, &instance_code, &index, &node, &free_node, &pool.column, &pool.label})
      ints += count(*list);
    for (const auto* list : {&instance_weight, &instance_number, &node_real, &pool.value, &pool.weight}) doubles += count(*list);
    return 4 * static_cast<double>(ints) + 8 * static_cast<double>(doubles);
  }

  // Adds the example along its path; the first node whose best test has changed is grown anew from the instances below it.
  void follow(const ItiColumns& columns, const ItiParams& params, const double* x, std::int32_t id, bool fresh, double amount,
              ItiWork& work) {
    const int label = instance_class[static_cast<std::size_t>(id)];
    work.lesson.assign(1, {-1, label, 0, amount});
    work.path.clear();
    std::int32_t n = 0;
    while (part(n, column) >= 0) {
      if (work.lesson.size() == 1)
        for (std::size_t j = 0; j < columns.width(); ++j) work.lesson.push_back({static_cast<std::int32_t>(j), label, x[j], amount});
      add(n, work);
      const ItiTest best = work.scorer.best(table(n), columns, params.metric);
      if (best != test(n)) break;
      set(n, n_tests, work.scorer.n_tests);
      work.path.push_back(n);
      n = part(n, columns.passes(best.column, best.cut, x) ? yes : no);
    }
    if (part(n, column) >= 0) {
      collect(n, work);
      if (fresh) work.ids.push_back(id);
      grow(columns, params, n, work);
    } else {
      work.lesson.resize(1);
      add(n, work);
      if (fresh) link(n, id);
      if (fresh && part(n, length) > 1) {
        collect(n, work);
        grow(columns, params, n, work);
      } else {
        price(params, n, work);
      }
    }
    for (std::size_t i = work.path.size(); i-- > 0;) price(params, work.path[i], work);
  }

  // The tree of all instances that needs no memory, whatever has become of the one that was there: a leaf.
  void fold(const ItiColumns& columns, const ItiParams& params, ItiWork& work) {
    only_root();
    const std::size_t k = columns.classes;
    ItiBlock b = pool.start_again(k);
    for (std::size_t c = 0; c < k; ++c) pool.put(c, {-1, static_cast<std::int32_t>(c), 0, 0});
    for (std::size_t i = 0; i < n_instances(); ++i) {
      pool.weight[static_cast<std::size_t>(instance_class[i])] += instance_weight[i];
      link(0, static_cast<std::int32_t>(i));
    }
    std::size_t present = 0;
    for (std::size_t c = 0; c < k; ++c)
      if (pool.weight[c] > 0) pool.put(present++, pool.entry(c));
    b.length = static_cast<std::int32_t>(present);
    set_block(0, b);
    price(params, 0, work);
  }
  void only_root() {
    node.resize(n_parts);
    node_real.resize(n_reals);
    free_node[0] = 0;
    lay_bare(0);
  }

  void check_instances(const ItiColumns& columns) const;
  static void check_table(const ItiTable& table, const std::vector<ItiEntry>& expected);

  void set(std::int32_t n, Part p, std::int32_t v) { node[static_cast<std::size_t>(n) * n_parts + p] = v; }
  void set_block(std::int32_t n, const ItiBlock& b) {
    set(n, at, b.at);
    set(n, length, b.length);
    set(n, size, b.size);
  }
  void add(std::int32_t n, ItiWork& work) {
    ItiBlock b = block(n);
    pool.add(b, work.lesson, work.places);
    set_block(n, b);
  }
  void link(std::int32_t n, std::int32_t id) {
    instance_next[static_cast<std::size_t>(id)] = part(n, first);
    set(n, first, id);
  }

  double cell(const ItiColumns& columns, std::int32_t id, std::size_t j) const {
    const auto i = static_cast<std::size_t>(id);
    if (!columns.is_nominal(j)) return instance_number[i * columns.numeric + columns.rank[j]];
    const std::int32_t code = instance_code[i * columns.nominal + columns.rank[j]];
    return code < 0 ? ItiColumns::missing : static_cast<double>(code);
  }

  // ---- instances

  // Missing values are left out, so that columns which appear later change nothing.
  static std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
  }
  template <class Cell>
  static std::uint64_t hash(const ItiColumns& columns, int label, const Cell& x) {
    std::uint64_t h = mix(0x51ed270b9f5c3a1dULL, static_cast<std::uint64_t>(label));
    for (std::size_t j = 0; j < columns.width(); ++j)
      if (const double v = x(j); v != ItiColumns::missing) h = mix(mix(h, j), std::bit_cast<std::uint64_t>(v));
    return h;
  }
  // Place of the instance in the index, or the free place where it would go.
  template <class Cell>
  std::size_t locate(const ItiColumns& columns, const std::vector<std::int32_t>& places, int label, const Cell& x) const {
    std::size_t place = hash(columns, label, x) & (places.size() - 1);
    for (; places[place] != 0; place = (place + 1) & (places.size() - 1)) {
      const std::int32_t id = places[place] - 1;
      bool same = instance_class[static_cast<std::size_t>(id)] == label;
      for (std::size_t j = 0; same && j < columns.width(); ++j) same = cell(columns, id, j) == x(j);
      if (same) break;
    }
    return place;
  }
  static std::size_t index_size(std::size_t n) { return std::bit_ceil(std::max<std::size_t>(2 * n, 16)); }  // at most half full
  // An index, filled in the order of the instances. It must be large enough, and empty.
  void fill_index(const ItiColumns& columns, std::vector<std::int32_t>& places, bool loaded) const {
    for (std::size_t i = 0; i < n_instances(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      const std::size_t place = locate(columns, places, instance_class[i], [&](std::size_t j) { return cell(columns, id, j); });
      if (loaded) require(places[place] == 0, "two instances of a tree are the same");
      places[place] = id + 1;
    }
  }

  // The number of the instance, a new one if need be.
  std::int32_t intern(const ItiColumns& columns, const double* x, int label) {
    const std::size_t n = n_instances();
    const auto row = [&](std::size_t j) { return x[j]; };
    if (!index.empty())
      if (const std::int32_t found = index[locate(columns, index, label, row)]; found != 0) return found - 1;
    if (n >= most_instances) throw std::length_error("an IncrementalTree keeps at most 2^28 different examples");
    if (2 * (n + 1) > index.size()) {
      index.assign(index_size(n + 1), 0);
      fill_index(columns, index, false);
    }
    index[locate(columns, index, label, row)] = static_cast<std::int32_t>(n) + 1;
    instance_class.push_back(label);
    instance_weight.push_back(0);
    instance_next.push_back(-1);
    for (std::size_t j = 0; j < columns.width(); ++j) {
      if (!columns.is_nominal(j))
        instance_number.push_back(x[j]);
      else
        instance_code.push_back(x[j] == ItiColumns::missing ? -1 : static_cast<std::int32_t>(x[j]));
    }
    return static_cast<std::int32_t>(n);
  }
  static constexpr std::size_t most_instances = std::size_t{1} << 28;

  // ---- growing

  // The instances below n in order of arrival; n becomes a bare leaf and everything below it is free.
  void collect(std::int32_t n, ItiWork& work) {
    work.ids.clear();
    work.stack.assign(1, n);
    while (!work.stack.empty()) {
      const std::int32_t here = work.stack.back();
      work.stack.pop_back();
      for (std::int32_t id = part(here, first); id >= 0; id = instance_next[static_cast<std::size_t>(id)]) work.ids.push_back(id);
      if (part(here, column) >= 0) {
        work.stack.push_back(part(here, no));
        work.stack.push_back(part(here, yes));
      }
      bare(here);
      if (here == n) continue;
      set(here, column, unused);
      set(here, yes, free_node[0]);
      free_node[0] = here + 1;
    }
    std::sort(work.ids.begin(), work.ids.end());
  }

  void bare(std::int32_t n) {
    ItiBlock b = block(n);
    pool.release(b);
    lay_bare(n);
  }
  void lay_bare(std::int32_t n) {
    const std::int32_t fresh[n_parts] = {leaf, -1, -1, -1, 0, -1, -1, 0, 0};
    std::copy_n(fresh, +n_parts, node.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) * n_parts));
    std::fill_n(node_real.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) * n_reals), +n_reals, 0.0);
  }

  std::int32_t new_node() {
    std::int32_t n = free_node[0] - 1;
    if (n >= 0) {
      free_node[0] = part(n, yes);
    } else {
      n = static_cast<std::int32_t>(n_nodes());
      node.resize(node.size() + n_parts);
      node_real.resize(node_real.size() + n_reals);
      set(n, size, -1);
    }
    bare(n);
    return n;
  }

  // The canonical tree of work.ids below n.
  void grow(const ItiColumns& columns, const ItiParams& params, std::int32_t root, ItiWork& work) {
    work.grown.clear();
    work.tasks.assign(1, {root, 0, work.ids.size()});
    while (!work.tasks.empty()) {
      const ItiWork::Task task = work.tasks.back();
      work.tasks.pop_back();
      work.grown.push_back(task.node);
      const ItiTest best = tabulate(columns, params, task, work);
      if (best.column < 0) {
        for (std::size_t i = task.begin; i < task.end; ++i) link(task.node, work.ids[i]);
        continue;
      }
      set(task.node, column, best.column);
      set(task.node, n_tests, work.scorer.n_tests);
      node_real[static_cast<std::size_t>(task.node) * n_reals + cut] = best.cut;
      const std::size_t middle = divide(columns, best, task, work);
      const std::int32_t a = new_node(), b = new_node();
      set(task.node, yes, a);
      set(task.node, no, b);
      work.tasks.push_back({b, middle, task.end});
      work.tasks.push_back({a, task.begin, middle});
    }
    for (std::size_t i = work.grown.size(); i-- > 0;) price(params, work.grown[i], work);
  }

  // The table of a new node, and its best test: none if it is a leaf, which keeps class counts alone.
  ItiTest tabulate(const ItiColumns& columns, const ItiParams& params, const ItiWork::Task& task, ItiWork& work) {
    ItiBlock b = block(task.node);
    count(columns, task, work, true);
    ItiTest best;
    if (work.entries.size() > 1) {
      count(columns, task, work, false);
      pool.store(b, work.entries);
      best = work.scorer.best(pool.table(b), columns, params.metric);
      if (best.column < 0)
        while (work.entries.back().column >= 0) work.entries.pop_back();
    }
    if (best.column < 0) pool.store(b, work.entries);
    set_block(task.node, b);
    return best;
  }

  // Entries of the instances of a task, sorted: class counts, and all columns unless these are all that is wanted.
  void count(const ItiColumns& columns, const ItiWork::Task& task, ItiWork& work, bool classes_only) const {
    if (classes_only) work.entries.clear();
    const auto begin = work.ids.begin() + static_cast<std::ptrdiff_t>(task.begin),
               end = work.ids.begin() + static_cast<std::ptrdiff_t>(task.end);
    const std::size_t k = columns.classes;
    if (classes_only) {
      work.cells.assign(k, 0.0);
      for (auto id = begin; id != end; ++id)
        work.cells[static_cast<std::size_t>(instance_class[static_cast<std::size_t>(*id)])] +=
            instance_weight[static_cast<std::size_t>(*id)];
      spill(-1, 0, k, 0, work);
      return;
    }
    for (std::size_t j = 0; j < columns.width(); ++j) {
      const auto values = static_cast<std::size_t>(std::max<std::int64_t>(columns.n_values[j], 0));
      const auto name = static_cast<std::int32_t>(j);
      if (columns.is_nominal(j) && (values + 1) * k <= 4 * (task.end - task.begin) + 64) {
        work.cells.assign((values + 1) * k, 0.0);
        for (auto id = begin; id != end; ++id) {
          const auto i = static_cast<std::size_t>(*id);
          const std::int32_t code = instance_code[i * columns.nominal + columns.rank[j]];
          const std::size_t row = code < 0 ? values : static_cast<std::size_t>(code);
          work.cells[row * k + static_cast<std::size_t>(instance_class[i])] += instance_weight[i];
        }
        for (std::size_t v = 0; v <= values; ++v) spill(name, v * k, k, v == values ? ItiColumns::missing : static_cast<double>(v), work);
        continue;
      }
      const std::size_t from = work.entries.size();
      for (auto id = begin; id != end; ++id) {
        const auto i = static_cast<std::size_t>(*id);
        work.entries.push_back({name, instance_class[i], cell(columns, *id, j), instance_weight[i]});
      }
      merge(from, work.entries);
    }
  }
  static void spill(std::int32_t name, std::size_t from, std::size_t k, double value, ItiWork& work) {
    for (std::size_t c = 0; c < k; ++c)
      if (work.cells[from + c] > 0) work.entries.push_back({name, static_cast<std::int32_t>(c), value, work.cells[from + c]});
  }
  // Sorts entries from `from` on and joins those of one key, adding in order of arrival.
  static void merge(std::size_t from, std::vector<ItiEntry>& entries) {
    const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(from);
    std::stable_sort(begin, entries.end(), [](const ItiEntry& a, const ItiEntry& b) { return a.before(b); });
    std::size_t to = from;
    for (std::size_t e = from; e < entries.size(); ++e) {
      if (to > from && entries[to - 1].same_key(entries[e]))
        entries[to - 1].weight += entries[e].weight;
      else
        entries[to++] = entries[e];
    }
    entries.resize(to);
  }

  // Instances that pass the test first, both parts in order of arrival; returns where the second begins.
  std::size_t divide(const ItiColumns& columns, const ItiTest& test, const ItiWork::Task& task, ItiWork& work) const {
    work.aside.clear();
    std::size_t to = task.begin;
    const auto j = static_cast<std::size_t>(test.column);
    for (std::size_t i = task.begin; i < task.end; ++i) {
      const double x = cell(columns, work.ids[i], j);
      if (columns.is_nominal(j) ? x == test.cut : x < test.cut)
        work.ids[to++] = work.ids[i];
      else
        work.aside.push_back(work.ids[i]);
    }
    std::copy(work.aside.begin(), work.aside.end(), work.ids.begin() + static_cast<std::ptrdiff_t>(to));
    return to;
  }

  // Code length of a node, and whether it answers for its subtree. The children must have theirs.
  struct Price {
    double bits = 0;
    bool pruned = false;
  };
  Price priced(const ItiParams& params, std::int32_t n, ItiWork& work) const {
    if (!params.prune) return {};
    work.scorer.count_classes(table(n));
    const double c = static_cast<double>(work.scorer.n_classes), wrong = work.scorer.total - work.scorer.majority;
    double as_leaf = 1 + log2(c);
    if (wrong > 0) as_leaf += wrong * (log2(std::max(work.scorer.total, 1.0)) + log2(std::max(c - 1, 1.0)));
    if (part(n, column) < 0) return {as_leaf, false};
    const double as_node = 1 + log2(static_cast<double>(part(n, n_tests))) + real(part(n, yes), bits) + real(part(n, no), bits);
    return as_leaf <= as_node * (1 + 1e-12) ? Price{as_leaf, true} : Price{as_node, false};
  }
  void price(const ItiParams& params, std::int32_t n, ItiWork& work) {
    const Price price = priced(params, n, work);
    set(n, pruned, price.pruned ? 1 : 0);
    node_real[static_cast<std::size_t>(n) * n_reals + bits] = price.bits;
  }
  static double log2(double x) { return streamboost::log(x) * 1.4426950408889634074; }
};

}  // namespace streamboost
