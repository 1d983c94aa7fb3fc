// Hoeffding trees (VFDT): decision trees grown from a stream, one bank of them.
//
// Papers    Domingos, Hulten: Mining high-speed data streams (KDD 2000).
//           Gama, Rocha, Medas: Accurate decision trees for mining high-speed data streams (KDD 2003): Bayes in the leaves.
//           Manapragada, Webb, Salehi: Extremely fast decision tree (KDD 2018): splits that are reconsidered.
//
//   paper             here                          meaning
//   n_min             HoeffdingNumbers::grace       weight a leaf waits between two attempts to split
//   delta, tau        log_inverse_delta, tie        confidence of a split; how small a bound counts as a tie
//   G                 SplitSearch                   merit of a candidate (hoeffding_split.hpp)
//   n_ijk             cells                         statistics of one class in one leaf (HoeffdingColumns)
//   n_c               head[mass + c]                weight of class c in the leaf, what its parent passed on included
//   p_l e_l           promise()                     what a leaf could still gain: mass - largest class mass
//
//   learn     go to the leaf, add the example to its statistics; after every `grace` of weight, if two classes are present:
//             eps = sqrt(R^2 ln(1/delta) / (2 n)),  n = mass, or (sum w)^2 / sum w^2 of what was seen here
//             R = log2(max(2, classes)), or max(1, entropy of the masses); Gini, gain ratio: 1
//             split by the best candidate if its merit G1 > 0 and (G1 - G2 > eps or eps < tau); no split has merit 0 and takes part,
//             or (null_split off) only columns take part: one that is alone splits at once, and merits below 0 count as 0
//             max_features: only columns drawn for this node (NodeColumns) are candidates; statistics use all, or these only
//   reconsider (reevaluate; extremely fast decision tree): a leaf splits if G1 > eps, for no split is its only rival. Inner nodes keep
//             their records and learn every row on its way; after each `reconsider_after` of weight, with the merit G0 of their split by
//             now: if G1 - G0 > eps, the best split takes the place of all below; else if G1 <= eps < tau, the node is a leaf again
//   children  start with the class masses that the split sends them (class by class, so mass is conserved) and no statistics;
//             pass_on = seen: with the masses of the leaf's own statistics, what it inherited is dropped
//   answer    majority     (n_c + alpha) / (n + K alpha)
//             naive Bayes  log(n_c + alpha) + sum_j log P(x_j | c), Gaussian or (N_cjv + alpha) / (N_cj + alpha V_j)
//             adaptive     naive Bayes unless the majority was right for more weight in this leaf, each judged before learning
//             costs        the class of least cost collected by learn_costs; before any, the majority
//
// Choices     A missing value, and one the model has not learned, takes the branch with the most mass at the time of the split, in
//             learning and answering alike: a row always ends in one leaf. Statistics skip it; the mass of rows without a value is
//             shared out like that of the others. A value learned later than a multiway split goes that way too, where its leaf may
//             split on the column again. Ties: lower class code, lower column, lower threshold.
//             Variances are unbiased: S / (n - 1), S / (n / 2) for a weight n < 2. Where a class has shown one value only on a column,
//             the density there is 1 and elsewhere 0, as if the column were nominal; a class without any statistics in the leaf, or
//             excluded by them, is not considered while another is, because a density cannot be compared with none.
//             Statistics of a class are kept from its first example in the leaf on: many classes cost only where they occur.
//             Under max_bytes (arrays in use by one tree) the leaves of least promise lose their statistics, not their masses; an
//             inactive leaf that has become more promising than an active one takes its place when its grace is over. A split makes
//             room in the same way; when no leaf promises less than the one to be split, the tree stops growing.
//             Records of inner nodes yield before those of leaves, the lightest first; such a split stays until it observes again.
//             In the paper an information gain, which is never below 0, can hardly lose against no split: here a split is taken back
//             as soon as it would not be made. One that helps only those below it (exclusive or) does not survive that.
//             Classes met later make every leaf larger: if no statistics are left to give up, the split is taken back that costs least.
//             Where the machine has no memory left, learning goes on without it: statistics of a class begin later, a split waits for the
//             next attempt. Such a tree is sound, but not the one that it would have been (NeedsRoom::starved).
//             Weight k and k copies are the same. Amounts below 1e-9 are skipped.
// Speed       bias[c] = log(n_c + alpha) + sum_j log(precision_j / 2 pi) / 2 is kept in the leaf, so that an answer is multiply-adds only;
//             learning costs one logarithm. Naive Bayes is asked only where it speaks or is judged. After learning, a class that won
//             wins again (naive_bayes.hpp), else only the learned class is computed anew.
// Cost        ask O(depth + columns x classes of the leaf), learn O(columns), an attempt O(columns x classes x points) per grace.
#pragma once
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/hoeffding_leaves.hpp"
#include "streamboost/learners/tree_shap.hpp"

