// Logistic regression that needs no tuning: rates per column from the rows (run/column_rates.hpp), one scalar per lane, steps that
// a weight cannot make jump over the target.
//
// Papers    Karampatziakis, Langford: Online importance weight aware updates (2011); Ross, Mineiro, Langford: Normalized online
//           learning (2013); Duchi, Hazan, Singer: Adaptive subgradient methods (2011).
//
//   t, u, Q, n   row.value, row.teach, row.squared_norm, row.n_rows     the row, rates times row, their product, rows so far
//   z_i          notes                 sum_j W_ji t_j;  h = 2 sigmoid(z) - 1, vote = sign(z)
//   B_i          squares_              sum of w g^2, g = sigmoid(-y z) the slope of the loss
//   kappa_i      pace_                 2^(rate_spread o), o = 0, 1, -1, 2, -2 for lanes 0, 1, 2, 3, 4 and again
//   S            pull, drag            w Q kappa sqrt(v n / B),  v = 0.1;  k copies: w = k;  S g = pull / drag
//   D            flow (math/flow.hpp)  how far S moves the margin;  W_j += (y D / Q) u_j, so that z moves by y D
//
//   More than two classes: one column of weights per class, p = softmax(z); column c takes the step of the margin
//   y_c (z_c - ln of the sum of e^z of the others), y_c = +1 for the label's column, -1 else.
//
// Choices     Two classes have one column. When a third label is met it becomes the pair (-W/2, +W/2), which answers the same, each
//             with its B; a new label's column starts at 0. The rates belong to the rows and not to the lanes: a table of squared
//             slopes per weight and lane is as accurate and costs ten times as much.
// Cost        two passes over the weights of the row's nonzeros; per lane one exponential, a root and four divisions.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "streamboost/learners/linear_table.hpp"
#include "streamboost/learners/logistic_kernels.hpp"
#include "streamboost/math/flow.hpp"

namespace streamboost {

struct LogisticParams : LinearTableParams {
  double rate_spread;
  static LogisticParams read(const Config& c) {
    LogisticParams p{};
    p.read_table(c);
    p.needs.scale = c.choice<Scale>(
        "scale", {{"auto", Scale::automatic}, {"none", Scale::none}, {"maxabs", Scale::maxabs}, {"standard", Scale::standard}});
    p.needs.clip = c.number_or_none("clip").value_or(std::numeric_limits<double>::infinity());
    p.needs.unit_ball = false;
    p.needs.rates = true;
    p.needs.rate = c.number("learning_rate");
    p.rate_spread = c.number("learning_rate_spread");
    return p;
  }
};

template <class Real>
class LogisticBank final : public LinearTable<Real>, public AnswersAfter, public AnswersLogOdds, public Explains {
 public:
  using Params = LogisticParams;

  LogisticBank(const Params& params, Lanes lanes, int n_estimators, std::uint64_t seed)
      : LinearTable<Real>(params, lanes, n_estimators, seed, padded_unless_alone(static_cast<std::size_t>(lanes.size()))),
        pace_(rate_paces(params.rate_spread, lanes)),
        squares_(1, n_) {}

  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override { return {4 * columns_ + 2, std::make_unique<Kept>()}; }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<LogisticBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    const double columns = schema.n_classes > 2 ? schema.n_classes : 1;
    return this->weights_of(schema, columns) + columns + 1;
  }

  // Columns for labels that the next rows may bring are made here; they take part when they are met.
  void reserve(const Schema& schema) override {
    Journal unread;
    if (!make_room(schema, unread)) return;
    if (schema.declared && columns_ > 1) split_ = 1;
    for (std::size_t lane = 0; lane < n_; ++lane) begin(static_cast<int>(lane));
  }
  void grow(const Schema& schema, Journal& journal) override { make_room(schema, journal); }

  void ask(const Example& example, Request want, Answers& answers) const override {
    answers.change = Change::right_stays_right;
    score(example, answers);
    if (split_)
      answer_many(static_cast<std::size_t>(example.n_classes), want, answers);
    else
      answer_two(want, answers);
  }

  void log_odds(const Example& example, double limit, Answers& answers) const override {
    score(example, answers);
    for (std::size_t i = 0; i < stride_; ++i) answers.margin[i] = std::min(std::max(answers.notes[i], -limit), limit);
  }

