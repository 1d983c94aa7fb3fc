// Linear learners in lanes: perceptron, projected online gradient descent (OGD), logistic regression by plain steps.
//
//   raw = <v, x>, x the coordinates view of Intake (scaled, one-hot, intercept, divided by R); two classes: y = +1 for class code 1
//   perceptron   h = clip(raw / max(1, |v|), -1, 1)     if y raw <= 0:  v += w y x
//                k copies: the step with w = 1 again and again while y raw <= 0; closed form, as each adds |x|^2 to y raw
//   OGD          h = clip(raw, -1, 1), |v| <= 1         S += w^2,  v += sqrt(2 / S) w y x, projected back;  k copies: w = k
//   logistic     h = 2 p - 1, p = sigmoid(raw)          S += w^2,  v += sqrt(2 / S) w ([y = 1] - p) x;      k copies: min(k, 100) steps
//   more than two (declared) classes: one column of weights per class against the rest; the answer is the largest h.
//
// Departures  |v|^2 is kept incrementally and computed anew whenever 10,000 divides the number of examples learned. OGD stores
//             v / scale so that projecting a sparse learner costs O(1). The table itself: linear_table.hpp.
// Cost        two passes over the weights of the row's nonzeros. State: weights [coordinate][column][lane], |v|^2 [column][lane].
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/learners/linear_table.hpp"
#include "streamboost/math/math.hpp"

namespace streamboost {

struct LinearParams : LinearTableParams {
  enum class Kind { perceptron, ogd, logistic };
  Kind kind;
  static LinearParams read(const Config& c) {
    LinearParams p{};
    p.kind = c.choice<Kind>("kind", {{"perceptron", Kind::perceptron}, {"ogd", Kind::ogd}, {"logistic", Kind::logistic}});
    p.read_table(c);
    p.needs.scale = c.choice<Scale>("scale", {{"none", Scale::none}, {"maxabs", Scale::maxabs}, {"standard", Scale::standard}});
    return p;
  }
};

template <class Real>
class LinearBank final : public LinearTable<Real>, public AnswersAfter, public AnswersLogOdds, public Explains {
 public:
  using Params = LinearParams;
  using Kind = Params::Kind;

  LinearBank(const Params& params, Lanes lanes, int n_estimators, std::uint64_t seed)
      : LinearTable<Real>(params, lanes, n_estimators, seed, padded(static_cast<std::size_t>(lanes.size()))),
        kind_(params.kind),
        sum_squares_(1, n_) {}

  Abilities abilities() override {
    Abilities all = abilities_of(*this);
    if (kind_ != Kind::logistic) all.log_odds = nullptr;
    return all;
  }
  NoteRoom make_notes() const override { return {3 * columns_ + 3, std::make_unique<Notes>()}; }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<LinearBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    const double columns = schema.declared && schema.n_classes > 2 ? schema.n_classes : 1;
    return this->weights_of(schema, columns) + columns + 1;
  }

  void reserve(const Schema& schema) override {
    Journal unread;
    if (!make_room(schema, unread)) return;
    squared_norm_ = LaneArray<double>(columns_, n_);
    sum_squares_ = LaneArray<double>(1, n_);
    if (kind_ == Kind::ogd) scale_ = LaneArray<double>(columns_, n_, 1.0);
    for (std::size_t lane = 0; lane < n_; ++lane) this->start(lane, columns_);
    refresh_norms();
  }
  void grow(const Schema& schema, Journal& journal) override { make_room(schema, journal); }

  void ask(const Example& example, Request want, Answers& answers) const override {
    answers.change = kind_ == Kind::perceptron && columns_ == 1 ? Change::wrong_only : Change::right_stays_right;
    answers.own<Notes>().probabilities = kind_ == Kind::logistic && want != Request::votes;
    double* raw = answers.notes.data();
    linear_ask(weights_[0], cells(), entries(example.row), raw);
    if (kind_ == Kind::ogd)
      for (std::size_t i = 0; i < cells(); ++i) raw[i] *= scale_[0][i];
    if (columns_ == 1) {
      answer_two(want, raw, answers);
    } else {
      answer_many(want, raw, answers);
    }
  }

