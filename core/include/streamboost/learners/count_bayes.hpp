// Naive Bayes for counts, such as the words of a text: multinomial, complement and Bernoulli. Work follows what is not zero.
//
// Sources   McCallum, Nigam: A comparison of event models for naive Bayes text classification (AAAI-98 workshop);
//           Rennie, Shih, Teevan, Karger: Tackling the poor assumptions of naive Bayes text classifiers (ICML 2003), section 3.1.
//
//   symbol    here              meaning
//   N_c       class_weight[c]   weight of the examples of class c
//   N_cj      count[j][c]       sum of weight times x_j; Bernoulli: weight of the examples with x_j not 0
//   N_c.      total[c]          sum of N_cj over the columns
//   d         columns that the lane looks at
//
//   log joint(c) = log(N_c + a) +
//       multinomial   sum_j x_j log (N_cj + alpha) / (N_c. + alpha d)
//       complement    - sum_j x_j log (O_cj + alpha) / (O_c. + alpha d),  O_cj = sum of N_c'j over the other classes with data
//       Bernoulli     sum_j log p_cj [x_j not 0] + log(1 - p_cj) [x_j = 0],  p_cj = (N_cj + alpha) / (N_c + 2 alpha)
//   A probability of 0 becomes 1e-30; a class (or its complement) without any count says nothing.
//   Bernoulli: with n = N_c + alpha, 1 - p_cj = (1 - N_cj / n) n / (n + alpha): zero_score.hpp keeps the sum of the first logarithms.
//
// Departures  A missing count is 0: a word that a dict leaves out is not there. The complement keeps the class prior of the paper's
//             equation for it, which others drop.
// Cost        ask O(nonzeros x classes) logarithms in lanes (complement: x classes^2 additions), teach O(nonzeros).
#pragma once
#include <algorithm>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/class_joints.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/learners/zero_score.hpp"
#include "streamboost/learners/zero_score_kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/product.hpp"

namespace streamboost {

struct CountNotes final : BankNotes {
  std::vector<double> x;
  std::vector<std::int32_t> column;
  explicit CountNotes(std::size_t width) {
    x.reserve(width);
    column.reserve(width);
  }
  SparseTerms terms() const { return {x.data(), column.data(), static_cast<int>(x.size())}; }
};

class CountBayesBank final : public Bank, public AnswersAfter, public AnswersLogOdds, public DrawnAtBirth, public GrowsInPlace {
 public:
  enum class Counts { multinomial, complement, bernoulli };
  struct Params {
    Counts counts;
    double alpha, prior_alpha, feature_fraction;
    static Params read(const Config& c) {
      return {c.choice<Counts>(
                  "counts", {{"multinomial", Counts::multinomial}, {"complement", Counts::complement}, {"bernoulli", Counts::bernoulli}}),
              c.number("alpha"), c.number("prior_alpha"), c.number_or_none("feature_fraction").value_or(1)};
    }
  };