namespace streamboost {

class HoeffdingBank final : public HoeffdingLeaves,
                            public GrowsInPlace,
                            public LearnsThenAnswers,
                            public LearnsCosts,
                            public Explains,
                            public NeedsRoom,
                            public DrawnAtBirth,
                            public ShowsTrees,
                            public LimitsTrees {
 public:
  using HoeffdingLeaves::Params;

  HoeffdingBank(Params params, Lanes lanes, std::uint64_t seed) : HoeffdingLeaves(params, lanes, seed) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override {
    Abilities all = abilities_of(*this);
    if (params_.leaf != Params::Leaf::costs) all.costs = nullptr;
    return all;
  }
  NoteRoom make_notes() const override {
    auto notes = std::make_unique<Notes>();
    const auto d = static_cast<std::size_t>(schema_.width());
    notes->x.reserve(2 * d + 8);
    notes->whole.reserve(d + 8);
    for (auto* trees : {&notes->node, &notes->going}) trees->reserve(n_);
    notes->spoke.reserve(n_);
    notes->behind.reserve(n_ * forest_.classes());
    notes->search.numbers.reserve(2 * d);
    for (auto* places : {&notes->weight_at, &notes->count_at}) places->reserve(d);
    notes->smoothing.reserve(d);
    notes->known.reserve(d);
    return {note_size(), std::move(notes)};
  }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<HoeffdingBank>(*this); }
  void count_unsaved(MemoryCounter& counter) const override {
    counter.shared(n_values_.size() * 16);  // and those of the schema
    for (const HoeffdingColumns& one : columns_) columns_.size() > 1 ? counter.own(one.bytes()) : counter.shared(one.bytes());
    if (counter.planned) return;
    for (const auto& queue : queue_) counter.own(queue.capacity() * sizeof(Waiting));
  }
  double least_numbers(const Schema& schema) const override { return 10 + 3.0 * std::max(schema.n_classes, 1); }

