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
//             Where the machine has no memory left, a lesson goes on without it: statistics of a class begin later, a split waits for the
//             next attempt. Such a tree is sound, but not the one that it would have been (NeedsRoom::starved).
//             Weight k and k copies are the same. Amounts below 1e-9 are skipped.
// Speed       bias[c] = log(n_c + alpha) + sum_j log(precision_j / 2 pi) / 2 is kept in the leaf, so that an answer is multiply-adds only;
//             learning costs one logarithm. Naive Bayes is asked only where it speaks or is judged. After learning, a class that won
//             wins again (naive_bayes.hpp), else only the learned class is computed anew.
// Cost        ask O(depth + columns x classes of the leaf), learn O(columns), an attempt O(columns x classes x points) per grace.
#pragma once
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/hoeffding_grow.hpp"
#include "streamboost/learners/tree_shap.hpp"

namespace streamboost {

class HoeffdingBank final : public HoeffdingTrees,
                            public GrowsInPlace,
                            public LearnsThenAnswers,
                            public LearnsCosts,
                            public Explains,
                            public NeedsRoom,
                            public DrawnAtBirth,
                            public ShowsTrees,
                            public LimitsTrees {
 public:
  using HoeffdingTrees::Params;

  HoeffdingBank(Params params, Lanes lanes, std::uint64_t seed) : HoeffdingTrees(params, lanes, seed) {}

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
    notes->gaps.reserve(n_ * forest_.classes());
    notes->search.numbers.reserve(2 * d);
    for (auto* places : {&notes->weight_at, &notes->count_at}) places->reserve(d);
    notes->smoothing.reserve(d);
    notes->known.reserve(d);
    return {note_size() + 1, std::move(notes)};
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
      note[0] = static_cast<double>(notes.node[i]);
      note[1] = unasked;
    }
    const auto fetch_soon = [&](std::size_t i) {
      if (i < n_ && params_.uses_bayes()) forest_.fetch_to_answer(i, leaf_number(i, note_of(answers, i)), columns(i));
    };
    fetch_soon(0);
    fetch_soon(1);
    const std::size_t speakers = want == Request::distributions ? std::min(n_, answers.speakers) : 0;
    notes.spoke.resize(n_);
    notes.gaps.clear();
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
      note[0] = static_cast<double>(route_after(i, example.row, answers));
      note[1] = unasked;
      if (params_.hidden_features) sight = look(i, example.row, answers);
      sight.after = true;
    } else if (note[1] != unasked && !(keeps_right() && static_cast<int>(note[1]) == example.label) &&
               bayes_speaks(forest_.head(i, leaf_number(i, note)))) {
      note[1] = best_joint(i, leaf_number(i, note), example.label, sight, note + 2);
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
  using Notes = HoeffdingNotes;
  static constexpr double least_amount = 1e-9, largest_input = 1e150;
  static constexpr double largest_quadratic = 1e6, out_of_question = -1e300;  // a thousand standard deviations away; its log joint
  static constexpr double unasked = -2;                                       // naive Bayes has not spoken; -1: it has nothing to say

  // A row as one tree sees it.
  struct Sight {
    const double* x = nullptr;      // numeric cells, NaN where missing and beyond the columns
    const double* whole = nullptr;  // the same, 0 beyond the columns
    const double* row = nullptr;    // all columns
    const Notes* values = nullptr;  // known nominal values: where their column's weight and their count lie in a block
    bool gaps = false;              // a numeric value is missing
    bool numbers = false;           // ... is there
    bool new_value = false;         // a nominal value is met for the first time
    bool after = false;             // the row's own values count as known
  };

  // Learning an example raises every factor of its class; the first value on a column only if the floor does not exceed 1.
  bool keeps_right() const { return params_.var_floor <= 1; }

  // Notes per lane: the node asked, the naive Bayes answer (or unasked), the log joints. One row more holds what is true of the row.
  std::size_t note_size() const { return 2 + forest_.classes(); }
  double* note_of(Answers& answers, std::size_t i) const { return answers.notes.data() + i * note_size(); }
  std::size_t leaf_number(std::size_t i, const double* note) const {
    return static_cast<std::size_t>(forest_.node(i, static_cast<std::size_t>(note[0]))[Forest::first]);
  }

  // Whether every tree has columns of its own, or every leaf.
  bool each_looks() const { return columns_.size() > 1 || params_.hidden_features; }
  // What tree i sees: `all`, as every tree does, or a look of its own, kept in `own`. By reference: trees are many, and copies stall.
  const Sight& seen_by(std::size_t i, const Row& row, Answers& answers, const Sight& all, Sight& own) const {
    return each_looks() ? own = look(i, row, answers) : all;
  }
  Sight look(const Row& row, Answers& answers) const { return each_looks() ? Sight{} : look(std::size_t{0}, row, answers); }
  Sight look(std::size_t i, const Row& row, Answers& answers) const {
    const HoeffdingColumns& mine = columns(i);
    Sight sight;
    auto& t = answers.own<Notes>();
    auto& x = t.x;
    x.resize(mine.width + (params_.hidden_features ? static_cast<std::size_t>(row.size) : 0));
    t.whole.resize(mine.width);
    const double* value = row.value;
    if (params_.hidden_features) value = hide(i, row, answers, x.data() + mine.width);
    const std::size_t numbers = mine.numeric.size();
    std::int64_t missing = 0;
    double *cell = x.data(), *whole = t.whole.data();
    for (std::size_t p = 0; p < numbers; ++p) cell[p] = value[mine.numeric[p]];
    for (std::size_t p = 0; p < numbers; ++p) {  // without branches: every block of trees does this for every row
      const double v = cell[p], at_least = v < -largest_input ? -largest_input : v;
      missing += v != v ? 1 : 0;
      cell[p] = whole[p] = at_least > largest_input ? largest_input : at_least;
    }
    std::fill(cell + numbers, cell + mine.width, detail::not_a_number);
    std::fill(whole + numbers, whole + mine.width, 0.0);
    sight.gaps = missing > 0;
    sight.numbers = missing < static_cast<std::int64_t>(numbers);
    sight.x = cell;
    sight.whole = whole;
    t.weight_at.clear();
    t.count_at.clear();
    t.smoothing.clear();
    for (std::size_t q : mine.nominal) {
      const auto& column = mine.all[q];
      const double v = value[column.column], values = static_cast<double>(known_[static_cast<std::size_t>(column.column)]);
      sight.new_value |= row.value[column.column] >= values;
      if (!(v >= 0 && v < values)) continue;
      t.weight_at.push_back(static_cast<std::int32_t>(column.place));
      t.count_at.push_back(static_cast<std::int32_t>(column.place) + 1 + static_cast<std::int32_t>(v));
      t.smoothing.push_back(params_.alpha * values);
    }
    sight.values = &t;
    sight.row = value;
    double* flags = answers.notes.data() + note_size() * answers.stride;
    flags[0] = sight.gaps ? 1 : 0;
    flags[1] = sight.numbers ? 1 : 0;
    flags[2] = sight.new_value ? 1 : 0;
    return sight;
  }
  bool has_new_value(const Row& row) const {
    for (std::size_t j = 0; j < known_.size(); ++j)
      if (n_values_[j] >= 0 && row.value[j] >= static_cast<double>(known_[j])) return true;
    return false;
  }
  // The row with gaps where the leaf that was asked may not look: its node is in the notes.
  const double* hide(std::size_t i, const Row& row, Answers& answers, double* out) const {
    NodeColumns chosen = node_columns(i, static_cast<std::size_t>(note_of(answers, i)[0]), answers.own<Notes>().search.numbers);
    std::fill_n(out, row.size, detail::not_a_number);
    for (std::size_t p = 0; p < columns(i).all.size(); ++p) {
      const std::int32_t j = columns(i).all[p].column;
      if (chosen.take(p)) out[j] = row.value[j];
    }
    return out;
  }
  // What `ask` saw, where all trees see the same.
  Sight looked(const Row& row, const Answers& answers) const {
    const double* flags = answers.notes.data() + note_size() * answers.stride;
    const auto& t = answers.own<Notes>();
    return {t.x.data(), t.whole.data(), row.value, &t, flags[0] != 0, flags[1] != 0, flags[2] != 0, false};
  }
  std::size_t route_after(std::size_t i, const Row& row, Answers& answers) const {
    auto& known = answers.own<Notes>().known;
    known.assign(known_.begin(), known_.end());
    for (std::size_t j = 0; j < known.size(); ++j)
      if (n_values_[j] >= 0 && row.value[j] >= static_cast<double>(known[j])) known[j] = static_cast<std::int64_t>(row.value[j]) + 1;
    return forest_.route(i, row.value, known.data());
  }

  // ---- answering

  int majority(const double* head) const {
    int best = -1;
    double highest = 0;
    for (std::size_t c = 0; c < forest_.classes(); ++c)
      if (head[Forest::mass + c] > highest) {
        highest = head[Forest::mass + c];
        best = static_cast<int>(c);
      }
    return best;
  }
  bool bayes_speaks(const double* head) const {
    return params_.leaf == Params::Leaf::naive_bayes ||
           (params_.leaf == Params::Leaf::adaptive && head[Forest::bayes_hits] >= head[Forest::majority_hits]);
  }

  Answer to_verdict(std::size_t i, Request want, int n_classes, const Sight& sight, double* note, Answers* answers) const {
    const std::size_t leaf = leaf_number(i, note), k = static_cast<std::size_t>(n_classes);
    const double* head = forest_.head(i, leaf);
    int label = majority(head);
    const bool bayes = label >= 0 && bayes_speaks(head);
    if (bayes) label = bayes_answer(i, leaf, label, sight, note);
    const double* joint = bayes && note[2 + label] > out_of_question ? note + 2 : nullptr;
    if (label >= 0 && params_.leaf == Params::Leaf::costs) label = cheapest(head + forest_.cost(), k, label);
    if (want == Request::margins) return {label, margin(head, joint)};
    if (want == Request::distributions && answers != nullptr) {
      auto& notes = answers->own<Notes>();
      notes.spoke[i] = joint != nullptr;
      for (std::size_t c = 0; c < k && joint != nullptr; ++c)
        if (head[Forest::mass + c] > 0) notes.gaps.push_back(joint[c] - joint[label]);
    }
    return {label, 0};
  }
  static int cheapest(const double* cost, std::size_t k, int otherwise) {
    std::size_t best = 0;
    bool any = false;
    for (std::size_t c = 0; c < k; ++c) {
      any |= cost[c] != 0;
      if (cost[c] < cost[best]) best = c;
    }
    return any ? static_cast<int>(best) : otherwise;
  }

  // most: the majority of the leaf. Where that class is alone, nothing else can be said: there is no need to ask.
  int bayes_answer(std::size_t i, std::size_t leaf, int most, const Sight& sight, double* note) const {
    if (note[1] != unasked) return static_cast<int>(note[1]);
    const double* mass = forest_.head(i, leaf) + Forest::mass;
    bool alone = true;
    for (std::size_t c = 0; c < forest_.classes(); ++c) alone &= !(mass[c] > 0) || static_cast<int>(c) == most;
    if (alone) {
      note[2 + most] = 0;
      return most;
    }
    note[1] = best_joint(i, leaf, -1, sight, note + 2);
    return static_cast<int>(note[1]);
  }

  // Fills the log joints (of one class if `only` is given) and returns the class with the highest; classes without mass have none.
  // Densities of numbers cannot be compared with nothing: beside classes with statistics one without is out of the question, and so
  // is one whose statistics exclude the row. If all are, the masses decide.
  int best_joint(std::size_t i, std::size_t leaf, int only, const Sight& sight, double* joint) const {
    const double* head = forest_.head(i, leaf);
    const std::int32_t* block = forest_.leaf_of(i, leaf) + Forest::block;
    const std::size_t k = forest_.classes();
    const bool judged = sight.numbers && std::any_of(block, block + k, [](std::int32_t b) { return b >= 0; });
    if (only < 0) log_joints(i, leaf, judged, sight, joint);
    int best = -1;
    for (std::size_t c = 0; c < k; ++c) {
      if (!(head[Forest::mass + c] > 0)) continue;
      if (judged && block[c] < 0)
        joint[c] = out_of_question;
      else if (only == static_cast<int>(c))
        joint[c] = log_joint(i, leaf, c, sight);
      if (best < 0 || joint[c] > joint[best]) best = static_cast<int>(c);
    }
    return best < 0 || joint[best] > out_of_question ? best : majority(head);
  }

  // Of all classes with mass, several at a time; the same numbers as one by one.
  void log_joints(std::size_t i, std::size_t leaf, bool judged, const Sight& sight, double* joint) const {
    constexpr std::size_t most = 32;
    const HoeffdingColumns& mine = columns(i);
    const double* head = forest_.head(i, leaf);
    const std::int32_t* number = forest_.leaf_of(i, leaf) + Forest::block;
    const bool values = !mine.nominal.empty(), plainly = !sight.gaps && (!values || counts_plainly(sight));
    const double* block[most];
    double quadratic[most], logs[most];
    std::size_t code[most], n = 0;
    for (std::size_t c = 0, k = forest_.classes(); c < k; ++c) {
      if (head[Forest::mass + c] > 0) {
        if (plainly && number[c] >= 0) {
          block[n] = forest_.cells(i, number[c], mine);
          code[n++] = c;
        } else if (number[c] >= 0 || !judged) {
          joint[c] = log_joint(i, leaf, c, sight);
        }
      }
      if (n == 0 || (n < most && c + 1 < k)) continue;
      if (mine.used > 0)
        cells_quadratics(sight.whole, block, n, mine.stride, mine.used, quadratic);
      else
        std::fill_n(quadratic, n, 0.0);
      if (values) value_logs(block, n, sight.values->places(), params_.alpha, logs);
      for (std::size_t b = 0; b < n; ++b) {
        const double plain = head[forest_.bias() + code[b]] - 0.5 * quadratic[b];
        joint[code[b]] = quadratic[b] > largest_quadratic ? out_of_question : values ? plain + logs[b] : plain;
      }
      n = 0;
    }
  }

  double log_joint(std::size_t i, std::size_t leaf, std::size_t c, const Sight& sight) const {
    const HoeffdingColumns& mine = columns(i);
    const double* head = forest_.head(i, leaf);
    const std::int32_t b = forest_.leaf_of(i, leaf)[Forest::block + c];
    const double* block = b < 0 ? nullptr : forest_.cells(i, b, mine);
    double joint = head[forest_.bias() + c], quadratic = 0;
    if (block != nullptr && sight.gaps) {
      CellDensity density{};
      cells_density(sight.x, mine.row(block, 0), mine.row(block, 1), mine.width, &density);
      quadratic = density.quadratic;
      joint = log_prior(head[Forest::mass + c], density);
    } else if (block != nullptr && mine.used > 0) {
      cells_quadratics(sight.whole, &block, 1, mine.stride, mine.used, &quadratic);
    }
    if (quadratic > largest_quadratic) return out_of_question;
    joint -= 0.5 * quadratic;
    return mine.nominal.empty() ? joint : joint + log_values(mine, block, sight);
  }
  // Whether no factor can be 0, and the row's values are those that were known when it was looked at.
  bool counts_plainly(const Sight& sight) const { return params_.alpha != 0 && !(sight.after && sight.new_value); }
  // Sum of the logs of P(value | class).
  double log_values(const HoeffdingColumns& mine, const double* block, const Sight& sight) const {
    if (block == nullptr || !counts_plainly(sight)) return log_values_one_by_one(mine, block, sight);
    double logs = 0;
    value_logs(&block, 1, sight.values->places(), params_.alpha, &logs);
    return logs;
  }
  // The same where some factor may be 0, or a value counts that was not known when the row was looked at.
  double log_values_one_by_one(const HoeffdingColumns& mine, const double* block, const Sight& sight) const {
    double product = 1, logs = 0;
    int factors = 0;
    for (std::size_t q : mine.nominal) {
      const auto& column = mine.all[q];
      const double v = sight.row[column.column];
      double values = static_cast<double>(known_[static_cast<std::size_t>(column.column)]);
      if (sight.after && v >= values) values = v + 1;
      if (!(v >= 0 && v < values)) continue;
      const double count = (block == nullptr ? 0.0 : block[column.place + 1 + static_cast<std::size_t>(v)]) + params_.alpha;
      const double total = (block == nullptr ? 0.0 : block[column.place]) + params_.alpha * values;
      if (!(total > 0)) continue;
      product *= count > 0 ? count / total : 1e-30;
      if (++factors == 8) {
        logs += streamboost::log(product);
        product = 1;
        factors = 0;
      }
    }
    return logs + streamboost::log(product);
  }

  // Two classes: P(1) - P(0). A class without mass holds alpha / (n + 2 alpha).
  double margin(const double* head, const double* joint) const {
    const double zero = head[Forest::mass], one = forest_.classes() > 1 ? head[Forest::mass + 1] : 0.0;
    if (!(zero + one > 0)) return 0;
    if (joint != nullptr && zero > 0 && one > 0) return tanh(0.5 * std::clamp(joint[1] - joint[0], -60.0, 60.0));
    return (one - zero) / (zero + one + 2 * params_.alpha);
  }
  // Of the first n trees, from the gaps that to_verdict has left: exponentials for all of them at once.
  void distributions(std::size_t n, std::size_t k, Answers& answers) const {
    auto& notes = answers.own<Notes>();
    exp_lanes(notes.gaps.data(), notes.gaps.data(), notes.gaps.size());
    const double* ratio = notes.gaps.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double* head = forest_.head(i, leaf_number(i, note_of(answers, i)));
      ratio += share_out(head, notes.spoke[i] != 0 ? ratio : nullptr, k, answers.distribution.data() + i, answers.stride);
    }
  }
  // ratio: if naive Bayes spoke, how the joints of the classes with mass compare with the highest. Returns their number.
  std::size_t share_out(const double* head, const double* ratio, std::size_t k, double* out, std::size_t stride) const {
    double total = 0, sum = 0;
    std::size_t present = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double m = head[Forest::mass + c];
      total += m;
      if (m > 0 && ratio != nullptr) sum += ratio[present];
      present += m > 0 ? 1 : 0;
    }
    const double whole = total + static_cast<double>(k) * params_.alpha, share = total > 0 ? params_.alpha / whole : 0.0;
    const double rest = 1 - static_cast<double>(k - present) * share;
    for (std::size_t c = 0, r = 0; c < k; ++c) {
      const double m = head[Forest::mass + c];
      double& p = out[c * stride];
      if (!(m > 0))
        p = share;
      else
        p = ratio != nullptr ? ratio[r++] / sum * rest : (m + params_.alpha) / whole;
    }
    return ratio != nullptr ? present : 0;
  }

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
    if (is_active) return !grows([&] { return attempt(i, static_cast<std::size_t>(note[0]), k, answers.own<Notes>()); });
    revive(i, leaf, k);
    return !was_active;
  }
  // The inner nodes on a row's way, where they keep their records, learn it too and reconsider their splits in time. True if one has
  // changed: it has learned the row, and what is below it now has inherited it.
  bool teach_way(std::size_t i, std::size_t label, double amount, Sight sight, const Example& example, Answers& answers) {
    double& asked = note_of(answers, i)[0];
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
