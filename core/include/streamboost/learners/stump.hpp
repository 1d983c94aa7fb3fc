// Decision stumps: one test on one attribute, one leaf per value of a nominal attribute, two leaves around a numeric cut.
//
// Sources   Iba, Langley: Induction of one-level decision trees (ICML 1992); Oza: Online Ensemble Learning (2001), section 2.3, for the
//           lossless online form on nominal attributes.
//
//   symbol       here                    meaning
//   n[a][v][c]   StumpColumn::count      weight of class c with value v of attribute a, per lane
//   N[c]         class_weight            weight of class c; attribute_weight[a] of the examples that have a, once a had a gap
//   -            gain[a]                 n times the information gain of attribute a, over the examples that have it
//   -            best, threshold         the attribute chosen; where it is cut (numeric; no cut while gain is 0)
//
//   n gain(a) = sum over leaves of (sum_c f(n_c) - f(n)) - (sum_c f(N_c) - f(N)),   f(x) = x log x
//   leaf label: majority; a missing or never seen value: the majority of all examples. Ties: the lower attribute, the lower cut;
//   a gain must be better by more than 1e-10 N, so that rounding (or scaling all weights) decides nothing.
//
// Numeric attributes keep one row of counts per distinct value (numeric = exact), cut midway between neighbouring values of
// the lane; with numeric = bins at most max_bins rows: when there are more, the two neighbours that hold the fewest examples
// become one interval, again and again until three quarters are left. Up to max_bins distinct values the two are the same
// thing; beyond, intervals depend on the order of the stream. All lanes share the values.
//
// Departures  The thesis is silent on numeric attributes. Choosing the attribute happens while learning, so that asking is pure.
// Cost        learn, per lane: columns x (classes + 1) logs, for numeric columns times 2 x distinct values of the lane. Logs
//             of one lane are taken in one vector call. ask: one look-up. Memory: values x classes doubles per lane.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/explained.hpp"
#include "streamboost/learners/stump_column.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

class StumpBank final : public Bank, public LearnsThenAnswers, public Explains, public NeedsRoom, public DrawnAtBirth, public GrowsInPlace {
 public:
  struct Params {
    bool exact;
    std::size_t max_bins;
    double feature_fraction;
    static Params read(const Config& c) {
      return {c.choice<bool>("numeric", {{"bins", false}, {"exact", true}}), c.whole<std::size_t>("max_bins"),
              c.number_or_none("feature_fraction").value_or(1)};
    }
  };