  bool explain(const Example& example, const ExplainRequest& question, const double* factor, Answers& answers,
               Explained& out) const override {
    if (question.shapley) return false;
    if (!split_) {
      this->explain_pair(example, question, factor, answers, nullptr, [](std::size_t, double z) { return tanh(0.5 * z); }, out);
      return true;
    }
    Chords chords(question);
    const std::vector<char> live(columns_, 1);
    std::vector<double> slope(cells(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (trained_[0][i] == 0) {
        out.base += factor[i] * question.said(answers, i);
        continue;
      }
      const auto start = [&](int c) { return this->intercept_part(example.row, static_cast<std::size_t>(c), i); };
      const auto end = [&](int c) { return answers.notes[static_cast<std::size_t>(c) * stride_ + i]; };
      out.base += factor[i] * chords.draw(start, end, live.data(), 1.0);
      for (int c = 0; c < question.n_classes; ++c) slope[static_cast<std::size_t>(c) * stride_ + i] = factor[i] * chords.slope(c);
    }
    this->explain_columns(example.row, slope, out);
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount, Answers& answers) override {
    if (!split_ && example.n_classes_after > 2) {
      if (!answers.own<Kept>().halved) halve_notes(answers);
      split();
    }
    const Notes n = notes(answers);
    const Entries lesson{example.row.teach, example.row.index, example.row.size};
    const std::size_t k = split_ ? static_cast<std::size_t>(example.n_classes_after) : 1;
    if (split_) powers(k, answers);
    std::fill_n(n.product, mask_.rows() == 0 && labels.per_lane == nullptr ? 1 : stride_, example.row.squared_norm);
    if (mask_.rows() > 0) linear_masked_norm(mask_[0], stride_, entries(example.row), lesson.x, n.product);
    if (!split_) {
      const bool known = answers.own<Kept>().powers;
      logistic_margin_steps(n.z, known ? n.power : nullptr, known ? n.large : nullptr, lanes_of(n, 0, labels, amount, example), n.step,
                            stride_);
    } else {
      for (std::size_t c = 0; c < k; ++c) {
        const std::size_t at = c * stride_;
        logistic_odds_steps(n.power + at, n.others + at, lanes_of(n, c, labels, amount, example), n.step + at, stride_);
      }
    }
    std::fill(n.step + k * stride_, n.step + cells(), 0.0);
    this->teach(lesson, n.step);
  }

  void finish_example(const Example& example) override {
    if (!split_ && example.n_classes_after > 2) split();
  }

  void after_begin(const Example& example, Answers& answers) const override {
    if (example.n_classes_after <= 2) return;
    if (!split_) {
      halve_notes(answers);
      answers.own<Kept>().halved = true;
    }
    powers(static_cast<std::size_t>(example.n_classes_after), answers);
  }

  Answer after(int lane, const Example& example, double amount, Amount, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    const double product = mask_.rows() == 0 ? example.row.squared_norm : this->masked_product(example.row, example.row.teach, i);
    const double* z = answers.notes.data() + i;
    if (example.n_classes_after <= 2) {
      const double y = example.label == 1 ? 1.0 : -1.0;
      const double power = power_of_score(*z);
      const Slopes slopes = slopes_of_power(power, 1.0 / (1.0 + power), y * *z > 0);
      const double moved = *z + y * move(0, i, amount, product, example.row.n_rows, slopes);
      return {moved > 0 ? 1 : 0, logistic_margin(moved, power_of_score(moved))};
    }
    const double *power = z + 2 * cells(), *others = z + 3 * cells();
    Answer answer;
    double best = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(example.n_classes_after); ++c) {
      const std::size_t at = c * stride_;
      const double y = static_cast<std::size_t>(example.label) == c ? 1.0 : -1.0;
      const double moved = z[at] + y * move(c, i, amount, product, example.row.n_rows, slopes_of_odds(y, power[at], others[at]));
      if (answer.label >= 0 && !(moved > best)) continue;
      best = moved;
      answer.label = static_cast<int>(c);
    }
    return answer;
  }

  void check() const override {
    this->check_trained();
    require(split_ == 0 || (split_ == 1 && columns_ > 1), "split flag");
    for (std::size_t c = 0; c < squares_.rows(); ++c)
      for (std::size_t i = 0; i < n_; ++i) require(squares_[c][i] >= 0, "sum of squared slopes");
  }

 protected:
  void begin(int lane) override {
    this->start(static_cast<std::size_t>(lane), split_ && schema_.declared ? columns_ : 1);
    squares_.fill_lane(static_cast<std::size_t>(lane), 0);
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<LogisticBank&>(other);
    this->exchange_table(static_cast<std::size_t>(lane), them);
    squares_.swap_lane(static_cast<std::size_t>(lane), them.squares_);
  }
  void fields(FieldVisitor& v) override {
    const ClassFields tables{v, columns_for(schema_, classes_of(schema_)), std::max<std::size_t>(columns_, 1)};
    tables("weights", weights_);
    v("trained", trained_);
    tables("squares", squares_);
    v("split", split_);
  }

