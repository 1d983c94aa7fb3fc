// Linear learners in lanes: perceptron, projected online gradient descent (OGD), logistic regression.
//
//
//   raw = <v, x>, x the coordinates view of Intake (scaled, one-hot, intercept, divided by R); two classes: y = +1 for class code 1
//   perceptron   h = clip(raw / max(1, |v|), -1, 1)     if y raw <= 0:  v += w y x
//                k copies: the step with w = 1 again and again while y raw <= 0; closed form, as each adds |x|^2 to y raw
//   OGD          h = clip(raw, -1, 1), |v| <= 1         S += w^2,  v += sqrt(2 / S) w y x, projected back;  k copies: w = k
//   logistic     h = 2 p - 1, p = sigmoid(raw)          S += w^2,  v += sqrt(2 / S) w ([y = 1] - p) x;      k copies: min(k, 100) steps
//   more than two (declared) classes: one column of weights per class against the rest; the answer is the largest h.
//
// Departures  |v|^2 is kept incrementally and computed anew whenever 10,000 divides the number of examples learned. OGD stores
//             v / scale so that projecting a sparse learner costs O(1). Where masked (feature_fraction) weights stay 0.
// Cost        two passes over the weights of the row's nonzeros. State: weights [coordinate][column][lane], |v|^2 [column][lane].
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/subset.hpp"
#include "streamboost/math/kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/run/config.hpp"

namespace streamboost {

struct LinearParams {
  enum class Kind { perceptron, ogd, logistic };
  enum class Start { sphere, zero, given };
  Kind kind;
  Start start;
  std::vector<double> given;  // [coordinate] or [lane][coordinate]; columns first, the intercept last
  double feature_fraction;
  IntakeNeeds needs;
  static LinearParams read(const Config& c) {
    LinearParams p{};
    p.kind = c.choice<Kind>("kind", {{"perceptron", Kind::perceptron}, {"ogd", Kind::ogd}, {"logistic", Kind::logistic}});
    if (const auto* values = c.array("start")) {
      p.start = Start::given;
      p.given = *values;
    } else {
      p.start = c.choice<Start>("start", {{"sphere", Start::sphere}, {"zero", Start::zero}});
    }
    p.feature_fraction = c.number_or_none("feature_fraction").value_or(1);
    p.needs.coordinates = true;
    p.needs.dense = false;
    p.needs.fit_intercept = c.flag("fit_intercept");
    p.needs.scale = c.choice<Scale>("scale", {{"none", Scale::none}, {"maxabs", Scale::maxabs}, {"standard", Scale::standard}});
    return p;
  }
};

// Real: of the table of weights. Everything else is double.
template <class Real>
class LinearBank final : public Bank {
 public:
  using Params = LinearParams;
  using Kind = Params::Kind;
  using Start = Params::Start;

