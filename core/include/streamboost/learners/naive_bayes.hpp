// Naive Bayes in lanes: nominal, numeric (Gaussian) and mixed attributes.
//
// Sources   Duda, Hart: Pattern classification and scene analysis (1973); John, Langley: Estimating continuous distributions in
//           Bayesian classifiers (UAI 1995); Oza: Online Ensemble Learning (2001), section 2.3, for its use in online ensembles.
//
//   symbol           here                   meaning
//   N_c              class_weight[c]        weight of the examples of class c
//   N_{c,a,v}        count[a,v][c]          ... with value v of attribute a; N_{c,a} = attribute_weight[a][c] once a had a gap
//   mean, M2         mean, spread[a][c]     weighted Welford of numeric attribute a
//   1 / var          precision[a][c]        n / (M2 + var_floor n), at most 1e30; 0: no data
//   a                prior_alpha            pseudo-count of the class prior
//
//   log joint(c) = log(N_c + a) + sum over present attributes of
//       nominal  log (N_{c,a,v} + alpha) / (N_{c,a} + alpha V_a)      a zero probability becomes 1e-30 (alpha = 0)
//       numeric  (log precision - (x - mean)^2 precision) / 2         (2 pi is left out: it cancels)
//   An attribute is absent if missing (NaN) or its value was never learned; a class without data on it takes factor 1.
//   Classes without any data in a lane hold a / (n + K a) each, the others share the rest by their joints.
//   divisor all: the n of means and spreads is the weight of all classes, N_a = sum_c N_{c,a}, so a class's mean moves by w / N_a and
//   its precision changes with every example. That is no estimate of the class; published figures fit it (docs/results/differences).
//   Two classes: h = tanh(log odds / 2), log odds clipped to +-60; with data of one class only the prior odds.
//
// Departures  Products of counts and of precisions are kept as mantissa and exponent: one log per class, not per cell.
//             Weight k and k copies are the same. Learning (x, y) never lowers the posterior of y at x (every factor of y
//             rises with its weight, the others stay), so lanes that are right stay right. Two exceptions are computed in full:
//             a nominal value met for the first time (the attribute now counts, for all lanes), and a class whose first number
//             in a column with gaps meets a variance floor above 1 (its density is then below the factor 1 of no data).
//             With divisor all none of this holds: every answer after learning is computed in full.
// Cost        ask O(columns x classes), teach O(columns), both in lanes. Memory 4 doubles per numeric column, class and lane.
// Sparse form: numeric columns without gaps keep the moments of what is not zero (sparse_moments.hpp), so that both follow the row's
//             nonzeros: `mean` and `spread` are theirs, and `precision` is their weight. A column's first gap ends that for the column.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/class_joints.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/naive_bayes_kernels.hpp"
#include "streamboost/learners/sparse_moments.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

// The present attributes of a row as lists of table rows, and what is known of the row as a whole.
struct NaiveBayesNotes final : BankNotes {
  std::vector<double> x, shared_x;                    // numeric values
  std::vector<std::int32_t> row, column, shared_row;  // ... their table rows and columns
  std::vector<std::int32_t> value_row, value_column;  // nominal values
  std::vector<double> value_alpha;
  std::vector<double> sparse_x;                         // what is not zero in columns of the sparse form
  std::vector<std::int32_t> sparse_column, sparse_gap;  // ... and what is missing there
  std::vector<const double*> weight;
  bool gap = false, value_gap = false;  // some of the numeric columns had gaps, of the nominal ones
  bool finished = false;                // the joints in the table of notes are logarithms
  bool plain = false;                   // numbers only, none missing
  bool bounded = false;                 // right_after has a bound on what the answer gains
  const double* complete = nullptr;     // the row whose terms are listed, if it has no gaps and no new values

  explicit NaiveBayesNotes(std::size_t width) {
    for (auto* list : {&x, &shared_x, &value_alpha, &sparse_x}) list->reserve(width);
    for (auto* list : {&row, &column, &shared_row, &value_row, &value_column, &sparse_column, &sparse_gap}) list->reserve(width);
    weight.reserve(width);
  }
  void clear() {
    x.clear();
    row.clear();
    column.clear();
    value_row.clear();
    value_column.clear();
    value_alpha.clear();
    sparse_x.clear();
    sparse_column.clear();
    sparse_gap.clear();
    gap = value_gap = false;
    complete = nullptr;
  }
};