  CountBayesBank(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params), lanes_(lanes), seed_(seed), n_(static_cast<std::size_t>(lanes.size())), stride_(padded(n_)), zero_(1.0, 1.0) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {.dense = false}; }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override { return {classes_ + work_rows, std::make_unique<CountNotes>(width_)}; }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<CountBayesBank>(*this); }
  void count_unsaved(MemoryCounter& counter) const override { counter.table(mask_); }
  double least_numbers(const Schema& schema) const override {
    return (2.0 + static_cast<double>(schema.width())) * std::max(schema.n_classes, 1);
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
    for (int j = 0; j < schema.width(); ++j)
      if (schema.nominal(j)) throw std::invalid_argument("counts need numeric columns, and column " + std::to_string(j) + " is nominal");
    const std::size_t k = class_room(schema, classes_), width = static_cast<std::size_t>(schema.width());
    const ClassRows classes{classes_, k, n_};
    classes.grow(class_weight_, 1, journal);
    classes.grow(total_, 1, journal);
    classes.grow(count_, width, journal);
    const bool same = k == classes_ && width == width_;
    journal.assign(classes_, k);
    journal.assign(used_, classes_of(schema));
    journal.assign(width_, width);
    journal.assign(schema_, schema);
    if (bernoulli() && !same) {
      journal.assign(zero_, zero_);
      zero_.reserve(width_, classes_, n_);
    }
    journal.assign(seen_, LaneArray<double>(1, n_, static_cast<double>(width_)));
    journal.assign(all_, LaneArray<double>(1, n_, 1.0));
    if (params_.feature_fraction >= 1) return;
    journal.assign(mask_, LaneArray<double>(width_, n_));
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane);
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    joints(example, answers);
    const auto k = static_cast<std::size_t>(example.n_classes);
    if (want == Request::margins)
      class_joints().margins(k, answers);
    else if (want == Request::votes)
      class_joints().votes(k, answers, work(answers, 0));
    else
      class_joints().distributions(k, answers, work(answers, 0));
  }
  void log_odds(const Example& example, double limit, Answers& answers) const override {
    joints(example, answers);
    class_joints().log_odds(limit, answers);
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    list_terms(example.row, answers);
    class_joints().by_label(labels, amount, work(answers, 1), [&](std::size_t c, const double* own) { teach(c, own, answers); });
  }

  void finish_example(const Example&) override {
    n_met_ += 1;
    if (bernoulli()) zero_.on_schedule(n_met_, class_weight_, params_.alpha, {count_[0], nullptr, nullptr});
  }

  void after_begin(const Example&, Answers& answers) const override { answers.change = Change::taught; }

  Answer after(int lane, const Example& example, double amount, Amount, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    const SparseTerms row = answers.own<CountNotes>().terms();
    const int k = example.n_classes_after;
    int best = -1;
    double highest = 0, score[2] = {0, 0};
    for (int c = 0; c < k; ++c) {
      const auto one = static_cast<std::size_t>(c);
      const double added = c == example.label ? amount : 0.0;
      if (class_weight_[one][i] + added <= 0) continue;
      const double joint = added > 0 || params_.counts == Counts::complement || c >= example.n_classes
                               ? joint_after(i, one, row, static_cast<std::size_t>(example.label), amount)
                               : answers.notes[one * stride_ + i];
      if (c < 2) score[c] = joint;
      if (best < 0 || joint > highest) {
        highest = joint;
        best = c;
      }
    }
    return {best, k <= 2 ? class_joints().margin_after(i, example.label, amount, score) : 0.0};
  }

  void check() const override {
    require_count(n_met_, "examples met");
    for (const auto* table : {&class_weight_, &total_, &count_})
      for (std::size_t r = 0; r < table->rows(); ++r)
        for (std::size_t i = 0; i < n_; ++i) require((*table)[r][i] >= 0, "negative count");
    if (bernoulli()) zero_.check();
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    if (mask_.rows() > 0) draw_mask(i);
    for (auto* table : {&class_weight_, &total_, &count_}) table->fill_lane(i, 0);
    if (!bernoulli()) return;
    zero_.clear_lane(i);
    recount();
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<CountBayesBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    class_weight_.swap_lane(i, them.class_weight_);
    total_.swap_lane(i, them.total_);
    count_.swap_lane(i, them.count_);
    mask_.swap_lane(i, them.mask_);
    seen_.swap_lane(i, them.seen_);
    if (!bernoulli()) return;
    zero_.swap_lane(i, them.zero_);
    recount();
    them.recount();
  }
  void draw_again() override {
    if (mask_.rows() > 0)
      for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane);
  }
  void fields(FieldVisitor& v) override {
    const ClassFields tables{v, used_, classes_};
    tables("class_weight", class_weight_);
    tables("total", total_);
    tables("count", count_);
    v("n_met", n_met_);
    if (!bernoulli()) return;
    zero_.fields(v, used_);
    if (v.loads()) recount();
  }

 private:
  static constexpr std::size_t own_work_rows = 4, work_rows = own_work_rows + ZeroScore::work_rows;
  static constexpr double least = 1e-30;  // probability
  static constexpr double largest_input = 1e37;

  bool bernoulli() const { return params_.counts == Counts::bernoulli; }
  ClassJoints class_joints() const { return {class_weight_, classes_, params_.prior_alpha}; }
  double* work(Answers& answers, std::size_t row) const { return answers.notes.data() + (classes_ + row) * stride_; }
  void recount() {
    zero_.recount(n_met_, count_, [](std::size_t) { return true; });
  }

  void draw_mask(std::size_t lane) {
    const int number = static_cast<int>(lane);
    const auto columns = chosen_columns(params_.feature_fraction, schema_, seed_, lanes_.begin + number, birth(number));
    double seen = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) seen += mask_[j][lane] = columns[j] ? 1.0 : 0.0;
    seen_[0][lane] = seen;
  }

  void list_terms(const Row& row, Answers& answers) const {
    auto& t = answers.own<CountNotes>();
    t.x.clear();
    t.column.clear();
    for (int m = 0; m < row.size; ++m) {
      if (!(row.value[m] > 0)) continue;
      t.x.push_back(std::min(row.value[m], largest_input));
      t.column.push_back(row.column(m));
    }
  }

  // Log joints into the notes [class][lane].
  void joints(const Example& example, Answers& answers) const {
    list_terms(example.row, answers);
    const SparseTerms row = answers.own<CountNotes>().terms();
    for (std::size_t c = 0; c < static_cast<std::size_t>(example.n_classes); ++c) {
      double* out = answers.notes.data() + c * stride_;
      for (std::size_t i = 0; i < stride_; ++i) out[i] = std::max(class_weight_[c][i] + params_.prior_alpha, 1e-150);
      log_lanes(out, out, stride_);
      if (bernoulli())
        add_presence(c, row, answers, out);
      else
        add_counts(c, row, answers, out);
    }
    answers.change = Change::taught;
  }

  void add_counts(std::size_t c, const SparseTerms& row, Answers& answers, double* out) const {
    double *total = work(answers, 0), *sum = work(answers, 2), *count = work(answers, 3), *share = work(answers, own_work_rows);
    gather(total_[0], c, total);
    for (std::size_t i = 0; i < stride_; ++i) total[i] += params_.alpha * seen_[0][i];
    std::fill_n(sum, stride_, 0.0);
    for (int m = 0; m < row.n; ++m) {
      const auto column = static_cast<std::size_t>(row.column[m]);
      gather(count_[column * classes_], c, count);
      count_ask(count, total, params_.alpha, least, row.x[m], mask_of(column), share, sum, stride_);
    }
    const double sign = params_.counts == Counts::complement ? -1.0 : 1.0;
    for (std::size_t i = 0; i < stride_; ++i) out[i] += sign * sum[i];
  }
  // What class c goes by, of a table [class][lane]: its own row, or the sum of the others.
  void gather(const double* table, std::size_t c, double* out) const {
    if (params_.counts != Counts::complement) {
      std::copy_n(table + c * stride_, stride_, out);
      return;
    }
    std::fill_n(out, stride_, 0.0);
    for (std::size_t other = 0; other < classes_; ++other)
      if (other != c) add_lanes(out, table + other * stride_, stride_);
  }

  void add_presence(std::size_t c, const SparseTerms& row, Answers& answers, double* out) const {
    const std::size_t lanes = zero_.live();
    double *n = work(answers, 0), *score = work(answers, 2), *first = work(answers, own_work_rows);
    for (std::size_t i = 0; i < lanes; ++i) n[i] = class_weight_[c][i] + params_.alpha;
    zero_score_ask(zero_.score(c), zero_.pitch(), zero_.from(c), n, score, lanes);
    const NodeSums sums{first, first + lanes, first + 2 * lanes};
    std::fill_n(sums.mantissa, lanes, 1.0);
    std::fill_n(sums.exponent, 2 * lanes, 0.0);
    zero_.walk(zero_.heavy(), row, [&](std::size_t column, double x) {
      presence_ask(count_[column * classes_ + c], n, zero_.from(c), params_.alpha, least, x != 0, mask_of(column), sums, lanes);
    });
    heavy_score_add(sums, 1.0, score, lanes);
    for (std::size_t i = 0; i < lanes; ++i)  // (n / (n + alpha))^d
      out[i] += score[i] - (n[i] > 0 ? seen_[0][i] * streamboost::log1p(params_.alpha / n[i]) : 0.0);
  }

  void teach(std::size_t c, const double* amount, Answers& answers) {
    if (std::none_of(amount, amount + n_, [](double a) { return a > 0; })) return;
    const SparseTerms row = answers.own<CountNotes>().terms();
    double* masked = work(answers, 0);
    double* first = work(answers, own_work_rows);
    add_lanes(class_weight_[c], amount, stride_);
    if (bernoulli()) zero_.begin_lesson(c, first);
    for (int m = 0; m < row.n; ++m) {
      const auto column = static_cast<std::size_t>(row.column[m]);
      double* count = count_[column * classes_ + c];
      for (std::size_t i = 0; i < stride_; ++i)
        masked[i] = amount[i] * (bernoulli() ? 1.0 : row.x[m]) * (mask_.rows() == 0 ? 1.0 : mask_[column][i]);
      add_lanes(total_[c], masked, stride_);
      if (bernoulli()) {
        presence_teach(count, masked, zero_.from(c), zero_.change(first), zero_.live());
        zero_.move(column, first);
      } else {
        add_lanes(count, masked, stride_);
      }
    }
    if (!bernoulli()) return;
    zero_.end_lesson(c, first);
    for (std::size_t i = 0; i < n_; ++i) {
      const double n = class_weight_[c][i] + params_.alpha;
      if (amount[i] > 0 && !zero_.inside(c, i, n)) zero_.afresh(c, i, n, {count_[c], nullptr, nullptr}, classes_ * stride_);
    }
  }

  // Log joint of class c in one lane had it learned the row as one of class `label`.
  double joint_after(std::size_t i, std::size_t c, const SparseTerms& row, std::size_t label, double amount) const {
    const double prior = streamboost::log(std::max(class_weight_[c][i] + (c == label ? amount : 0.0) + params_.prior_alpha, 1e-150));
    if (bernoulli()) return prior + presence_after(i, c, row, c == label ? amount : 0.0);
    const bool complement = params_.counts == Counts::complement, moves = complement != (c == label);
    const double a = moves ? amount : 0.0;
    double total = of_lane(total_[0], c, i) + params_.alpha * seen_[0][i], sum = 0;
    for (int m = 0; m < row.n; ++m) total += a * row.x[m] * looks(i, row.column[m]);
    for (int m = 0; m < row.n; ++m) {
      if (looks(i, row.column[m]) == 0 || !(total > 0)) continue;
      const double count = of_lane(count_[static_cast<std::size_t>(row.column[m]) * classes_], c, i) + a * row.x[m] + params_.alpha;
      sum += row.x[m] * streamboost::log(std::max(count / total, least));
    }
    return prior + (complement ? -sum : sum);
  }
  double of_lane(const double* table, std::size_t c, std::size_t i) const {
    if (params_.counts != Counts::complement) return table[c * stride_ + i];
    double sum = 0;
    for (std::size_t other = 0; other < classes_; ++other) sum += other == c ? 0.0 : table[other * stride_ + i];
    return sum;
  }
  const double* mask_of(std::size_t column) const { return mask_.rows() == 0 ? all_[0] : mask_[column]; }
  double looks(std::size_t i, std::int32_t column) const { return mask_.rows() == 0 ? 1.0 : mask_[static_cast<std::size_t>(column)][i]; }

  double presence_after(std::size_t i, std::size_t c, const SparseTerms& row, double added) const {
    const double n = class_weight_[c][i] + added + params_.alpha;
    const bool inside = zero_.inside(c, i, n);
    double mantissa = 1, exponent = 0;
    const auto times = [&](double probability) {
      mantissa *= std::max(probability, least);
      renormalise(mantissa, exponent);
    };
    zero_.walk(inside ? zero_.heavy() : zero_.met(), row, [&](std::size_t column, double x) {
      const double w = count_[column * classes_ + c][i];
      const bool light = inside && !zero_.is_heavy(c, i, w);
      if (looks(i, static_cast<std::int32_t>(column)) == 0 || (light && x == 0)) return;
      if (light) mantissa /= 1 - w / n;
      times((x != 0 ? w + added + params_.alpha : n - w) / n);
    });
    return streamboost::log(mantissa) + exponent * 0.693147180559945309417 - seen_[0][i] * streamboost::log1p(params_.alpha / n) +
           (inside ? zero_score_of(zero_.score(c) + i, zero_.pitch(), zero_.from(c)[i], n) : 0.0);
  }

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  std::size_t n_, stride_, classes_ = 0, used_ = 0, width_ = 0;  // classes: room; used: known to the schema
  Schema schema_;
  LaneArray<double> class_weight_, total_, count_;
  LaneArray<double> mask_, seen_, all_;  // functions of the seed: not part of the state. seen: columns that a lane looks at; all: ones
  ZeroScore zero_;                       // Bernoulli
  std::int64_t n_met_ = 0;
};

}  // namespace streamboost