 private:
  bool make_room(const Schema& schema, Journal& journal) {
    const bool made = this->grow_table(schema, columns_for(schema, class_room(schema, columns_)), journal);
    journal.grow(squares_, std::max(columns_, squares_.rows()));
    return made;
  }
  static std::size_t columns_for(const Schema& schema, std::size_t classes) { return schema.n_classes > 2 ? classes : 1; }
  struct Kept final : BankNotes {
    bool halved = false;  // the scores are already those of the pair that one column will become
    bool powers = false;  // there are e^-|z| of the scores, and 1 / (1 + e^-|z|)
  };
  // What the table has, by the names used here.
  using Base = LinearTable<Real>;
  using Base::cells, Base::entries, Base::columns_, Base::mask_, Base::n_, Base::schema_, Base::stride_, Base::trained_, Base::weights_;

  struct Notes {
    double *z, *step, *power, *others;  // [column][lane]
    double* large;                      // of two classes, which have no others
    double *y, *product;                // [lane]
  };
  Notes notes(Answers& answers) const {
    double* z = answers.notes.data();
    const std::size_t table = cells();
    return {z, z + table, z + 2 * table, z + 3 * table, z + 3 * table, z + 4 * table, z + 4 * table + stride_};
  }
  // Writes the targets of the column.
  LogisticLanes lanes_of(const Notes& n, std::size_t column, Labels labels, const double* amount, const Example& example) {
    const bool alike = mask_.rows() == 0 && labels.per_lane == nullptr;
    const int positive = split_ ? static_cast<int>(column) : 1;
    if (alike)
      *n.y = labels.common == positive ? 1.0 : -1.0;
    else
      this->targets(labels, positive, n.y);
    return {n.y, n.product, alike, amount, pace_[0], 1.0 / (usual_squared_slope * example.row.n_rows), squares_[column], trained_[0]};
  }

  void score(const Example& example, Answers& answers) const {
    answers.own<Kept>() = Kept();
    linear_ask(weights_[0], cells(), entries(example.row), answers.notes.data());
  }

  void answer_two(Request want, Answers& answers) const {
    const double *z = answers.notes.data(), *trained = trained_[0];
    if (want != Request::margins) sign_votes(z, trained, answers.vote.data(), n_);
    if (want == Request::votes) return;
    const Notes n = notes(answers);
    answers.own<Kept>().powers = true;
    if (want == Request::margins) return logistic_margins(z, n.power, n.large, answers.margin.data(), stride_);
    double *p0 = answers.distribution.data(), *p1 = p0 + answers.stride;
    logistic_pair(z, n.power, n.large, p0, p1, stride_);
    for (std::size_t i = 0; i < stride_; ++i) {
      p0[i] *= trained[i];
      p1[i] *= trained[i];
    }
  }

  void answer_many(std::size_t k, Request want, Answers& answers) const {
    if (want == Request::margins) throw std::logic_error("margins of more than two classes");
    const Notes n = notes(answers);
    const double* trained = trained_[0];
    softmax_votes(n.z, k, stride_, answers.vote.data(), n.product);
    for (std::size_t i = 0; i < stride_; ++i) answers.vote[i] = trained[i] == 0 ? -1 : answers.vote[i];
    if (want == Request::votes) return;
    softmax_powers(n.z, k, stride_, n.power, n.product);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t i = 0; i < stride_; ++i)
        answers.distribution[c * answers.stride + i] = trained[i] * (n.power[c * stride_ + i] / n.product[i]);
  }

  // Room for Q takes the sum meanwhile.
  void powers(std::size_t k, Answers& answers) const {
    const Notes n = notes(answers);
    softmax_powers(n.z, k, stride_, n.power, n.product);
    softmax_others(n.power, k, stride_, n.others);
  }

  // D of one lane and column, which learns `amount` of an example whose loss has these slopes.
  double move(std::size_t c, std::size_t i, double amount, double product, double n_rows, Slopes slopes) const {
    const double known = split_ || c == 0 ? squares_[c][i] : c == 1 ? squares_[0][i] : 0.0;
    const double squares = std::min(known + amount * (slopes.g * slopes.g), 1e300);
    return flow(slopes, amount * pace_[0][i] * product * slopes.g, logistic_drag(squares, 1.0 / (usual_squared_slope * n_rows)));
  }

  // The third label: one column becomes a pair with the same answers. 0 - x, as -x would make a -0 of 0.
  void split() {
    for (std::size_t r = 0; r < weights_.rows(); r += columns_)
      for (std::size_t i = 0; i < stride_; ++i) {
        const Real half = weights_[r][i] / 2;
        weights_[r][i] = 0 - half;
        weights_[r + 1][i] = half;
      }
    std::copy_n(squares_[0], stride_, squares_[1]);
    split_ = 1;
  }
  void halve_notes(Answers& answers) const {
    double* z = answers.notes.data();
    for (std::size_t i = 0; i < stride_; ++i) {
      const double half = z[i] / 2;
      z[i] = 0 - half;
      z[stride_ + i] = half;
    }
  }

  LaneArray<double> pace_;  // a function of the lane: not part of the state
  LaneArray<double> squares_;
  std::int64_t split_ = 0;  // whether there is a column per class
};

}  // namespace streamboost