class NaiveBayesBank final : public Bank,
                             public AnswersAfter,
                             public AnswersLogOdds,
                             public Explains,
                             public DrawnAtBirth,
                             public GrowsInPlace {
 public:
  enum class Form : std::int64_t { open, dense, sparse };  // open: the first row learned decides
  struct Params {
    double alpha, var_floor, prior_alpha, feature_fraction;
    bool over_all;  // means and spreads are divided by the weight of all classes
    Form form;
    static Params read(const Config& c) {
      return {c.number("alpha"),
              c.number("var_floor"),
              c.number("prior_alpha"),
              c.number_or_none("feature_fraction").value_or(1),
              c.choice<bool>("divisor", {{"class", false}, {"all", true}}),
              c.choice<Form>("sparse", {{"auto", Form::open}, {"never", Form::dense}, {"always", Form::sparse}})};
    }
  };

  NaiveBayesBank(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params),
        lanes_(lanes),
        seed_(seed),
        n_(static_cast<std::size_t>(lanes.size())),
        stride_(padded(n_)),
        form_(static_cast<std::int64_t>(params.form)),
        moments_(params.var_floor) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {.dense = params_.form == Form::dense}; }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override { return {3 * classes_ + work_rows, std::make_unique<Notes>(tables_.width)}; }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<NaiveBayesBank>(*this); }
  void count_unsaved(MemoryCounter& counter) const override { counter.table(mask_); }
  double least_numbers(const Schema& schema) const override {
    double cells = 1;
    for (auto values : schema.n_values) cells += values < 0 ? 4 : 1 + static_cast<double>(values);
    return cells * std::max(schema.n_classes, 1);
  }
  bool trained(int lane) const override {
    for (std::size_t c = 0; c < classes_; ++c)
      if (class_weight_[c][static_cast<std::size_t>(lane)] > 0) return true;
    return false;
  }

  void reserve(const Schema& schema) override {
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    Tables now(schema);
    const std::size_t k = class_room(schema, classes_);
    const ClassRows classes{classes_, k, n_};
    classes.grow(class_weight_, 1, journal);
    classes.grow(attribute_weight_, now.width, journal);
    for (auto* table : {&mean_, &spread_, &precision_}) classes.grow(*table, now.numeric, journal);
    const bool appended = tables_.layout.begins(now.layout), same = k == classes_ && now.width == tables_.width;
    classes.grow(count_, now.layout.rows(), journal, appended ? std::vector<std::size_t>() : tables_.layout.places_in(now.layout));
    journal.assign(tables_, std::move(now));
    journal.assign(classes_, k);
    journal.assign(used_, classes_of(schema));
    // A column that appears after the first example has gaps by definition, and so has a column that some lanes never look at.
    journal.resize(own_weight_, tables_.width, n_met_ > 0 || params_.feature_fraction < 1 ? 1 : 0);
    if (sparse() && n_met_ == 0) share_numbers();
    journal.resize(values_known_, tables_.width);
    journal.assign(schema_, schema);
    if (params_.feature_fraction < 1) {
      journal.assign(mask_, LaneArray<double>(tables_.width, n_));
      for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane, mask_);
    }
    if (!sparse() || same) return;
    journal.assign(moments_, moments_);
    journal.assign(numeric_column_, numeric_column_);
    journal.assign(visited_, visited_);
    begin_sparse();
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    joints(example, answers);
    const auto k = static_cast<std::size_t>(example.n_classes);
    if (want == Request::margins) return margins(k, answers);
    finish_joints(k, answers);
    if (want == Request::votes)
      class_joints().votes(k, answers, work(answers, 0));
    else
      class_joints().distributions(k, answers, work(answers, 0));
  }

  void log_odds(const Example& example, double limit, Answers& answers) const override {
    joints(example, answers);
    finish_joints(static_cast<std::size_t>(example.n_classes), answers);
    class_joints().log_odds(limit, answers);
  }

  // The base of a lane is its prior; a column gives what its factors add to the log joints.
  bool explain(const Example&, const ExplainRequest& question, const double* factor, Answers& answers, Explained& out) const override {
    if (question.shapley || sparse()) return false;
    const Notes& t = answers.own<Notes>();
    const int k = question.n_classes;
    if (!t.finished) finish_joints(static_cast<std::size_t>(k), answers);
    std::vector<double> slope(static_cast<std::size_t>(k) * stride_, 0.0);
    class_joints().chords(question, factor, answers, slope.data(), out);
    double* term = work(answers, 0);
    std::vector<double> gain(n_);
    // What the terms of a column give, lane by lane: the same sum however lanes are spread over threads.
    const auto share = [&](int column, auto&& find_terms) {
      std::fill(gain.begin(), gain.end(), 0.0);
      for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c) {
        find_terms(c);
        for (std::size_t i = 0; i < n_; ++i) gain[i] += slope[c * stride_ + i] * term[i];
      }
      for (double mine : gain) out.column[column] += mine;
    };
    for (std::size_t m = 0; m < t.x.size(); ++m)
      share(t.column[m], [&](std::size_t c) {
        const std::size_t cell = static_cast<std::size_t>(t.row[m]) + c;
        const double *mean = mean_[cell], *precision = precision_[cell];
        for (std::size_t i = 0; i < stride_; ++i) term[i] = precision[i] > 0 ? precision[i] : 1.0;
        log_lanes(term, term, stride_);
        for (std::size_t i = 0; i < n_; ++i) {
          const double deviation = t.x[m] - mean[i];
          term[i] = precision[i] > 0 ? 0.5 * (term[i] - deviation * deviation * precision[i]) : 0.0;
        }
      });
    for (std::size_t m = 0; m < t.value_row.size(); ++m)
      share(t.value_column[m], [&](std::size_t c) {
        const auto column = static_cast<std::size_t>(t.value_column[m]);
        const double* count = count_[static_cast<std::size_t>(t.value_row[m]) + c];
        const double* weight = own_weight_[column] ? attribute_weight_[column * classes_ + c] : class_weight_[c];
        for (std::size_t i = 0; i < stride_; ++i) {
          const double above = count[i] + params_.alpha, total = weight[i] + t.value_alpha[m];
          term[i] = !(total > 0) ? 1.0 : above > 0 ? above / total : 1e-30;
        }
        log_lanes(term, term, stride_);
      });
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    choose_form(example.row);
    if (sparse() || answers.own<Notes>().complete != example.row.value) {
      mark_gaps(example.row);
      list_terms(example.row, false, answers);
    }
    class_joints().by_label(labels, amount, work(answers, 1), [&](std::size_t c, const double* own) { teach(c, own, answers); });
  }

  void finish_example(const Example& example) override {
    choose_form(example.row);  // boosters need not teach every block
    n_met_ += 1;
    mark_gaps(example.row);
    if (!all_numeric())
      for_cells(example.row, [&](int j, double x) {
        auto& known = values_known_[static_cast<std::size_t>(j)];
        if (tables_.nominal(j) && x >= static_cast<double>(known)) known = static_cast<std::int64_t>(x) + 1;
      });
    if (sparse()) moments_.on_schedule(n_met_, moment_tables(), class_weight_);
  }

  void after_begin(const Example& example, Answers& answers) const override {
    auto& t = answers.own<Notes>();
    if (!t.finished) finish_joints(static_cast<std::size_t>(example.n_classes), answers);
    const bool new_value = has_new_value(example.row);
    t.plain = !sparse() && !new_value && t.value_row.empty() && mask_.rows() == 0 && !t.gap;
    const bool counts_only = !sparse() && t.x.empty() && params_.alpha == 0 && !t.value_gap && mask_.rows() == 0;
    t.bounded = !params_.over_all && !new_value && (t.plain || counts_only);
    answers.change = new_value                                              ? Change::all
                     : params_.over_all || (params_.var_floor > 1 && t.gap) ? Change::taught
                                                                            : Change::right_stays_right;
  }

  Answer after(int lane, const Example& example, double amount, Amount, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    const bool plain = answers.own<Notes>().plain, in_full = params_.over_all || (!plain && has_new_value(example.row));
    const int k = example.n_classes_after;
    int best = -1;
    double highest = 0, score[2] = {0, 0};
    for (int c = 0; c < k; ++c) {
      const double added = c == example.label ? amount : 0.0;
      if (class_weight_[static_cast<std::size_t>(c)][i] + added <= 0) continue;
      const auto one = static_cast<std::size_t>(c);
      const double joint = !(added > 0 || in_full) ? answers.notes[one * answers.stride + i]
                           : plain                 ? plain_joint_after(i, one, example.label, amount, answers.own<Notes>())
                                                   : joint_after(i, example, one, added, amount, answers.own<Notes>());
      if (c < 2) score[c] = joint;
      if (best < 0 || joint > highest) {
        highest = joint;
        best = c;
      }
    }
    return {best, k <= 2 ? class_joints().margin_after(i, example.label, amount, score) : 0.0};
  }

  // A lane that is wrong mostly stays wrong, and that can be told without working out its new joint: by an upper bound of what the
  // joint gains, where two classes have data and all attributes are of one kind and without gaps.
  bool right_after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    const auto y = static_cast<std::size_t>(example.label), other = 1 - y;
    if (example.n_classes == 2 && answers.own<Notes>().bounded && class_weight_[y][i] > 0 && class_weight_[other][i] > 0) {
      const double n = class_weight_[y][i], rival = answers.notes[other * stride_ + i];
      const double behind = rival - answers.notes[y * stride_ + i] - amount / (n + params_.prior_alpha) - 1e-9 * (1 + std::fabs(rival));
      if (answers.own<Notes>().value_row.empty() ? numeric_gain_below(behind, i, y, amount, answers)
                                                 : nominal_gain_below(behind, i, y, amount, answers))
        return false;
    }
    return after(lane, example, amount, kind, answers).label == example.label;
  }

  void check() const override {
    require_count(n_met_, "examples met");
    for (std::size_t j = 0; j < tables_.width; ++j) {
      const auto j_int = static_cast<int>(j);
      require(own_weight_[j] == 0 || own_weight_[j] == 1, "gap flag");
      require(values_known_[j] >= 0 && values_known_[j] <= (tables_.nominal(j_int) ? tables_.n_values[j] : 0), "values known");
    }
    for (const auto* table : {&class_weight_, &attribute_weight_, &spread_, &precision_, &count_})
      for (std::size_t r = 0; r < table->rows(); ++r)
        for (std::size_t i = 0; i < n_; ++i) require((*table)[r][i] >= 0, "negative count");
    if (sparse()) moments_.check();
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    if (mask_.rows() > 0) draw_mask(i, mask_);
    for (auto* table : tables()) table->fill_lane(i, 0);
    if (!sparse()) return;
    moments_.clear_lane(i);
    recount();
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<NaiveBayesBank&>(other);
    const auto i = static_cast<std::size_t>(lane), n = tables().size();
    for (std::size_t t = 0; t < n; ++t) tables()[t]->swap_lane(i, *them.tables()[t]);
    mask_.swap_lane(i, them.mask_);
    if (!sparse()) return;
    moments_.swap_lane(i, them.moments_);
    recount();
    them.recount();
  }
  void draw_again() override {
    if (mask_.rows() > 0) make_mask();
  }
  void fields(FieldVisitor& v) override {
    const ClassFields tables{v, used_, classes_};
    tables("class_weight", class_weight_);
    tables("attribute_weight", attribute_weight_);
    tables("mean", mean_);
    tables("spread", spread_);
    tables("precision", precision_);
    tables("count", count_);
    v("own_weight", own_weight_);
    v("values_known", values_known_);
    v("n_met", n_met_);
    if (params_.form == Form::dense) return;
    if (params_.form == Form::open) {
      v("form", form_);
      require(form_ >= 0 && form_ <= 2, "form");
    }
    if (sparse() && v.loads()) begin_sparse();
    moments_.fields(v, used_);
    if (sparse() && v.loads()) recount();
  }

 private:
  using Notes = NaiveBayesNotes;
  static constexpr std::size_t own_work_rows = 8, work_rows = own_work_rows + SparseMoments::work_rows;
  static constexpr double largest_input = 1e37;  // squares, and products of four variances, stay finite

  // Where the columns' cells live: nominal columns by value, numeric ones by their rank among the numeric.
  struct Tables {
    std::vector<std::int64_t> n_values;
    std::vector<std::size_t> rank;
    ColumnLayout layout;  // rows of count: one per nominal value (none for numeric columns)
    std::size_t width = 0, numeric = 0;
    Tables() = default;
    explicit Tables(const Schema& schema) : n_values(schema.n_values), width(schema.n_values.size()) {
      for (auto values : n_values) {
        rank.push_back(numeric);
        if (values < 0) ++numeric;
        layout.offset.push_back(layout.offset.back() + (values < 0 ? 0 : static_cast<std::size_t>(values)));
      }
    }
    bool nominal(int j) const { return n_values[static_cast<std::size_t>(j)] >= 0; }
  };

  double* work(Answers& answers, std::size_t row) const { return answers.notes.data() + (3 * classes_ + row) * stride_; }

  // Few lanes are worked out alone, without the rest of their row.
  bool few() const { return n_ <= 4; }
  bool sparse() const { return form_ == static_cast<std::int64_t>(Form::sparse); }

  // From here the sparse form pays: below, all columns of a lane cost about as much as the nonzeros of a row.
  static constexpr std::size_t wide = 1000;
  void choose_form(const Row& row) {
    if (form_ != static_cast<std::int64_t>(Form::open)) return;
    const bool pays = !row.dense() && tables_.width >= wide && !params_.over_all;
    form_ = static_cast<std::int64_t>(pays ? Form::sparse : Form::dense);
    if (!pays) return;
    share_numbers();
    begin_sparse();
  }
  // What lanes do not look at is no gap in numeric columns of the sparse form.
  void share_numbers() {
    for (std::size_t j = 0; j < tables_.width; ++j)
      if (!tables_.nominal(static_cast<int>(j))) own_weight_[j] = 0;
  }
  void begin_sparse() {
    moments_.reserve(tables_.numeric, classes_, n_);
    numeric_column_.clear();
    for (std::size_t j = 0; j < tables_.width; ++j)
      if (!tables_.nominal(static_cast<int>(j))) numeric_column_.push_back(static_cast<std::int32_t>(j));
    list_visited();
  }
  // Columns that every row counts in, even where it holds nothing.
  void list_visited() {
    visited_.clear();
    for (std::size_t j = 0; j < tables_.width; ++j)
      if (tables_.nominal(static_cast<int>(j)) || own_weight_[j]) visited_.push_back(static_cast<std::int32_t>(j));
  }
  void recount() {
    list_visited();
    moments_.recount(n_met_, moment_tables(),
                     [&](std::size_t rank) { return !own_weight_[static_cast<std::size_t>(numeric_column_[rank])]; });
  }
  SparseMoments::Tables moment_tables() const { return {precision_, mean_, spread_}; }
  SparseTerms sparse_terms(const Notes& t) const {
    return {t.sparse_x.data(), t.sparse_column.data(), static_cast<int>(t.sparse_x.size()), t.sparse_gap.data(),
            static_cast<int>(t.sparse_gap.size())};
  }
  const double* mask_of(std::size_t rank) const {
    return mask_.rows() == 0 ? nullptr : mask_[static_cast<std::size_t>(numeric_column_[rank])];
  }

  // All cells of a row, in the order of columns; in the sparse form those that are not stored only where they count.
  template <class F>
  void for_cells(const Row& row, F&& f) const {
    if (row.dense()) {
      for (int j = 0; j < row.size; ++j) f(j, row.value[j]);
      return;
    }
    int at = 0;
    const auto until = [&](int column) {
      for (; at < row.size && row.index[at] < column; ++at) f(row.index[at], row.value[at]);
      const bool stored = at < row.size && row.index[at] == column;
      f(column, stored ? row.value[at++] : 0.0);
    };
    if (sparse())
      for (int j : visited_) until(j);
    else
      for (std::size_t j = 0; j < tables_.width; ++j) until(static_cast<int>(j));
    for (; at < row.size; ++at) f(row.index[at], row.value[at]);
  }

  bool all_numeric() const { return tables_.numeric == tables_.width; }
  bool has_new_value(const Row& row) const {
    bool found = false;
    if (all_numeric()) return found;
    for_cells(
        row, [&](int j, double x) { found |= tables_.nominal(j) && x >= static_cast<double>(values_known_[static_cast<std::size_t>(j)]); });
    return found;
  }

  // Present attributes as lists of table rows (of class 0). Asking skips values never learned; learning takes them.
  void list_terms(const Row& row, bool asking, Answers& answers) const {
    auto& t = answers.own<Notes>();
    if (row.dense() && !sparse()) return list_dense_terms(row, asking, t);
    t.clear();
    for_cells(row, [&](int j, double x) {
      const auto column = static_cast<std::size_t>(j);
      if (std::isnan(x)) {
        if (sparse() && !own_weight_[column] && !tables_.nominal(j))
          t.sparse_gap.push_back(static_cast<std::int32_t>(tables_.rank[column]));
        return;
      }
      if (!tables_.nominal(j)) {
        if (!sparse() || own_weight_[column]) {
          t.gap |= own_weight_[column] != 0;
          t.x.push_back(kept(x));
          t.row.push_back(numeric_row(column));
          t.column.push_back(j);
        } else if (x != 0) {
          t.sparse_x.push_back(kept(x));
          t.sparse_column.push_back(static_cast<std::int32_t>(tables_.rank[column]));
        }
        return;
      }
      if (x < 0 || x >= n_values(column, asking)) return;
      t.value_gap |= own_weight_[column] != 0;
      t.value_row.push_back(value_row(column, x));
      t.value_column.push_back(j);
      t.value_alpha.push_back(params_.alpha * static_cast<double>(values_known_[column]));
    });
  }
  // The same for the usual row, in lists that are cut to length at the end.
  void list_dense_terms(const Row& row, bool asking, Notes& t) const {
    if (all_numeric() && !may_have_gaps(row)) return list_numbers(row, t);
    const auto width = static_cast<std::size_t>(row.size);
    for (auto* list : {&t.x, &t.value_alpha}) list->resize(width);
    for (auto* list : {&t.row, &t.column, &t.value_row, &t.value_column}) list->resize(width);
    std::size_t numbers = 0, values = 0;
    t.gap = t.value_gap = false;
    for (std::size_t j = 0; j < width; ++j) {
      const double x = row.value[j];
      if (std::isnan(x)) continue;
      if (!tables_.nominal(static_cast<int>(j))) {
        t.gap |= own_weight_[j] != 0;
        t.x[numbers] = kept(x);
        t.row[numbers] = numeric_row(j);
        t.column[numbers++] = static_cast<std::int32_t>(j);
      } else if (x >= 0 && x < n_values(j, asking)) {
        t.value_gap |= own_weight_[j] != 0;
        t.value_row[values] = value_row(j, x);
        t.value_column[values] = static_cast<std::int32_t>(j);
        t.value_alpha[values++] = params_.alpha * static_cast<double>(values_known_[j]);
      }
    }
    t.x.resize(numbers);
    for (auto* list : {&t.row, &t.column}) list->resize(numbers);
    t.value_alpha.resize(values);
    for (auto* list : {&t.value_row, &t.value_column}) list->resize(values);
    t.complete = numbers + values == width ? row.value : nullptr;
  }
  // The same where every column is a number that is there: no list needs a look at another one.
  void list_numbers(const Row& row, Notes& t) const {
    const auto width = static_cast<std::size_t>(row.size);
    const auto classes = static_cast<std::int32_t>(classes_);
    t.x.resize(width);
    for (auto* list : {&t.row, &t.column}) list->resize(width);
    for (auto* list : {&t.value_row, &t.value_column}) list->clear();
    double* x = t.x.data();
    std::int32_t *table_row = t.row.data(), *column = t.column.data();
    std::int64_t gaps = 0;
    for (std::size_t j = 0; j < width; ++j) x[j] = kept(row.value[j]);
    for (std::size_t j = 0; j < width; ++j) gaps |= own_weight_[j];
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(width); ++j) {
      column[j] = j;
      table_row[j] = j * classes;
    }
    t.value_alpha.clear();
    t.gap = gaps != 0;
    t.value_gap = false;
    t.complete = row.value;
  }
  static double kept(double x) { return std::clamp(x, -largest_input, largest_input); }
  std::int32_t numeric_row(std::size_t column) const { return static_cast<std::int32_t>(tables_.rank[column] * classes_); }
  std::int32_t value_row(std::size_t column, double x) const {
    return (static_cast<std::int32_t>(tables_.layout.offset[column]) + static_cast<std::int32_t>(x)) * static_cast<std::int32_t>(classes_);
  }
  double n_values(std::size_t column, bool asking) const {
    return static_cast<double>(asking ? values_known_[column] : tables_.n_values[column]);
  }

  // notes: squares of the joints, or log joints once finished [class][lane], then the powers of two they were taken out of, the quadratic terms, then work rows.
  void joints(const Example& example, Answers& answers) const {
    list_terms(example.row, true, answers);
    auto& t = answers.own<Notes>();
    const auto k = static_cast<std::size_t>(example.n_classes);
    double *square = answers.notes.data(), *power = square + classes_ * stride_;
    double *quadratic = power + classes_ * stride_, *mantissa = work(answers, 1), *exponent = work(answers, 2), *ratio = work(answers, 3),
           *ratio_exponent = work(answers, 4);
    const Entries numeric{t.x.data(), t.row.data(), static_cast<int>(t.x.size())};
    const bool nominal = !t.value_row.empty();
    const auto ask_numbers = t.gap ? gaussian_ask_gaps : few() ? gaussian_ask_few : gaussian_ask;
    for (std::size_t c = 0; c < k; ++c) {
      if (n_ == 1 && !(class_weight_[c][0] > 0)) {  // not heard of, and not asked
        square[c * stride_] = 1;
        power[c * stride_] = quadratic[c * stride_] = 0;
        continue;
      }
      ask_numbers(mean_[c], precision_[c], stride_, numeric, quadratic + c * stride_, mantissa, exponent);
      if (nominal) ask_nominal(c, t, ratio, ratio_exponent, work(answers, 0));
      square_joints(class_weight_[c], params_.prior_alpha, nominal ? ratio : nullptr, ratio_exponent, mantissa, exponent,
                    quadratic + c * stride_, few() ? 4 : stride_, square + c * stride_, power + c * stride_);
      if (sparse())
        moments_.ask(
            c, sparse_terms(t), moment_tables(), class_weight_[c], [&](std::size_t rank) { return mask_of(rank); },
            work(answers, own_work_rows), power + c * stride_);
    }
    answers.change = Change::taught;  // until after_begin knows better
    t.finished = false;
  }
  void finish_joints(std::size_t k, Answers& answers) const {
    double *square = answers.notes.data(), *power = square + classes_ * stride_;
    const std::size_t n = few() ? 4 : k * stride_;
    for (std::size_t at = 0; at < k * stride_; at += few() ? stride_ : n) {
      log_lanes(square + at, square + at, n);
      halve_and_add(square + at, power + at, n);
    }
    answers.own<Notes>().finished = true;
  }

  // Attributes without gaps have the class weight as their divisor; the others carry their own.
  void ask_nominal(std::size_t c, Notes& t, double* ratio, double* exponent, double* inverse) const {
    if (params_.alpha == 0 && !t.value_gap &&
        nominal_ask_plain(count_[c], stride_, t.value_row.data(), static_cast<int>(t.value_row.size()), class_weight_[c], ratio, exponent))
      return;
    t.weight.clear();
    for (int j : t.value_column) {
      const auto column = static_cast<std::size_t>(j);
      t.weight.push_back(own_weight_[column] ? attribute_weight_[column * classes_ + c] : class_weight_[c]);
    }
    nominal_ask(count_[c], stride_, {t.value_row.data(), t.weight.data(), t.value_alpha.data(), static_cast<int>(t.value_row.size())},
                params_.alpha, ratio, exponent, inverse);
  }

  // Of a dense row, told quickly: mostly there is none.
  bool may_have_gaps(const Row& row) const {
    bool found = false;
    if (all_numeric())
      for (int j = 0; j < row.size; ++j) found |= std::isnan(row.value[j]);
    else
      for (int j = 0; j < row.size; ++j) found |= !(row.value[j] >= 0);
    return found;
  }
  // The first gap of a column ends its sharing of the class weights.
  void mark_gaps(const Row& row) {
    if (row.dense() && !may_have_gaps(row)) return;
    bool left = false;
    for_cells(row, [&](int j, double x) {
      const auto column = static_cast<std::size_t>(j);
      const bool gap = std::isnan(x) || (tables_.nominal(j) && x < 0);
      if (!gap || own_weight_[column]) return;
      own_weight_[column] = 1;
      for (std::size_t c = 0; c < classes_; ++c) std::copy_n(class_weight_[c], stride_, attribute_weight_[column * classes_ + c]);
      if (!sparse() || tables_.nominal(j)) return;
      merge_zeros(column);
      left = true;
    });
    if (!left) return;
    list_visited();
    moments_.all_afresh(n_met_, moment_tables(), class_weight_,
                        [&](std::size_t rank) { return !own_weight_[static_cast<std::size_t>(numeric_column_[rank])]; });
  }

  // A column of the sparse form becomes one that keeps the moments of all its values.
  void merge_zeros(std::size_t column) {
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::size_t cell = tables_.rank[column] * classes_ + c;
      double* own = attribute_weight_[column * classes_ + c];
      for (std::size_t i = 0; i < stride_; ++i) {
        if (mask_.rows() > 0) own[i] *= mask_[column][i];
        SparseMoments::merge_zeros(precision_[cell][i], own[i], mean_[cell][i], spread_[cell][i]);
        precision_[cell][i] = own[i] > 0 ? std::min(own[i] / (spread_[cell][i] + params_.var_floor * own[i]), 1e30) : 0.0;
      }
    }
  }

  void teach(std::size_t c, const double* amount, Answers& answers) {
    auto& t = answers.own<Notes>();
    double* masked = work(answers, 0);
    add_lanes(class_weight_[c], amount, stride_);
    if (!t.gap)
      teach_numbers(c, {t.x.data(), t.row.data(), static_cast<int>(t.x.size())}, amount, class_weight_[0], answers);
    else
      teach_with_gaps(c, amount, answers, masked);
    for (std::size_t m = 0; m < t.value_row.size(); ++m) {
      const auto column = static_cast<std::size_t>(t.value_column[m]);
      const double* a = mask_amount(column, amount, masked);
      add_lanes(count_[static_cast<std::size_t>(t.value_row[m]) + c], a, stride_);
      if (own_weight_[column]) add_lanes(attribute_weight_[column * classes_ + c], a, stride_);
    }
    if (sparse())
      moments_.teach(
          c, sparse_terms(t), {precision_, mean_, spread_}, amount, class_weight_[c],
          [&](std::size_t rank) { return mask_amount(static_cast<std::size_t>(numeric_column_[rank]), amount, masked); },
          work(answers, own_work_rows));
  }

  // Terms whose divisor is the class weight go through the kernel in one call, the others one by one.
  void teach_with_gaps(std::size_t c, const double* amount, Answers& answers, double* masked) {
    auto& t = answers.own<Notes>();
    t.shared_x.clear();
    t.shared_row.clear();
    for (std::size_t m = 0; m < t.x.size(); ++m) {
      if (own_weight_[static_cast<std::size_t>(t.column[m])]) continue;
      t.shared_x.push_back(t.x[m]);
      t.shared_row.push_back(t.row[m]);
    }
    teach_numbers(c, {t.shared_x.data(), t.shared_row.data(), static_cast<int>(t.shared_x.size())}, amount, class_weight_[0], answers);
    for (std::size_t m = 0; m < t.x.size(); ++m) {
      const auto column = static_cast<std::size_t>(t.column[m]);
      if (!own_weight_[column]) continue;
      const double* a = mask_amount(column, amount, masked);
      add_lanes(attribute_weight_[column * classes_ + c], a, stride_);
      teach_numbers(c, {&t.x[m], &t.row[m], 1}, a, attribute_weight_[column * classes_], answers);
    }
  }

  // weight: [class][lane], with this example in it. What the other classes know of these columns does not move, but its divisor may.
  void teach_numbers(std::size_t c, Entries row, const double* amount, const double* weight, Answers& answers) {
    const auto teach_class = [&](std::size_t one, const double* a, const double* n) {
      gaussian_teach(mean_[one], spread_[one], precision_[one], stride_, row, a, n, params_.var_floor,
                     {work(answers, 2), work(answers, 3), work(answers, 4), work(answers, 5)});
    };
    if (!params_.over_all) {
      teach_class(c, amount, weight + c * stride_);
      return;
    }
    double *total = work(answers, 6), *nothing = work(answers, 7);
    std::copy_n(weight, stride_, total);
    std::fill_n(nothing, stride_, 0.0);
    for (std::size_t other = 1; other < classes_; ++other) add_lanes(total, weight + other * stride_, stride_);
    for (std::size_t one = 0; one < classes_; ++one) {
      teach_class(one, one == c ? amount : nothing, total);
      // A class without data has no precision, whatever the others know.
      const double* mine = weight + one * stride_;
      if (std::all_of(mine, mine + n_, [](double w) { return w > 0; })) continue;
      for (int m = 0; m < row.n; ++m) {
        double* precision = precision_[static_cast<std::size_t>(row.index[m]) + one];
        for (std::size_t i = 0; i < stride_; ++i) precision[i] = mine[i] > 0 ? precision[i] : 0.0;
      }
    }
  }

  const double* mask_amount(std::size_t column, const double* amount, double* masked) const {
    if (mask_.rows() == 0) return amount;
    for (std::size_t i = 0; i < stride_; ++i) masked[i] = amount[i] * mask_[column][i];
    return masked;
  }

  ClassJoints class_joints() const { return {class_weight_, classes_, params_.prior_alpha}; }
  void margins(std::size_t k, Answers& answers) const {
    double* h = answers.margin.data();
    if (k > 1) odds_margins(answers.notes.data(), answers.notes.data() + classes_ * stride_, stride_, h);
    class_joints().incomplete_margins(k, h);
  }

  // With q_a = (x - mean)^2 precision of attribute a and r = amount / (n + amount), learning moves the variance v to v' with
  // (1-r) (v + r dev^2) <= v' <= v + r dev^2 and the deviation by (1-r). So the joint gains at most
  // (d r / (1-r) + sum q - (1-r)^2 q / (1 + r q) - log(1 + r q)) / 2: first with all of sum q in one attribute, which is the worst case,
  // then with the terms themselves, of which r q + r q^2 (1 + r/2) is an upper bound.
  bool numeric_gain_below(double limit, std::size_t i, std::size_t y, double amount, const Answers& answers) const {
    const Notes& t = answers.own<Notes>();
    const double r = amount / (class_weight_[y][i] + amount), kept = 1 - r, q = answers.notes[(2 * classes_ + y) * stride_ + i];
    const double sharper = static_cast<double>(t.x.size()) * (r / kept);
    if (0.5 * (sharper + q - kept * kept * q / (1 + r * q)) < limit) return true;
    double squares = 0;
    for (std::size_t a = 0; a < t.x.size(); ++a) {
      const auto cell = static_cast<std::size_t>(t.row[a]) + y;
      const double deviation = t.x[a] - mean_[cell][i], term = deviation * deviation * precision_[cell][i];
      squares += term * term;
    }
    return 0.5 * (sharper + r * q + r * squares * (1 + 0.5 * r)) < limit;
  }

  // log of the product of (c + amount) / c over the attributes' counts, less what the class weight takes back.
  bool nominal_gain_below(double limit, std::size_t i, std::size_t y, double amount, const Answers& answers) const {
    const Notes& t = answers.own<Notes>();
    double gain = 1, above = 1, below = 1;
    for (std::size_t a = 0; a < t.value_row.size(); ++a) {
      const double count = count_[static_cast<std::size_t>(t.value_row[a]) + y][i];
      above *= count + amount;
      below *= count;
      if (a % 4 != 3) continue;
      gain *= above / below;
      above = below = 1;
    }
    gain *= above / below;  // a count of 0 makes it infinite, or not a number: no bound
    if (!(gain < 1e100)) return false;
    const double n = class_weight_[y][i];
    return streamboost::log(gain) - static_cast<double>(t.value_row.size()) * streamboost::log1p(amount / n) < limit;
  }

  // Log joint of class c in one lane had it learned the example with this amount, `added` of it in class c: the same terms, one
  // lane, one class.
  double joint_after(std::size_t i, const Example& example, std::size_t c, double added, double amount, const Notes& notes) const {
    Product product;
    double quadratic = 0;
    const double class_before = class_weight_[c][i];
    const double all_after = params_.over_all ? weight_of_all(class_weight_[0] + i, example.label, amount) : 0.0;
    for_cells(example.row, [&](int j, double value) {
      const auto column = static_cast<std::size_t>(j);
      if (std::isnan(value) || (sparse() && !own_weight_[column] && !tables_.nominal(j))) return;
      const double mine = mask_.rows() == 0 ? added : added * mask_[column][i];
      const double before = own_weight_[column] ? attribute_weight_[column * classes_ + c][i] : class_before;
      const double n = before + mine;
      if (tables_.nominal(j)) {
        if (value < 0) return;
        const double count =
            count_[(tables_.layout.offset[column] + static_cast<std::size_t>(value)) * classes_ + c][i] + mine + params_.alpha;
        const double values = std::max(static_cast<double>(values_known_[column]), value + 1);
        const double total = n + params_.alpha * values;
        if (total > 0) product.multiply(square(count > 0 ? count / total : 1e-30));
        return;
      }
      if (!(n > 0)) return;
      double divisor = params_.over_all ? all_after : n;
      if (params_.over_all && own_weight_[column])
        divisor =
            weight_of_all(attribute_weight_[column * classes_] + i, example.label, mask_.rows() == 0 ? amount : amount * mask_[column][i]);
      const std::size_t cell = tables_.rank[column] * classes_ + c;
      const double x = std::clamp(value, -largest_input, largest_input);
      double mean = mean_[cell][i], precision = precision_[cell][i];
      if (mine > 0 || params_.over_all) {
        const double deviation = x - mean, ratio = mine / divisor;
        mean += deviation * ratio;
        const double spread = spread_[cell][i] + mine * (1 - ratio) * (deviation * deviation);
        precision = std::min(divisor / (spread + params_.var_floor * divisor), 1e30);
      }
      quadratic += (x - mean) * (x - mean) * precision;
      product.multiply(precision);
    });
    const double joint = log_joint(class_before + added, product, quadratic);
    if (!sparse()) return joint;
    return joint + moments_.after(c, i, sparse_terms(notes), moment_tables(), class_before + added, [&](std::size_t rank) {
      const double* looks = mask_of(rank);
      return looks == nullptr ? added : looks[i] > 0 ? added : -1.0;
    });
  }

  // The same where all attributes are numbers and none has gaps.
  double plain_joint_after(std::size_t i, std::size_t c, int label, double amount, const Notes& terms) const {
    const double added = static_cast<int>(c) == label ? amount : 0.0, own = class_weight_[c][i] + added;
    const double n = params_.over_all ? weight_of_all(class_weight_[0] + i, label, amount) : own;
    const double ratio = added / n, kept = added * (1 - ratio), floor = params_.var_floor * n;
    Product product;
    double quadratic = 0;
    for (std::size_t m = 0; m < terms.x.size(); ++m) {
      const std::size_t cell = static_cast<std::size_t>(terms.row[m]) + c;
      const double deviation = terms.x[m] - mean_[cell][i], spread = spread_[cell][i] + kept * (deviation * deviation);
      const double precision = std::min(n / (spread + floor), 1e30), rest = terms.x[m] - (mean_[cell][i] + deviation * ratio);
      quadratic += rest * rest * precision;
      product.multiply(precision);
    }
    return log_joint(own, product, quadratic);
  }

  // A product of positive factors as mantissa and exponent.
  struct Product {
    double mantissa = 1;
    std::int64_t exponent = 0;
    int factors = 0;
    void multiply(double factor) {
      mantissa *= factor;
      if (++factors % 4 != 0) return;
      const auto bits = std::bit_cast<std::uint64_t>(mantissa);
      exponent += static_cast<std::int64_t>(bits >> 52) - 1023;
      mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL);
    }
  };
  double log_joint(double class_weight, const Product& product, double quadratic) const {
    const double prior = std::max(class_weight + params_.prior_alpha, 1e-150);
    return 0.5 * (streamboost::log(product.mantissa) + static_cast<double>(product.exponent) * ln2) + streamboost::log(prior) -
           0.5 * std::min(quadratic, 1e300);
  }
  static double square(double x) { return x * x; }
  // Of one lane, had the label's class learned this amount; weight: [class][lane].
  double weight_of_all(const double* weight, int label, double amount) const {
    double total = 0;
    for (std::size_t c = 0; c < classes_; ++c) total += weight[c * stride_] + (static_cast<int>(c) == label ? amount : 0.0);
    return total;
  }

  std::array<LaneArray<double>*, 6> tables() { return {&class_weight_, &attribute_weight_, &mean_, &spread_, &precision_, &count_}; }

  void make_mask() {
    mask_ = LaneArray<double>(tables_.width, n_);
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane, mask_);
  }
  void draw_mask(std::size_t lane, LaneArray<double>& mask) const {
    const int number = static_cast<int>(lane);
    const auto columns = chosen_columns(params_.feature_fraction, schema_, seed_, lanes_.begin + number, birth(number));
    for (std::size_t j = 0; j < columns.size(); ++j) mask[j][lane] = columns[j] ? 1.0 : 0.0;
  }

  static constexpr double ln2 = 0.693147180559945309417;

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  std::size_t n_, stride_, classes_ = 0, used_ = 0;  // classes: room; used: known to the schema
  Schema schema_;
  Tables tables_;
  LaneArray<double> class_weight_, attribute_weight_, mean_, spread_, precision_, count_;
  LaneArray<double> mask_;  // a function of the seed: not part of the state
  std::vector<std::int64_t> own_weight_, values_known_;
  std::int64_t n_met_ = 0, form_;
  SparseMoments moments_;  // of the sparse form
  std::vector<std::int32_t> numeric_column_, visited_;
};

}  // namespace streamboost
