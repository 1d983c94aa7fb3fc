// What the leaf of a Hoeffding tree answers: the majority, or naive Bayes over the leaf's statistics. The algorithm and its symbols:
// hoeffding.hpp.
#pragma once
#include "streamboost/learners/hoeffding_grow.hpp"

namespace streamboost {

class HoeffdingLeaves : public HoeffdingTrees {
 protected:
  using HoeffdingTrees::HoeffdingTrees;
  using Notes = HoeffdingNotes;
  static constexpr double largest_input = 1e150;
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

  // Notes of a lane: the node that was asked, what naive Bayes said there (or unasked), then the log joint of each class.
  static constexpr std::size_t asked_node = 0, bayes_label = 1, first_joint = 2;
  std::size_t note_size() const { return first_joint + forest_.classes(); }
  double* note_of(Answers& answers, std::size_t i) const { return answers.notes.data() + i * note_size(); }
  std::size_t leaf_number(std::size_t i, const double* note) const {
    return static_cast<std::size_t>(forest_.node(i, static_cast<std::size_t>(note[asked_node]))[Forest::first]);
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
    t.gaps = sight.gaps;
    t.numbers = sight.numbers;
    t.new_value = sight.new_value;
    return sight;
  }
  bool has_new_value(const Row& row) const {
    for (std::size_t j = 0; j < known_.size(); ++j)
      if (n_values_[j] >= 0 && row.value[j] >= static_cast<double>(known_[j])) return true;
    return false;
  }
  // The row with gaps where the leaf that was asked may not look: its node is in the notes.
  const double* hide(std::size_t i, const Row& row, Answers& answers, double* out) const {
    NodeColumns chosen = node_columns(i, static_cast<std::size_t>(note_of(answers, i)[asked_node]), answers.own<Notes>().search.numbers);
    std::fill_n(out, row.size, detail::not_a_number);
    for (std::size_t p = 0; p < columns(i).all.size(); ++p) {
      const std::int32_t j = columns(i).all[p].column;
      if (chosen.take(p)) out[j] = row.value[j];
    }
    return out;
  }
  // What `ask` saw, where all trees see the same.
  Sight looked(const Row& row, const Answers& answers) const {
    const auto& t = answers.own<Notes>();
    return {t.x.data(), t.whole.data(), row.value, &t, t.gaps, t.numbers, t.new_value, false};
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
    const double* joint = bayes && (note + first_joint)[label] > out_of_question ? note + first_joint : nullptr;
    if (label >= 0 && params_.leaf == Params::Leaf::costs) label = cheapest(head + forest_.cost(), k, label);
    if (want == Request::margins) return {label, margin(head, joint)};
    if (want == Request::distributions && answers != nullptr) {
      auto& notes = answers->own<Notes>();
      notes.spoke[i] = joint != nullptr;
      for (std::size_t c = 0; c < k && joint != nullptr; ++c)
        if (head[Forest::mass + c] > 0) notes.behind.push_back(joint[c] - joint[label]);
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
    if (note[bayes_label] != unasked) return static_cast<int>(note[bayes_label]);
    const double* mass = forest_.head(i, leaf) + Forest::mass;
    bool alone = true;
    for (std::size_t c = 0; c < forest_.classes(); ++c) alone &= !(mass[c] > 0) || static_cast<int>(c) == most;
    if (alone) {
      (note + first_joint)[most] = 0;
      return most;
    }
    note[bayes_label] = best_joint(i, leaf, -1, sight, note + first_joint);
    return static_cast<int>(note[bayes_label]);
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
  // Of the first n trees, from what to_verdict has noted: exponentials for all of them at once.
  void distributions(std::size_t n, std::size_t k, Answers& answers) const {
    auto& notes = answers.own<Notes>();
    exp_lanes(notes.behind.data(), notes.behind.data(), notes.behind.size());
    const double* ratio = notes.behind.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double* head = forest_.head(i, leaf_number(i, note_of(answers, i)));
      ratio += write_distribution(head, notes.spoke[i] != 0 ? ratio : nullptr, k, answers.distribution.data() + i, answers.stride);
    }
  }
  // ratio: if naive Bayes spoke, how the joints of the classes with mass compare with the highest. Returns their number.
  std::size_t write_distribution(const double* head, const double* ratio, std::size_t k, double* out, std::size_t stride) const {
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
};

}  // namespace streamboost