  StumpBank(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params), lanes_(lanes), seed_(seed), n_(static_cast<std::size_t>(lanes.size())), stride_(padded(n_)), best_(1, n_) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<StumpBank>(*this); }
  void count_unsaved(MemoryCounter& counter) const override {
    counter.table(mask_);
    for (const StumpColumn& column : columns_)
      counter.shared((counter.planned ? column.order.size() : column.order.capacity()) * sizeof(std::size_t));
  }
  // With exact=True every value is kept, and there is no telling how many come.
  void count_to_come(MemoryCounter& counter) const override {
    for (const StumpColumn& column : columns_) {
      if (column.nominal || params_.exact) continue;
      const std::size_t more = params_.max_bins + 1 - std::min(params_.max_bins + 1, column.low.size());
      counter.rows<double>(more * classes_, column.count);
      counter.shared(more * 32);
    }
  }
  double least_numbers(const Schema& schema) const override {
    const double k = std::max(schema.n_classes, 1);
    double cells = 1 + 3 * k;
    for (auto values : schema.n_values) cells += k + 2 + (values < 0 ? 0.0 : static_cast<double>(values) * (k + 1));
    return cells;
  }
  Abilities abilities() override { return abilities_of(*this); }
  bool trained(int lane) const override {
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) sum += class_weight_[c][lane];
    return sum > 0;
  }

  void reserve(const Schema& schema) override {
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    const std::size_t k = class_room(schema, classes_), now = schema.n_values.size();
    journal.resize(columns_, now);                  // first: the steps that follow point into it
    journal.resize(gap_, now, n_met_ > 0 ? 1 : 0);  // a column that appears after the first example has gaps by definition
    const auto grow = [&](LaneArray<double>& table, std::size_t rows, bool per_class) {
      const bool there = table.stride() > 0;
      ClassRows{there ? (per_class ? classes_ : 1) : 0, per_class ? k : 1, n_}.grow(table, rows, journal);
    };
    grow(class_weight_, 1, true);
    grow(attribute_weight_, now, true);
    grow(leaf_, 2, true);
    for (std::size_t j = 0; j < now; ++j) {
      StumpColumn& column = columns_[j];
      const bool nominal = schema.n_values[j] >= 0, is_new = column.count.stride() == 0;
      const std::size_t rows = nominal ? static_cast<std::size_t>(schema.n_values[j]) : column.low.size();
      column.nominal = nominal;
      if (!is_new && rows * k == column.count.rows()) continue;
      grow(column.count, rows, true);
      if (nominal) grow(column.term, rows, false);
    }
    grow(gain_, now, false);
    grow(threshold_, now, false);
    journal.assign(classes_, k);
    journal.assign(used_, classes_of(schema));
    journal.assign(schema_, schema);
    if (params_.feature_fraction >= 1) return;
    journal.assign(mask_, LaneArray<double>(columns_.size(), n_));
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane, mask_);
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    answers.change = Change::taught;
    const auto k = static_cast<std::size_t>(example.n_classes);
    for (std::size_t i = 0; i < n_; ++i) answer(i, example.row, k, want, answers);
  }

  // The base is the answer without the one test, which gives its column the rest.
  bool explain(const Example&, const ExplainRequest& question, const double* factor, Answers& answers, Explained& out) const override {
    if (question.shapley || columns_.empty()) return false;
    out.work.resize(classes_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t c = 0; c < classes_; ++c) out.work[c] = class_weight_[c][i];
      const double base = question.of_masses(out.work.data(), 0.0);
      out.base += factor[i] * base;
      out.column[static_cast<std::size_t>(best_[0][i])] += factor[i] * (question.said(answers, i) - base);
    }
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers&) override {
    prepare(example.row);
    for (std::size_t i = 0; i < n_; ++i)
      if (amount[i] > 0) teach(i, example.row, static_cast<std::size_t>(labels.of(static_cast<int>(i))), amount[i]);
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount, Request want, Answers& answers) override {
    const auto i = static_cast<std::size_t>(lane);
    prepare(example.row);
    teach(i, example.row, static_cast<std::size_t>(example.label), amount);
    const std::int32_t vote = answers.vote[i];  // what the lane said before stays readable
    const double margin = answers.margin[i];
    answer(i, example.row, static_cast<std::size_t>(example.n_classes_after), want == Request::distributions ? Request::votes : want,
           answers);
    const Answer after{answers.vote[i], answers.margin[i]};
    answers.vote[i] = vote;
    answers.margin[i] = margin;
    return after;
  }

  // Numbers not met before get rows of counts.
  void expect(const RowBlock& rows, const double* weight) override {
    std::size_t longest = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StumpColumn& column = columns_[j];
      if (column.nominal) continue;
      std::vector<double>& met = work_.cell;
      met.clear();
      for (int r = 0; r < rows.n_rows; ++r) {
        if (weight != nullptr && !(weight[r] > 0)) continue;
        const double x = rows.row(r).cell(static_cast<int>(j));
        if (!std::isnan(x) && !column.holds(x)) met.push_back(x);
      }
      std::sort(met.begin(), met.end());
      auto fresh = static_cast<std::size_t>(std::unique(met.begin(), met.end()) - met.begin());
      if (!params_.exact) fresh = std::min(fresh, params_.max_bins + 1 - column.low.size());
      column.make_room(fresh, classes_);
      longest = std::max(longest, column.low.size() + fresh);
    }
    work_.cell.reserve(2 * (classes_ + 1) * std::max(longest, columns_.size() + 1));
    work_.edge.reserve(2 * longest);
    work_.whole.reserve(columns_.size());
  }

  // What all lanes share moves on whether or not a lane of this block learned the row.
  void finish_example(const Example& example) override {
    prepare(example.row);
    n_met_ += 1;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StumpColumn& column = columns_[j];
      const double x = example.row.value[j];
      if (column.nominal || std::isnan(x)) continue;
      column.seen[column.row_of(x)] += 1;
      if (!params_.exact && column.low.size() > params_.max_bins) merge(j);
    }
  }

  void check() const override {
    require_count(n_met_, "examples met");
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const StumpColumn& column = columns_[j];
      require(gap_[j] == 0 || gap_[j] == 1, "gap flag");
      require(params_.exact || column.low.size() <= params_.max_bins, "more intervals than max_bins");
      for (std::size_t r = 0; r < column.low.size(); ++r) require(column.low[r] <= column.high[r] && column.seen[r] >= 0, "an interval");
      for (std::size_t p = 1; p < column.order.size(); ++p)
        require(column.high[column.order[p - 1]] < column.low[column.order[p]], "overlapping intervals");
      require_counts(column.count);
    }
    for (const auto* table : {&class_weight_, &attribute_weight_, &leaf_}) require_counts(*table);
    for (std::size_t i = 0; i < n_; ++i)
      require(best_[0][i] >= 0 && best_[0][i] < static_cast<double>(std::max<std::size_t>(columns_.size(), 1)) &&
                  best_[0][i] == std::floor(best_[0][i]),
              "chosen attribute");
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    if (mask_.rows() > 0) draw_mask(i, mask_);
    for (auto* table : tables()) table->fill_lane(i, 0);
    for (auto& column : columns_) {
      column.count.fill_lane(i, 0);
      column.term.fill_lane(i, 0);
    }
  }
  // The intervals of numbers are shared by all lanes, and so equal in both banks.
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<StumpBank&>(other);
    const auto i = static_cast<std::size_t>(lane), n = tables().size();
    for (std::size_t t = 0; t < n; ++t) tables()[t]->swap_lane(i, *them.tables()[t]);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      columns_[j].count.swap_lane(i, them.columns_[j].count);
      columns_[j].term.swap_lane(i, them.columns_[j].term);
    }
    mask_.swap_lane(i, them.mask_);
  }
  void draw_again() override {
    if (mask_.rows() > 0) make_mask();
  }

  void fields(FieldVisitor& v) override {
    v("n_met", n_met_);
    v("gap", gap_);
    const ClassFields tables{v, used_, classes_};
    tables("class_weight", class_weight_);
    tables("attribute_weight", attribute_weight_);
    v("gain", gain_);
    v("threshold", threshold_);
    tables("leaf", leaf_);
    v("best", best_);
    if (v.measures()) {  // with every new column: nothing is packed for it
      for (StumpColumn& column : columns_) {
        for (auto* list : {&column.low, &column.high, &column.seen}) v.growing("low", *list);
        v.growing("count", column.count);
        v("term", column.term);
      }
      return;
    }
    PackedStump all = pack(columns_, classes_, used_, n_);
    v("n_rows", all.n_rows);
    v.growing("low", all.low);
    v.growing("high", all.high);
    v.growing("seen", all.seen);
    v.growing("count", all.count);
    v("term", all.term);
    if (v.loads()) unpack(all, classes_, used_, n_, columns_);
  }

 private:
  // Room for one lane's counts on their way through the logarithms.
  struct Work {
    std::vector<double> cell, edge, whole;
  };
  void require_counts(const LaneArray<double>& table) const {
    for (std::size_t r = 0; r < table.rows(); ++r)
      for (std::size_t i = 0; i < n_; ++i) require(table[r][i] >= 0, "negative count");
  }

  static bool absent(const StumpColumn& column, double x) { return std::isnan(x) || (column.nominal && x < 0); }
  bool masked(std::size_t j, std::size_t i) const { return mask_.rows() > 0 && mask_[j][i] == 0; }

  // New values and first gaps, for all lanes at once; called again on the same row it changes nothing.
  void prepare(const Row& row) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StumpColumn& column = columns_[j];
      const double x = row.value[j];
      if (absent(column, x)) {
        if (gap_[j]) continue;
        gap_[j] = 1;  // up to now every example had the attribute
        for (std::size_t c = 0; c < classes_; ++c) std::copy_n(class_weight_[c], stride_, attribute_weight_[j * classes_ + c]);
      } else if (!column.nominal && !column.holds(x)) {
        column.add(x, classes_);
      }
    }
  }

  void merge(std::size_t j) {
    StumpColumn& column = columns_[j];
    while (column.low.size() > std::max<std::size_t>(params_.max_bins * 3 / 4, 2)) column.merge_once(classes_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (masked(j, i) || !trained(static_cast<int>(i))) continue;
      std::vector<double>& in = work_.cell;
      in.clear();
      put(in, [&](std::size_t c) { return (gap_[j] ? attribute_weight_[j * classes_ + c] : class_weight_[c])[i]; });
      x_log_x_lanes(in.data(), in.data(), in.size());
      score_numeric(j, i, impurity(in.data()));
      choose(i);
    }
  }

  // One lane learns one row: counts, then the gains of the attributes that the row has, then the choice.
  void teach(std::size_t i, const Row& row, std::size_t label, double amount) {
    class_weight_[label][i] += amount;
    std::vector<double>& in = work_.cell;
    in.clear();
    put(in, [&](std::size_t c) { return class_weight_[c][i]; });
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StumpColumn& column = columns_[j];
      const double x = row.value[j];
      if (absent(column, x) || masked(j, i)) continue;
      const std::size_t first = (column.nominal ? static_cast<std::size_t>(x) : column.row_of(x)) * classes_;
      column.count[first + label][i] += amount;
      if (column.nominal) put(in, [&](std::size_t c) { return column.count[first + c][i]; });
      if (!gap_[j]) continue;
      attribute_weight_[j * classes_ + label][i] += amount;
      put(in, [&](std::size_t c) { return attribute_weight_[j * classes_ + c][i]; });
    }
    x_log_x_lanes(in.data(), in.data(), in.size());
    const double* at = in.data();
    const double all = impurity(at);
    at += classes_ + 1;
    work_.whole.clear();  // impurity of all examples that have the attribute, for the numeric columns below
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StumpColumn& column = columns_[j];
      const double x = row.value[j];
      if (absent(column, x) || masked(j, i)) continue;
      if (column.nominal) {
        column.term[static_cast<std::size_t>(x)][i] = impurity(at);
        at += classes_ + 1;
      }
      double whole = all;
      if (gap_[j]) {
        whole = impurity(at);
        at += classes_ + 1;
      }
      if (!column.nominal) {
        work_.whole.push_back(whole);
        continue;
      }
      double split = 0;
      for (std::size_t v = 0; v < column.term.rows(); ++v) split += column.term[v][i];
      gain_[j][i] = split - whole;
    }
    std::size_t next = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (!columns_[j].nominal && !std::isnan(row.value[j]) && !masked(j, i)) score_numeric(j, i, work_.whole[next++]);
    choose(i);
  }

  // Counts of all classes and their sum, behind each other.
  template <class Count>
  void put(std::vector<double>& in, Count count) const {
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      in.push_back(count(c));
      sum += in.back();
    }
    in.push_back(sum);
  }
  // sum_c f(n_c) - f(n), from what `put` wrote and x_log_x_lanes turned into f.
  double impurity(const double* f) const {
    double sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) sum += f[c];
    return sum - f[classes_];
  }

  // Every cut between two neighbouring values of the lane.
  void score_numeric(std::size_t j, std::size_t i, double whole) {
    const StumpColumn& column = columns_[j];
    const std::size_t width = 2 * (classes_ + 1);
    std::vector<double>&cell = work_.cell, &edge = work_.edge;  // counts of both sides of each cut; the two values around it
    cell.clear();
    edge.clear();
    bool any = false;
    for (std::size_t r : column.order) {
      double here = 0;
      for (std::size_t c = 0; c < classes_; ++c) here += column.count[r * classes_ + c][i];
      if (!(here > 0)) continue;
      if (any) edge.push_back(column.low[r]);
      any = true;
      edge.push_back(column.high[r]);
      const std::size_t at = cell.size();
      cell.resize(at + width);
      double sum = 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        cell[at + c] = column.count[r * classes_ + c][i] + (at > 0 ? cell[at - width + c] : 0.0);
        sum += cell[at + c];
      }
      cell[at + classes_] = sum;
    }
    gain_[j][i] = 0;
    if (cell.size() <= width) return;
    const std::size_t cuts = cell.size() / width - 1;
    for (std::size_t p = 0; p < cuts; ++p) {
      double sum = 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        const double right = std::max(cell[cuts * width + c] - cell[p * width + c], 0.0);
        cell[p * width + classes_ + 1 + c] = right;
        sum += right;
      }
      cell[p * width + 2 * classes_ + 1] = sum;
    }
    const double slack = tolerance * cell[cuts * width + classes_];
    x_log_x_lanes(cell.data(), cell.data(), cuts * width);
    for (std::size_t p = 0; p < cuts; ++p) {
      const double gain = impurity(cell.data() + p * width) + impurity(cell.data() + p * width + classes_ + 1) - whole;
      if (!(gain > gain_[j][i] + slack)) continue;
      gain_[j][i] = gain;
      const double left = edge[2 * p], right = edge[2 * p + 1], middle = 0.5 * left + 0.5 * right;
      threshold_[j][i] = middle < right ? std::max(middle, left) : left;  // neighbouring doubles have no middle
    }
  }

  void choose(std::size_t i) {
    double n = 0;
    for (std::size_t c = 0; c < classes_; ++c) n += class_weight_[c][i];
    std::size_t best = 0;
    double highest = -1;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (masked(j, i)) continue;
      if (highest < 0 || gain_[j][i] > highest + tolerance * n) {
        highest = std::max(gain_[j][i], 0.0);
        best = j;
      }
    }
    best_[0][i] = static_cast<double>(best);
    if (columns_.empty() || columns_[best].nominal) return;
    const StumpColumn& column = columns_[best];
    for (std::size_t c = 0; c < 2 * classes_; ++c) leaf_[c][i] = 0;
    for (std::size_t r : column.order) {
      const std::size_t side = column.high[r] <= threshold_[best][i] ? 0 : classes_;
      for (std::size_t c = 0; c < classes_; ++c) leaf_[side + c][i] += column.count[r * classes_ + c][i];
    }
  }

  void answer(std::size_t i, const Row& row, std::size_t k, Request want, Answers& answers) const {
    const auto best = static_cast<std::size_t>(best_[0][i]);
    const LaneArray<double>* source = &class_weight_;
    std::size_t first = 0;
    if (!columns_.empty() && !std::isnan(row.value[best])) {
      const StumpColumn& column = columns_[best];
      const double x = row.value[best];
      if (column.nominal && x >= 0 && x < static_cast<double>(column.term.rows())) {
        source = &column.count;
        first = static_cast<std::size_t>(x) * classes_;
      } else if (!column.nominal && gain_[best][i] > 0) {
        source = &leaf_;
        first = x <= threshold_[best][i] ? 0 : classes_;
      }
    }
    double sum = 0;
    for (std::size_t c = 0; c < k; ++c) sum += (*source)[first + c][i];
    if (!(sum > 0) && source != &class_weight_) {  // nothing is known about this value
      source = &class_weight_;
      first = 0;
      for (std::size_t c = 0; c < k; ++c) sum += class_weight_[c][i];
    }
    std::int32_t vote = -1;
    double highest = 0, pair[2] = {0, 0};
    for (std::size_t c = 0; c < k; ++c) {
      const double w = (*source)[first + c][i];
      if (c < 2) pair[c] = w;
      if (w > highest) {
        highest = w;
        vote = static_cast<std::int32_t>(c);
      }
      if (want == Request::distributions) answers.distribution[c * answers.stride + i] = sum > 0 ? w / sum : 0.0;
    }
    answers.vote[i] = vote;
    answers.margin[i] = sum > 0 ? (pair[1] - pair[0]) / sum : 0.0;
  }

  std::array<LaneArray<double>*, 6> tables() { return {&class_weight_, &attribute_weight_, &gain_, &threshold_, &leaf_, &best_}; }

  void make_mask() {
    mask_ = LaneArray<double>(columns_.size(), n_);
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane, mask_);
  }
  void draw_mask(std::size_t lane, LaneArray<double>& mask) const {
    const int number = static_cast<int>(lane);
    const auto columns = chosen_columns(params_.feature_fraction, schema_, seed_, lanes_.begin + number, birth(number));
    for (std::size_t j = 0; j < columns.size(); ++j) mask[j][lane] = columns[j] ? 1.0 : 0.0;
  }

  static constexpr double tolerance = 1e-10;

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  std::size_t n_, stride_, classes_ = 0, used_ = 0;  // classes: room; used: known to the schema
  Schema schema_;
  std::int64_t n_met_ = 0;
  std::vector<std::int64_t> gap_;
  std::vector<StumpColumn> columns_;
  LaneArray<double> class_weight_, attribute_weight_, gain_, threshold_, leaf_, best_;
  LaneArray<double> mask_;  // a function of the seed: not part of the state
  Work work_;
};

}  // namespace streamboost