  LinearBank(Params params, Lanes lanes, int n_estimators, std::uint64_t seed)
      : params_(std::move(params)),
        lanes_(lanes),
        n_estimators_(n_estimators),
        seed_(seed),
        n_(static_cast<std::size_t>(lanes.size())),
        stride_(padded(n_)),
        trained_(1, n_),
        sum_squares_(1, n_) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return params_.needs; }
  std::size_t note_rows() const override { return 3 * columns_ + 3; }
  bool has_after() const override { return true; }
  bool trained(int lane) const override { return trained_[0][static_cast<std::size_t>(lane)] != 0; }
  std::unique_ptr<BankNotes> make_notes() const override { return std::make_unique<Notes>(); }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<LinearBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    const double columns = schema.declared && schema.n_classes > 2 ? schema.n_classes : 1;
    return static_cast<double>(ColumnLayout(schema, params_.needs.fit_intercept ? 1 : 0).rows()) * columns + columns + 1;
  }

  void reserve(const Schema& schema) override {
    if (!schema.declared && schema.n_classes > 2)
      throw std::invalid_argument("linear learners need their classes declared when there are more than two");
    const ColumnLayout layout(schema, params_.needs.fit_intercept ? 1 : 0);
    if (columns_ == 0) {
      if (schema.width() == 0) return;
      columns_ = schema.declared && schema.n_classes > 2 ? static_cast<std::size_t>(schema.n_classes) : 1;
      schema_ = schema;
      layout_ = layout;
      weights_ = LaneArray<Real>(layout.rows() * columns_, n_);
      squared_norm_ = LaneArray<double>(columns_, n_);
      if (params_.kind == Kind::ogd) scale_ = LaneArray<double>(columns_, n_, 1.0);
      if (params_.feature_fraction < 1) make_mask();
      for (std::size_t lane = 0; lane < n_; ++lane) start(lane);
      refresh_norms();
    } else if (layout.rows() != layout_.rows() || layout.offset.size() != layout_.offset.size()) {
      std::vector<std::size_t> target(weights_.rows());
      const auto place = [&](std::size_t from, std::size_t to) {
        for (std::size_t c = 0; c < columns_; ++c) target[from * columns_ + c] = to * columns_ + c;
      };
      if (params_.needs.fit_intercept) place(0, 0);
      for (std::size_t j = 0; j + 1 < layout_.offset.size(); ++j)
        for (std::size_t r = layout_.offset[j]; r < layout_.offset[j + 1]; ++r) place(r, layout.offset[j] + (r - layout_.offset[j]));
      weights_.rearrange(layout.rows() * columns_, target);
      schema_ = schema;
      layout_ = layout;
      if (params_.feature_fraction < 1) make_mask();
    }
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    answers.change = params_.kind == Kind::perceptron && columns_ == 1 ? Change::wrong_only : Change::right_stays_right;
    answers.own<Notes>().probabilities = params_.kind == Kind::logistic && want != Request::votes;
    double* raw = answers.notes.data();
    linear_ask(weights_[0], cells(), entries(example.row), raw);
    if (params_.kind == Kind::ogd)
      for (std::size_t i = 0; i < cells(); ++i) raw[i] *= scale_[0][i];
    if (columns_ == 1) {
      answer_two(want, raw, answers);
    } else {
      answer_many(want, raw, answers);
    }
  }

  void log_odds(const Example& example, double limit, Answers& answers) const override {
    if (params_.kind != Kind::logistic) return Bank::log_odds(example, limit, answers);
    answers.own<Notes>().probabilities = false;
    linear_ask(weights_[0], cells(), entries(example.row), answers.notes.data());
    for (std::size_t i = 0; i < stride_; ++i) answers.margin[i] = std::min(std::max(answers.notes[i], -limit), limit);
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount kind, Answers& answers) override {
    double* raw = answers.notes.data();
    double* step = raw + cells();
    double* y = step + cells();
    double* xx = y + stride_;
    double* unit = xx + stride_;
    const Entries row = entries(example.row);
    begin_lesson(amount, labels.common == 1 ? 1.0 : -1.0, example.row.squared_norm, trained_[0], y, xx, stride_);
    if (mask_.rows() > 0) linear_masked_norm(mask_[0], stride_, row, xx);
    const int repeats = kind == Amount::copies && params_.kind == Kind::logistic ? repetitions(amount) : 1;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double* a = amount;
      if (kind == Amount::copies && params_.kind == Kind::logistic) {
        for (std::size_t i = 0; i < stride_; ++i) unit[i] = repeat < amount[i] ? 1.0 : 0.0;
        a = unit;
      }
      if (params_.kind != Kind::perceptron)
        for (std::size_t i = 0; i < stride_; ++i) sum_squares_[0][i] += a[i] * a[i];
      for (std::size_t c = 0; c < columns_; ++c) {
        if (columns_ > 1 || labels.per_lane != nullptr) targets(labels, c, y);
        steps(c, raw + c * stride_, y, a, xx, kind, repeat == 0 && answers.own<Notes>().probabilities ? probability(answers, c) : nullptr,
              step + c * stride_);
      }
      if (repeats > 1) {  // further copies are tested on the moved weights: raw follows in closed form
        for (std::size_t i = 0; i < cells(); ++i) raw[i] += step[i] * xx[i % stride_];
      }
      teach(row, step);
    }
    if (params_.kind == Kind::ogd) fold_scales();
    if (params_.kind != Kind::logistic && (example.number + 1) % 10000 == 0) refresh_norms();
  }

  Answer after(int lane, const Example& example, double amount, Amount kind, const Answers& answers) const override {
    const auto i = static_cast<std::size_t>(lane);
    double xx = example.row.squared_norm;
    if (mask_.rows() > 0) {
      xx = 0;
      for (int e = 0; e < example.row.size; ++e)
        xx += example.row.value[e] * example.row.value[e] * mask_[static_cast<std::size_t>(example.row.column(e))][i];
    }
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
    if (params_.kind != Kind::perceptron || columns_ != 1 || kind != Amount::copies || mask_.rows() > 0)
      return Bank::right_after(lane, example, amount, kind, answers);
    const double raw = answers.notes[static_cast<std::size_t>(lane)], y = example.label == 1 ? 1.0 : -1.0;
    const double moved = raw + perceptron_move(raw, y, amount, example.row.squared_norm) * example.row.squared_norm;
    return (moved > 0) == (example.label == 1);
  }

  void check() const override {
    for (std::size_t i = 0; i < n_; ++i) {
      require(trained_[0][i] == 0 || trained_[0][i] == 1, "trained flag");
      require(sum_squares_[0][i] >= 0, "sum of squares");
      for (std::size_t c = 0; c < columns_; ++c) {
        require(squared_norm_[c][i] >= 0, "squared norm");
        if (params_.kind == Kind::ogd) require(scale_[c][i] > 0, "scale");
      }
    }
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    weights_.fill_lane(i, 0);
    sum_squares_.fill_lane(i, 0);
    if (params_.kind == Kind::ogd) scale_.fill_lane(i, 1);
    if (mask_.rows() > 0) draw_mask(i);
    start(i);
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
    weights_.swap_lane(i, them.weights_);
    squared_norm_.swap_lane(i, them.squared_norm_);
    trained_.swap_lane(i, them.trained_);
    sum_squares_.swap_lane(i, them.sum_squares_);
    scale_.swap_lane(i, them.scale_);
    mask_.swap_lane(i, them.mask_);
  }
  void draw_again() override {
    if (mask_.rows() > 0) make_mask();
  }
  void fields(FieldVisitor& v) override {
    v("weights", weights_);
    v("squared_norm", squared_norm_);
    v("trained", trained_);
    if (params_.kind != Kind::perceptron) v("sum_squares", sum_squares_);
    if (params_.kind == Kind::ogd) v("scale", scale_);
  }

 private:
  struct Notes final : BankNotes {
    bool probabilities = false;  // the rows of `probability` hold p of this example
  };
  static constexpr double max_repetitions = 100;
  static constexpr double smallest_scale = 1e-6;

  std::size_t cells() const { return columns_ * stride_; }
  static Entries entries(const Row& row) { return {row.value, row.index, row.size}; }

  int repetitions(const double* amount) const {
    double most = 0;
    for (std::size_t i = 0; i < stride_; ++i) most = std::max(most, amount[i]);
    return static_cast<int>(std::min(most, max_repetitions));
  }

  // Row of the notes with p of a logistic column, kept from asking for the step.
  double* probability(Answers& answers, std::size_t column) const { return answers.notes.data() + (2 * columns_ + 3 + column) * stride_; }

  void hypotheses(const double* raw, std::size_t column, Answers& answers, double* h) const {
    switch (params_.kind) {
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

  void targets(Labels labels, std::size_t column, double* y) const {
    const int positive = columns_ == 1 ? 1 : static_cast<int>(column);
    if (labels.per_lane == nullptr) {
      std::fill_n(y, stride_, labels.common == positive ? 1.0 : -1.0);
    } else {
      for (std::size_t i = 0; i < stride_; ++i) y[i] = i < n_ && labels.per_lane[i] == positive ? 1.0 : -1.0;
    }
  }

  void steps(std::size_t c, const double* raw, const double* y, const double* amount, const double* xx, Amount kind, const double* p,
             double* step) {
    switch (params_.kind) {
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
  void teach(const Entries& row, const double* step) {
    if (mask_.rows() == 0) {
      linear_teach(weights_[0], cells(), row, step);
      return;
    }
    if (columns_ == 1) return linear_teach_masked(weights_[0], mask_[0], stride_, row, step);
    for (std::size_t c = 0; c < columns_; ++c) {  // the mask has one column for all classes
      for (int e = 0; e < row.n; ++e) {
        const auto r = static_cast<std::size_t>(row.index ? row.index[e] : e);
        linear_teach_masked(weights_[r * columns_ + c], mask_[r], stride_, {row.x + e, nullptr, 1}, step + c * stride_);
      }
    }
  }

  double hypothesis_after(std::size_t c, std::size_t i, double raw, double y, double amount, Amount kind, double xx) const {
    const double norm = squared_norm_[c][i];
    double moved = raw;
    if (params_.kind == Kind::perceptron) {
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
    if (params_.kind == Kind::ogd) {
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

  // Start vectors are a pure function of (seed, coordinate, lane, column).
  void start(std::size_t lane) {
    trained_[0][lane] = 0;
    if (params_.start == Start::zero) return;
    const auto d = static_cast<std::size_t>(schema_.first_width);
    const std::size_t coordinates = d + (params_.needs.fit_intercept ? 1 : 0);
    if (params_.start == Start::given) {
      const bool per_lane = params_.given.size() == coordinates * static_cast<std::size_t>(n_estimators_) && n_estimators_ > 1;
      if (columns_ > 1) throw std::invalid_argument("start must be 'sphere' or 'zero' when there are more than two classes");
      if (!per_lane && params_.given.size() != coordinates)
        throw std::invalid_argument("start has " + std::to_string(params_.given.size()) + " values; expected " +
                                    std::to_string(coordinates) + " (columns, then the intercept), or that for each of " +
                                    std::to_string(n_estimators_) + " learners");
      const std::size_t offset = per_lane ? (static_cast<std::size_t>(lanes_.begin) + lane) * coordinates : 0;
      for (std::size_t k = 0; k < coordinates; ++k) set_start(k, 0, lane, params_.given[offset + k] + 0.0);
      return;
    }
    for (std::size_t k = 0; k < coordinates; ++k)
      for (std::size_t c = 0; c < columns_; ++c) {
        const Key key{seed_, k, static_cast<std::uint32_t>(lanes_.begin + static_cast<int>(lane)), Purpose::start,
                      static_cast<std::uint32_t>(c)};
        set_start(k, c, lane, normal(of_birth(key, birth(static_cast<int>(lane)))) / std::sqrt(static_cast<double>(coordinates)));
      }
  }
  // k: a column of the first row, or the intercept at the end. One-hot values start at 0, so that a value not yet met says nothing.
  void set_start(std::size_t k, std::size_t c, std::size_t lane, double value) {
    const bool intercept = k == static_cast<std::size_t>(schema_.first_width);
    if (!intercept && schema_.nominal(static_cast<int>(k))) return;
    const std::size_t row = intercept ? 0 : layout_.offset[k];
    if (mask_.rows() > 0 && mask_[row][lane] == 0) return;
    weights_[row * columns_ + c][lane] = static_cast<Real>(value);
    if (value != 0) trained_[0][lane] = 1;
  }

  void make_mask() {
    mask_ = LaneArray<double>(layout_.rows(), n_);
    for (std::size_t lane = 0; lane < n_; ++lane) draw_mask(lane);
  }
  void draw_mask(std::size_t lane) {
    const int number = static_cast<int>(lane);
    const auto columns = chosen_columns(params_.feature_fraction, schema_, seed_, lanes_.begin + number, birth(number));
    if (params_.needs.fit_intercept) mask_[0][lane] = 1;
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t r = layout_.offset[j]; r < layout_.offset[j + 1]; ++r) mask_[r][lane] = columns[j] ? 1.0 : 0.0;
  }

  void refresh_norms() {
    linear_squared_norms(weights_[0], weights_.rows() / columns_, cells(), squared_norm_[0]);
    if (params_.kind == Kind::ogd)
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

  Params params_;
  Lanes lanes_;
  int n_estimators_;
  std::uint64_t seed_;
  std::size_t n_, stride_, columns_ = 0;
  Schema schema_;
  ColumnLayout layout_;
  LaneArray<Real> weights_;
  LaneArray<double> squared_norm_, trained_, sum_squares_, scale_;
  LaneArray<double> mask_;  // [coordinate][lane], a function of the seed: not part of the state
};

}  // namespace streamboost