  void log_odds(const Example& example, double limit, Answers& answers) const override {
    answers.own<Notes>().probabilities = false;
    linear_ask(weights_[0], cells(), entries(example.row), answers.notes.data());
    for (std::size_t i = 0; i < stride_; ++i) answers.margin[i] = std::min(std::max(answers.notes[i], -limit), limit);
  }

  bool explain(const Example& example, const ExplainRequest& question, const double* factor, Answers& answers,
               Explained& out) const override {
    if (question.shapley || columns_ != 1) return false;
    const auto hypothesis = [&](std::size_t i, double z) {
      double h = z;
      if (kind_ == Kind::perceptron) perceptron_hypothesis(&z, squared_norm_[0] + i, &h, 1);
      if (kind_ == Kind::ogd) clip_hypothesis(&z, &h, 1);
      return kind_ == Kind::logistic ? tanh(0.5 * z) : h;
    };
    this->explain_pair(example, question, factor, answers, kind_ == Kind::ogd ? scale_[0] : nullptr, hypothesis, out);
    return true;
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount kind, Answers& answers) override {
    double* raw = answers.notes.data();
    double* step = raw + cells();
    double* y = step + cells();
    double* xx = y + stride_;
    double* unit = xx + stride_;
    const Entries row = entries(example.row);
    begin_lesson(amount, labels.common == 1 ? 1.0 : -1.0, example.row.squared_norm, trained_[0], y, xx, stride_);
    if (mask_.rows() > 0) linear_masked_norm(mask_[0], stride_, row, row.x, xx);
    const int repeats = kind == Amount::copies && kind_ == Kind::logistic ? repetitions(amount) : 1;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double* a = amount;
      if (kind == Amount::copies && kind_ == Kind::logistic) {
        for (std::size_t i = 0; i < stride_; ++i) unit[i] = repeat < amount[i] ? 1.0 : 0.0;
        a = unit;
      }
      if (kind_ != Kind::perceptron)
        for (std::size_t i = 0; i < stride_; ++i) sum_squares_[0][i] += a[i] * a[i];
      for (std::size_t c = 0; c < columns_; ++c) {
        if (columns_ > 1 || labels.per_lane != nullptr) this->targets(labels, columns_ == 1 ? 1 : static_cast<int>(c), y);
        steps(c, raw + c * stride_, y, a, xx, kind, repeat == 0 && answers.own<Notes>().probabilities ? probability(answers, c) : nullptr,
              step + c * stride_);
      }
      if (repeats > 1) {  // further copies are tested on the moved weights: raw follows in closed form
        for (std::size_t i = 0; i < cells(); ++i) raw[i] += step[i] * xx[i % stride_];
      }
      this->teach(row, step);
    }
    if (kind_ == Kind::ogd) fold_scales();
    if (kind_ != Kind::logistic && (example.number + 1) % 10000 == 0) refresh_norms();
  }

  Answer after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    const double xx = mask_.rows() == 0 ? example.row.squared_norm : this->masked_product(example.row, example.row.value, i);
    Answer answer;
    double best = -2;
    for (std::size_t c = 0; c < columns_; ++c) {
      const double y = columns_ == 1 ? (example.label == 1 ? 1.0 : -1.0) : (static_cast<std::size_t>(example.label) == c ? 1.0 : -1.0);
      const double h = hypothesis_after(c, i, answers.notes[c * stride_ + i], y, amount, kind, xx);
      if (columns_ == 1) return {h > 0 ? 1 : 0, h};
      if (h > best) {
        best = h;
        answer.label = static_cast<int>(c);
      }
    }
    return answer;
  }

  // Of a perceptron only the sign is of interest, which needs no norms.
  bool right_after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const override {
    if (kind_ != Kind::perceptron || columns_ != 1 || kind != Amount::copies || mask_.rows() > 0)
      return AnswersAfter::right_after(lane, example, amount, kind, answers);
    const double raw = answers.notes[static_cast<std::size_t>(lane)], y = example.label == 1 ? 1.0 : -1.0;
    const double moved = raw + perceptron_move(raw, y, amount, example.row.squared_norm) * example.row.squared_norm;
    return (moved > 0) == (example.label == 1);
  }

  void check() const override {
    this->check_trained();
    for (std::size_t i = 0; i < n_; ++i) {
      require(sum_squares_[0][i] >= 0, "sum of squares");
      for (std::size_t c = 0; c < columns_; ++c) {
        require(squared_norm_[c][i] >= 0, "squared norm");
        if (kind_ == Kind::ogd) require(scale_[c][i] > 0, "scale");
      }
    }
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    this->start(i, columns_);
    sum_squares_.fill_lane(i, 0);
    if (kind_ == Kind::ogd) scale_.fill_lane(i, 1);
    for (std::size_t c = 0; c < columns_; ++c) {
      double sum = 0;
      for (std::size_t r = c; r < weights_.rows(); r += columns_)
        sum += static_cast<double>(weights_[r][i]) * static_cast<double>(weights_[r][i]);
      squared_norm_[c][i] = sum;
    }
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<LinearBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    this->exchange_table(i, them);
    squared_norm_.swap_lane(i, them.squared_norm_);
    sum_squares_.swap_lane(i, them.sum_squares_);
    scale_.swap_lane(i, them.scale_);
  }
  void fields(FieldVisitor& v) override {
    v("weights", weights_);
    v("squared_norm", squared_norm_);
    v("trained", trained_);
    if (kind_ != Kind::perceptron) v("sum_squares", sum_squares_);
    if (kind_ == Kind::ogd) v("scale", scale_);
  }

 private:
  struct Notes final : BankNotes {
    bool probabilities = false;  // the rows of `probability` hold p of this example
  };
  static constexpr double max_repetitions = 100;
  static constexpr double smallest_scale = 1e-6;

  // What the table has, by the names used here.
  using Base = LinearTable<Real>;
  using Base::cells, Base::entries, Base::columns_, Base::mask_, Base::n_, Base::stride_, Base::trained_, Base::weights_;

  int repetitions(const double* amount) const {
    double most = 0;
    for (std::size_t i = 0; i < stride_; ++i) most = std::max(most, amount[i]);
    return static_cast<int>(std::min(most, max_repetitions));
  }

  // Row of the notes with p of a logistic column, kept from asking for the step.
  double* probability(Answers& answers, std::size_t column) const { return answers.notes.data() + (2 * columns_ + 3 + column) * stride_; }

  void hypotheses(const double* raw, std::size_t column, Answers& answers, double* h) const {
    switch (kind_) {
      case Kind::perceptron:
        perceptron_hypothesis(raw, squared_norm_[column], h, stride_);
        break;
      case Kind::ogd:
        clip_hypothesis(raw, h, stride_);
        break;
      case Kind::logistic:
        sigmoid_lanes(raw, probability(answers, column), stride_);
        for (std::size_t i = 0; i < stride_; ++i) h[i] = 2 * probability(answers, column)[i] - 1;
        break;
    }
  }

  void answer_two(Request want, const double* raw, Answers& answers) const {
    const double* trained = trained_[0];
    if (want != Request::margins && !sign_votes(raw, trained, answers.vote.data(), n_))
      answers.change = Change::right_stays_right;  // a raw score of 0 is class code 0 and yet a perceptron's mistake
    if (want == Request::votes) return;
    hypotheses(raw, 0, answers, answers.margin.data());
    if (want == Request::margins) return;
    double *p0 = answers.distribution.data(), *p1 = p0 + stride_;
    for (std::size_t i = 0; i < stride_; ++i) {
      const double p = 0.5 * (1 + answers.margin[i]);
      p1[i] = trained[i] * p;
      p0[i] = trained[i] * (1 - p);
    }
  }

  void answer_many(Request want, const double* raw, Answers& answers) const {
    if (want == Request::margins) throw std::logic_error("margins of more than two classes");
    const double* trained = trained_[0];
    for (std::size_t c = 0; c < columns_; ++c) hypotheses(raw + c * stride_, c, answers, answers.distribution.data() + c * stride_);
    double* h = answers.distribution.data();
    for (std::size_t i = 0; i < stride_; ++i) {
      std::size_t best = 0;
      double sum = 0;
      for (std::size_t c = 0; c < columns_; ++c) {
        if (h[c * stride_ + i] > h[best * stride_ + i]) best = c;
        sum += 0.5 * (1 + h[c * stride_ + i]);
      }
      answers.vote[i] = trained[i] == 0 ? -1 : static_cast<std::int32_t>(best);
      for (std::size_t c = 0; c < columns_; ++c) {
        const double share = sum > 0 ? 0.5 * (1 + h[c * stride_ + i]) / sum : 1.0 / static_cast<double>(columns_);
        h[c * stride_ + i] = trained[i] * share;
      }
    }
  }

  void steps(std::size_t c, const double* raw, const double* y, const double* amount, const double* xx, Amount kind, const double* p,
             double* step) {
    switch (kind_) {
      case Kind::perceptron:
        if (kind == Amount::copies)
          perceptron_copy_steps(raw, y, amount, xx, squared_norm_[c], step, stride_);
        else
          perceptron_weight_steps(raw, y, amount, xx, squared_norm_[c], step, stride_);
        break;
      case Kind::ogd:
        ogd_steps(raw, y, amount, xx, sum_squares_[0], squared_norm_[c], scale_[c], step, stride_);
        break;
      case Kind::logistic:
        if (p == nullptr) sigmoid_lanes(raw, step, stride_);
        logistic_steps(p == nullptr ? step : p, y, amount, sum_squares_[0], step, stride_);
        break;
    }
  }
  double hypothesis_after(std::size_t c, std::size_t i, double raw, double y, double amount, Amount kind, double xx) const {
    const double norm = squared_norm_[c][i];
    double moved = raw;
    if (kind_ == Kind::perceptron) {
      double step = 0, next_norm = norm;
      if (kind == Amount::copies)
        perceptron_copy_steps(&raw, &y, &amount, &xx, &next_norm, &step, 1);
      else
        perceptron_weight_steps(&raw, &y, &amount, &xx, &next_norm, &step, 1);
      moved += step * xx;
      double h;
      perceptron_hypothesis(&moved, &next_norm, &h, 1);
      return h;
    }
    double sum = sum_squares_[0][i], next_norm = norm, scale = 1, step;
    if (kind_ == Kind::ogd) {
      sum += amount * amount;
      ogd_steps(&raw, &y, &amount, &xx, &sum, &next_norm, &scale, &step, 1);
      moved = (raw + step * xx) * scale;
      double h;
      clip_hypothesis(&moved, &h, 1);
      return h;
    }
    const int repeats = kind == Amount::copies ? static_cast<int>(std::min(amount, max_repetitions)) : 1;
    const double weight = kind == Amount::copies ? 1.0 : amount;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      sum += weight * weight;
      const double p = sigmoid(moved);
      logistic_steps(&p, &y, &weight, &sum, &step, 1);
      moved += step * xx;
    }
    return 2 * sigmoid(moved) - 1;
  }

  bool make_room(const Schema& schema, Journal& journal) {
    if (!schema.declared && schema.n_classes > 2)
      throw std::invalid_argument("linear learners need their classes declared when there are more than two");
    const std::size_t columns = schema.declared && schema.n_classes > 2 ? static_cast<std::size_t>(schema.n_classes) : 1;
    return this->grow_table(schema, columns_ > 0 ? columns_ : columns, journal);
  }
  void refresh_norms() {
    linear_squared_norms(weights_[0], weights_.rows() / columns_, cells(), squared_norm_[0]);
    if (kind_ == Kind::ogd)
      for (std::size_t i = 0; i < cells(); ++i) squared_norm_[0][i] *= scale_[0][i] * scale_[0][i];
  }
  void fold_scales() {
    for (std::size_t c = 0; c < columns_; ++c)
      for (std::size_t i = 0; i < stride_; ++i) {
        if (scale_[c][i] >= smallest_scale) continue;
        for (std::size_t r = c; r < weights_.rows(); r += columns_) weights_[r][i] = static_cast<Real>(weights_[r][i] * scale_[c][i]);
        scale_[c][i] = 1;
      }
  }

  Kind kind_;
  LaneArray<double> squared_norm_, sum_squares_, scale_;
};

}  // namespace streamboost