  void reserve(const Schema& schema) override {
    Journal unread;
    this->grow_forest(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override { this->grow_forest(schema, journal); }

  void ask(const Example& example, Request want, Answers& answers) const override {
    const Sight sight = look(example.row, answers);
    Sight own;
    answers.change = (each_looks() ? has_new_value(example.row) : sight.new_value) ? Change::all : Change::taught;
    auto& notes = answers.own<Notes>();
    forest_.route(example.row.value, known_.data(), notes.node, notes.going);
    for (std::size_t i = 0; i < n_; ++i) {
      double* note = note_of(answers, i);
      note[asked_node] = static_cast<double>(notes.node[i]);
      note[bayes_label] = unasked;
    }
    const auto fetch_soon = [&](std::size_t i) {
      if (i < n_ && params_.uses_bayes()) forest_.fetch_to_answer(i, leaf_number(i, note_of(answers, i)), columns(i));
    };
    fetch_soon(0);
    fetch_soon(1);
    const std::size_t speakers = want == Request::distributions ? std::min(n_, answers.speakers) : 0;
    notes.spoke.resize(n_);
    notes.behind.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      fetch_soon(i + 2);
      const Request needed = want == Request::distributions && i >= speakers ? Request::votes : want;
      const Answer answer =
          to_verdict(i, needed, example.n_classes, seen_by(i, example.row, answers, sight, own), note_of(answers, i), &answers);
      answers.vote[i] = answer.label;
      answers.margin[i] = answer.margin;
    }
    if (speakers > 0) distributions(speakers, static_cast<std::size_t>(example.n_classes), answers);
  }

  // A tree of class masses; where naive Bayes speaks in the leaf, its columns share what it adds.
  bool explain(const Example& example, const ExplainRequest& question, const double* factor, Answers& answers,
               Explained& out) const override {
    if (params_.leaf == Params::Leaf::costs) return false;
    TreeShap tree;
    for (std::size_t i = 0; i < n_; ++i) {
      if (factor[i] == 0) continue;
      weigh_nodes(i, example.row.value, question, tree, out.work);
      if (question.shapley && tree.depth() > TreeShap::deepest) return false;
      out.base += factor[i] * (question.shapley ? tree.shapley(factor[i], out.column) : tree.along_path(factor[i], out.column));
      const double rest = question.said(answers, i) - tree.leaf_answer();
      const std::size_t leaf = leaf_number(i, note_of(answers, i));
      if (rest == 0 || !bayes_speaks(forest_.head(i, leaf))) continue;
      const Sight sight = each_looks() ? look(i, example.row, answers) : looked(example.row, answers);
      explain_leaf(i, leaf, sight, question, factor[i] * rest, out);
    }
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    const Sight sight = each_looks() ? Sight{} : looked(example.row, answers);
    Sight own;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i + 1 < n_ && amount[i + 1] >= least_amount)
        fetch_to_learn(i + 1, static_cast<std::size_t>(labels.of(static_cast<int>(i) + 1)), answers);
      if (!(amount[i] >= least_amount)) continue;
      teach(i, static_cast<std::size_t>(labels.of(static_cast<int>(i))), amount[i], seen_by(i, example.row, answers, sight, own), example,
            answers);
    }
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount, Request want, Answers& answers) override {
    const auto i = static_cast<std::size_t>(lane);
    Sight sight = each_looks() ? look(i, example.row, answers) : looked(example.row, answers);
    double* note = note_of(answers, i);
    if (i + 1 < n_) fetch_to_learn(i + 1, static_cast<std::size_t>(example.label), answers);
    bool same_leaf = true;
    if (amount >= least_amount) same_leaf = teach(i, static_cast<std::size_t>(example.label), amount, sight, example, answers);
    if (!same_leaf || want != Request::votes || sight.new_value) {
      note[asked_node] = static_cast<double>(route_after(i, example.row, answers));
      note[bayes_label] = unasked;
      if (params_.hidden_features) sight = look(i, example.row, answers);
      sight.after = true;
    } else if (note[bayes_label] != unasked && !(keeps_right() && static_cast<int>(note[bayes_label]) == example.label) &&
               bayes_speaks(forest_.head(i, leaf_number(i, note)))) {
      note[bayes_label] = best_joint(i, leaf_number(i, note), example.label, sight, note + first_joint);
    }
    return to_verdict(i, want, example.n_classes_after, sight, note, nullptr);
  }

  void learn_costs(const Example& example, const double* cost, Answers& answers) override {
    const std::size_t k = forest_.used();
    const auto collect = [&](std::size_t i, std::size_t node) {
      double* mine = forest_.head(i, forest_.record(i, node)) + forest_.cost();
      for (std::size_t c = 0; c < k; ++c) mine[c] += cost[c * answers.stride + i];
    };
    for (std::size_t i = 0; i < n_; ++i) {  // the tree may have split since it was asked
      std::size_t n = 0;
      for (; forest_.node(i, n)[Forest::kind] != Forest::leaf; n = forest_.next(i, n, example.row.value, known_.data()))
        if (forest_.reconsiders()) collect(i, n);
      collect(i, n);
    }
  }

  void finish_example(const Example& example) override {
    bool larger = example.n_classes_after > example.n_classes;
    for (int j = 0; j < example.row.size; ++j) {
      const double x = example.row.value[j];
      auto& known = known_[static_cast<std::size_t>(j)];
      const std::int64_t now = n_values_[static_cast<std::size_t>(j)] < 0 ? x == x
                               : x >= static_cast<double>(known)          ? static_cast<std::int64_t>(x) + 1
                                                                          : 0;
      if (now <= known) continue;
      known = now;
      larger = true;
    }
    for (std::size_t i = 0; i < n_ && larger && limited(); ++i)
      grows([&] { return keep_within(i, static_cast<std::size_t>(example.n_classes_after)); });
  }

  bool trained(int lane) const override {
    const auto i = static_cast<std::size_t>(lane);
    return forest_.n_records(i) > 1 || majority(forest_.head(i, 0)) >= 0;
  }
  bool short_of_memory() const override { return limited_; }
  bool starved() const override { return starved_; }
  std::pair<int, int> count_leaves(int lane) const override {
    const auto i = static_cast<std::size_t>(lane);
    int idle = 0;
    for (std::size_t r = 0; r < forest_.n_records(i); ++r) idle += forest_.active(i, r) || forest_.inner(i, r) ? 0 : 1;
    return {static_cast<int>(forest_.n_leaves(i)), idle};
  }
  std::vector<TreeNode> show(int lane) const override { return forest_.show(static_cast<std::size_t>(lane)); }

  void check() const override {
    for (std::size_t j = 0; j < known_.size(); ++j)
      require(known_[j] >= 0 && known_[j] <= (n_values_[j] < 0 ? 1 : n_values_[j]), "values known");
    for (std::size_t i = 0; i < n_; ++i) forest_.check(i, columns(i));
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    draw(i);
    forest_.plant(i);
    queue_[i] = {};
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<HoeffdingBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    forest_.swap(i, them.forest_);
    queue_[i].swap(them.queue_[i]);
    std::swap(numbers_[i], them.numbers_[i]);
    if (params_.feature_fraction < 1) std::swap(columns_[i], them.columns_[i]);
  }
  void draw_again() override {
    for (std::size_t i = 0; i < n_; ++i) draw(i);
  }
  void fields(FieldVisitor& v) override {
    forest_.fields(v, columns_);
    v("values_known", known_);
    if (v.loads()) queue_.assign(n_, {});
  }

 private:
  static constexpr double least_amount = 1e-9;

  // ---- explaining

  // Inner nodes weigh what their leaves do. Answers are worked out where they are needed: on the row's path, or everywhere. mass: room
  // for [node][class].
  void weigh_nodes(std::size_t i, const double* x, const ExplainRequest& question, TreeShap& tree, std::vector<double>& mass) const {
    const std::size_t n_nodes = forest_.n_nodes(i), k = forest_.classes();
    tree.nodes.assign(n_nodes, {});
    mass.assign(n_nodes * k, 0.0);
    for (std::size_t n = n_nodes; n-- > 0;) {
      const std::int32_t* at = forest_.node(i, n);
      TreeShap::Node& node = tree.nodes[n];
      double* mine = mass.data() + n * k;
      if (at[Forest::kind] == Forest::leaf) {
        std::copy_n(forest_.head(i, static_cast<std::size_t>(at[Forest::first])) + Forest::mass, k, mine);
        for (std::size_t c = 0; c < k; ++c) node.weight += mine[c];
        continue;
      }
      node.column = at[Forest::column];
      node.first = at[Forest::first];
      node.branches = at[Forest::branches];
      for (int b = 0; b < node.branches; ++b) {
        const auto child = static_cast<std::size_t>(node.first + b);
        for (std::size_t c = 0; c < k; ++c) mine[c] += mass[child * k + c];
        node.weight += tree.nodes[child].weight;
      }
    }
    const auto answer = [&](std::size_t n) {
      TreeShap::Node& node = tree.nodes[n];
      node.answer = question.of_masses(mass.data() + n * k, params_.alpha);
      if (node.column >= 0) node.taken = forest_.branch(i, n, x, known_.data());
      return static_cast<std::size_t>(node.first + node.taken);
    };
    if (question.shapley) {
      for (std::size_t n = 0; n < n_nodes; ++n) answer(n);
      return;
    }
    std::size_t n = 0;
    while (tree.nodes[n].column >= 0) n = answer(n);
    answer(n);
  }
  // The columns of a leaf's naive Bayes share `rest` as they moved its scores.
  void explain_leaf(std::size_t i, std::size_t leaf, const Sight& sight, const ExplainRequest& question, double rest,
                    Explained& out) const {
    const HoeffdingColumns& mine = columns(i);
    const double* head = forest_.head(i, leaf);
    const std::int32_t* block = forest_.leaf_of(i, leaf) + Forest::block;
    const auto k = static_cast<std::size_t>(question.n_classes);
    const bool judged = sight.numbers && std::any_of(block, block + k, [](std::int32_t b) { return b >= 0; });
    std::vector<char> live(k);
    std::vector<double>& score = out.work;  // [class] before and after, then [column][class]
    score.assign(k * (2 + mine.all.size()), 0.0);
    double* term = score.data() + 2 * k;
    for (std::size_t c = 0; c < k; ++c) {
      live[c] = head[Forest::mass + c] > 0 && (block[c] >= 0 || !judged);
      if (!live[c]) continue;
      score[c] = streamboost::log(std::max(head[Forest::mass + c] + params_.alpha, 1e-150));
      score[k + c] = score[c];
      const double* cells = block[c] < 0 ? nullptr : forest_.cells(i, block[c], mine);
      for (std::size_t p = 0; p < mine.all.size(); ++p)
        score[k + c] += term[p * k + c] = mine.all[p].nominal ? log_value(mine.all[p], cells, sight) : log_number(mine, p, cells, sight);
    }
    if (!live[static_cast<std::size_t>(question.label)] || (k == 2 && !(live[0] && live[1]))) return;
    Chords chords(question);
    const auto before = [&](int c) { return score[static_cast<std::size_t>(c)]; };
    const auto after = [&](int c) { return score[k + static_cast<std::size_t>(c)]; };
    const double moved = chords.draw(before, after, live.data(), 1.0);
    if (chords.last() == moved) return;
    const double share = rest / (chords.last() - moved);
    for (std::size_t p = 0; p < mine.all.size(); ++p)
      for (std::size_t c = 0; c < k; ++c) out.column[mine.all[p].column] += share * chords.slope(static_cast<int>(c)) * term[p * k + c];
  }
  double log_number(const HoeffdingColumns& mine, std::size_t p, const double* cells, const Sight& sight) const {
    const std::size_t cell = mine.all[p].place;
    const double x = sight.x[cell], precision = cells == nullptr ? 0.0 : mine.row(cells, 1)[cell];
    if (x != x || !(precision > 0)) return 0;
    const double deviation = x - mine.row(cells, 0)[cell];
    return 0.5 * (streamboost::log(precision) - deviation * deviation * precision);
  }
  double log_value(const HoeffdingColumns::Column& column, const double* cells, const Sight& sight) const {
    const double v = sight.row[column.column], values = static_cast<double>(known_[static_cast<std::size_t>(column.column)]);
    if (!(v >= 0 && v < values)) return 0;
    const double count = (cells == nullptr ? 0.0 : cells[column.place + 1 + static_cast<std::size_t>(v)]) + params_.alpha;
    const double total = (cells == nullptr ? 0.0 : cells[column.place]) + params_.alpha * values;
    return total > 0 ? streamboost::log(count > 0 ? count / total : 1e-30) : 0.0;
  }

  // ---- learning

  // Learns one example in the leaf that was asked. False if that leaf is no longer what the notes say: split, gone, or without statistics.
  bool teach(std::size_t i, std::size_t label, double amount, Sight sight, const Example& example, Answers& answers) {
    double* note = note_of(answers, i);
    const auto k = static_cast<std::size_t>(example.n_classes_after);
    const std::size_t leaf = leaf_number(i, note);
    const bool was_active = forest_.active(i, leaf);
    if (forest_.reconsiders()) {
      if (teach_way(i, label, amount, sight, example, answers)) return false;
      if (params_.hidden_features) sight = look(i, example.row, answers);
    }
    if (params_.leaf == Params::Leaf::adaptive) {
      double* head = forest_.head(i, leaf);
      const int most = majority(head);
      if (most >= 0) {
        const int bayes = forest_.active(i, leaf) ? bayes_answer(i, leaf, most, sight, note) : most;
        if (most == static_cast<int>(label)) head[Forest::majority_hits] += amount;
        if (bayes == static_cast<int>(label)) head[Forest::bayes_hits] += amount;
      }
    }
    observe(i, leaf, label, amount, sight, k);
    const bool is_active = forest_.active(i, leaf);
    double& waited = forest_.head(i, leaf)[Forest::waited];
    if (!(waited >= numbers_[i].grace)) return was_active == is_active;
    waited = 0;
    if (is_active) return !grows([&] { return attempt(i, static_cast<std::size_t>(note[asked_node]), k, answers.own<Notes>()); });
    revive(i, leaf, k);
    return !was_active;
  }
  // The inner nodes on a row's way, where they keep their records, learn it too and reconsider their splits in time. True if one has
  // changed: it has learned the row, and what is below it now has inherited it.
  bool teach_way(std::size_t i, std::size_t label, double amount, Sight sight, const Example& example, Answers& answers) {
    double& asked = note_of(answers, i)[asked_node];
    const double leaf = asked;
    const auto k = static_cast<std::size_t>(example.n_classes_after);
    for (std::size_t n = 0; forest_.node(i, n)[Forest::kind] != Forest::leaf; n = forest_.next(i, n, example.row.value, known_.data())) {
      const std::size_t record = forest_.record(i, n);
      if (params_.hidden_features) {
        asked = static_cast<double>(n);
        sight = look(i, example.row, answers);
      }
      observe(i, record, label, amount, sight, k);
      double& waited = forest_.head(i, record)[Forest::waited];
      if (!(waited >= params_.reconsider_after)) continue;
      waited = 0;
      if (!forest_.active(i, record))
        revive(i, record, k);
      else if (grows([&] { return reconsider(i, n, k, answers.own<Notes>()); }))
        return true;
    }
    asked = leaf;
    return false;
  }
  void fetch_to_learn(std::size_t i, std::size_t label, Answers& answers) const {
    forest_.fetch_to_learn(i, leaf_number(i, note_of(answers, i)), label, columns(i));
  }
  // Adds an example to a record.
  void observe(std::size_t i, std::size_t record, std::size_t label, double amount, const Sight& sight, std::size_t k) {
    const HoeffdingColumns& mine = columns(i);
    double* head = forest_.head(i, record);  // not after find_room, which may move it
    add_mass(i, record, label, amount);
    head[Forest::own] += amount;
    head[Forest::squares] += amount * amount;
    head[Forest::waited] += amount;
    CellDensity density{0, 1, 0};
    if (forest_.active(i, record) && find_room(i, record, label, k)) {
      double* block = forest_.cells(i, forest_.leaf_of(i, record)[Forest::block + label], mine);
      if (mine.used > 0) cells_observe(mine.cells(block), sight.x, mine.used, amount, params_.var_floor, &density);
      for (std::size_t p = 0; p < mine.numeric.size() && mine.bins > 0; ++p)
        if (sight.x[p] == sight.x[p]) HoeffdingBins::add(mine.intervals(block, p), mine.bins, sight.x[p], amount);
      if (sight.new_value)
        count_values(mine, sight.row, amount, block);
      else
        for (std::size_t a = 0; a < sight.values->weight_at.size(); ++a) {
          block[sight.values->weight_at[a]] += amount;
          block[sight.values->count_at[a]] += amount;
        }
    }
    if (!params_.uses_bayes()) return;
    head = forest_.head(i, record);
    head[forest_.bias() + label] = log_prior(head[Forest::mass + label], density);
  }
  // Counts values of which some are met for the first time.
  static void count_values(const HoeffdingColumns& mine, const double* row, double amount, double* block) {
    for (std::size_t q : mine.nominal) {
      const auto& column = mine.all[q];
      const double v = row[column.column];
      if (!(v >= 0 && v < static_cast<double>(column.values))) continue;
      block[column.place] += amount;
      block[column.place + 1 + static_cast<std::size_t>(v)] += amount;
    }
  }
};

}  // namespace streamboost
