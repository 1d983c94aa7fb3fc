// Neural networks with one hidden layer, in lanes: sigmoid units, one output per class, squared error, plain back-propagation.
//
// Thesis    Oza: Online Ensemble Learning (2001), section 2.3.
//
//   symbol    here                    meaning
//   x         coordinates of Intake   bias 1, numeric columns scaled to [0, 1] by the running range, nominal columns one-hot, missing 0
//   w1        first[x][h]             input to hidden; rows: coordinates (0 is the bias)
//   w2        second[h][c]            hidden to output; rows: 0 is the bias, then the hidden units
//   eta       rate
//
//   a_h = sigmoid(sum x_j w1[j][h]),  o_c = sigmoid(w2[0][c] + sum_h a_h w2[h][c]);  answer: the largest output of the classes known
//   d_c = eta w ([y = c] - o_c) o_c (1 - o_c),   d_h = a_h (1 - a_h) sum_c d_c w2[h][c],   w2[h][c] += d_c a_h,   w1[j][h] += d_h x_j
//   updates_per_example such steps per example; w is the weight; k copies: min(k, 100) times, each with w = 1.
//   hidden_units = auto: max(5, round((d0 + classes) / 2)), at most 50, d0 = columns of the first row, classes: declared, or 2
//   start: uniform(-1/2, 1/2) / sqrt(fan-in), keyed by (seed, input or hidden unit, lane), fan-in d0 + 1 and hidden units + 1
//
// A nominal value acts from the moment it is learned by the ensemble (flags shared by all lanes), although its weights have
// their start from the beginning: else the answer would depend on how the stream is cut into blocks. Likewise a class.
//
// Departures  Not lossless and not proportional, by nature. Classes not known yet have outputs that are neither trained nor read.
// Cost        ask inputs x hidden, teach three times that per step. Memory (coordinates + classes) x hidden doubles per lane.
#pragma once
#include <algorithm>
#include <cmath>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/class_rows.hpp"
#include "streamboost/learners/linear_kernels.hpp"
#include "streamboost/learners/mlp_kernels.hpp"
#include "streamboost/math/math.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

// The coordinates of a row that have been learned, and the weights of one lane while it is trained by itself.
struct MlpNotes final : BankNotes {
  std::vector<double> x, first, second, unit;
  std::vector<std::int32_t> row;
};

class MlpBank final : public Bank, public LearnsThenAnswers, public GrowsInPlace {
 public:
  struct Params {
    std::size_t hidden_units;  // 0: auto
    int updates_per_example;
    double rate;
    static Params read(const Config& c) {
      return {c.whole<std::size_t>("hidden_units"), c.whole<int>("updates_per_example"), c.number("learning_rate")};
    }
  };

  MlpBank(Params params, Lanes lanes, std::uint64_t seed)
      : params_(params), lanes_(lanes), seed_(seed), n_(static_cast<std::size_t>(lanes.size())), stride_(padded(n_)), trained_(1, n_) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override {
    IntakeNeeds needs;
    needs.coordinates = true;
    needs.dense = false;
    needs.scale = Scale::unit;
    needs.unit_ball = false;
    return needs;
  }
  Abilities abilities() override { return abilities_of(*this); }
  NoteRoom make_notes() const override {
    auto notes = std::make_unique<Notes>();
    const std::size_t inputs = layout_.offset.size();  // a row has one coordinate per column, and the bias
    notes->x.reserve(inputs);
    notes->row.reserve(inputs);
    notes->first.reserve(inputs * hidden_);
    notes->second.reserve((hidden_ + 1) * classes_);
    notes->unit.reserve(2 * (hidden_ + classes_));
    return {2 * (hidden_ + classes_) + 1, std::move(notes)};
  }
  std::unique_ptr<Bank> copy() const override { return std::make_unique<MlpBank>(*this); }
  double least_numbers(const Schema& schema) const override {
    const auto hidden = static_cast<double>(hidden_units(schema));
    const double coordinates = static_cast<double>(ColumnLayout(schema, 1).rows());
    return hidden * coordinates + (hidden + 1) * std::max(schema.n_classes, 1) + 1;
  }
  bool trained(int lane) const override { return trained_[0][lane] > 0; }
  // activations, outputs, their deltas, steps of the hidden units, one row of amounts

  void reserve(const Schema& schema) override {
    if (layout_.offset.size() == 1) {  // no columns so far: it begins anew
      hidden_ = hidden_units(schema);
      first_width_ = schema.first_width;
      first_ = LaneArray<double>(0, n_);
      second_ = LaneArray<double>(0, n_);
      trained_ = LaneArray<double>(1, n_);
      classes_ = used_ = 0;
    }
    Journal unread;
    grow(schema, unread);
  }
  void grow(const Schema& schema, Journal& journal) override {
    const std::size_t k = class_room(schema, classes_), used = classes_of(schema);
    const ColumnLayout layout(schema, 1);
    if (layout.rows() * hidden_ != first_.rows()) {
      const std::size_t before = first_.rows() > 0 ? met_.size() : 0, columns = layout_.offset.size() - 1;
      if (before > 0 && layout_.begins(layout)) {
        journal.grow(first_, layout.rows() * hidden_);
        journal.resize(met_, layout.rows());
        journal.assign(layout_, layout);
        for (std::size_t lane = 0; lane < n_; ++lane) begin_first(lane, columns + 1, {});
      } else {
        const std::vector<std::size_t> place = before > 0 ? layout_.places_in(layout) : std::vector<std::size_t>();
        std::vector<std::size_t> target(first_.rows());
        std::vector<std::int64_t> met(layout.rows(), 0);
        std::vector<bool> old(layout.rows(), false);
        for (std::size_t r = 0; r < before; ++r) {
          met[place[r]] = met_[r];
          old[place[r]] = true;
          for (std::size_t h = 0; h < hidden_; ++h) target[r * hidden_ + h] = place[r] * hidden_ + h;
        }
        journal.grow(first_, layout.rows() * hidden_, std::move(target));
        journal.assign(met_, std::move(met));
        journal.assign(layout_, layout);
        for (std::size_t lane = 0; lane < n_; ++lane) begin_first(lane, 0, old);
      }
      met_[0] = 1;
      for (std::size_t j = columns; j + 1 < layout.offset.size(); ++j)
        if (!schema.nominal(static_cast<int>(j))) met_[layout.offset[j]] = 1;
    }
    if (k > classes_) {
      std::vector<std::size_t> target(second_.rows());
      for (std::size_t r = 0; r < target.size(); ++r) target[r] = r / classes_ * k + r % classes_;
      journal.grow(second_, (hidden_ + 1) * k, std::move(target));
      journal.assign(classes_, k);
    }
    if (used == used_) return;
    const std::size_t before = used_;
    journal.assign(used_, used);
    for (std::size_t lane = 0; lane < n_; ++lane) begin_second(lane, before);
  }

  void ask(const Example& example, Request want, Answers& answers) const override {
    const auto k = static_cast<std::size_t>(example.n_classes);
    const Entries row = known(example.row, answers.own<Notes>());
    answers.change = row.n < example.row.size || example.n_classes_after > example.n_classes ? Change::all : Change::taught;
    forward(row, k, answers);
    for (std::size_t i = 0; i < n_; ++i)
      to_verdict(i, outputs(answers) + i, stride_, k, want == Request::distributions ? answers.distribution.data() + i : nullptr,
                 answers.stride, answers.vote[i], answers.margin[i]);
  }

  void learn(const Example& example, Labels labels, const double* amount, Amount kind, Answers& answers) override {
    const auto k = static_cast<std::size_t>(example.n_classes_after);
    const Entries row{example.row.value, example.row.index, example.row.size};
    double *out = outputs(answers), *delta = out + classes_ * stride_, *step = delta + classes_ * stride_;
    double* rate = step + hidden_ * stride_;
    double most = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      most = std::max(most, amount[i]);
      if (amount[i] > 0) trained_[0][i] = 1;
    }
    if (!(most > 0)) return;
    const int copies = kind == Amount::copies ? static_cast<int>(std::min(most, max_repetitions)) : 1;
    for (int copy = 0; copy < copies; ++copy)
      for (int update = 0; update < params_.updates_per_example; ++update) {
        for (std::size_t i = 0; i < stride_; ++i) {
          const double a = i < n_ ? amount[i] : 0.0;
          rate[i] = params_.rate * (kind == Amount::weight ? a : copy < a ? 1.0 : 0.0);
        }
        forward(row, k, answers);
        for (std::size_t c = 0; c < k; ++c)
          for (std::size_t i = 0; i < stride_; ++i) {
            const double o = out[c * stride_ + i];
            const double target = i < n_ && static_cast<std::size_t>(labels.of(static_cast<int>(i))) == c ? 1.0 : 0.0;
            delta[c * stride_ + i] = rate[i] * ((target - o) * (o * (1 - o)));
          }
        mlp_backward(answers.notes.data(), delta, second_[0], hidden_, k, classes_, stride_, step);
        linear_teach(first_[0], hidden_ * stride_, row, step);
      }
  }

  // One lane: its weights are gathered, trained and put back. The same steps as `learn`.
  Answer learn_then_answer(int lane, const Example& example, double amount, Amount kind, Request, Answers& answers) override {
    const auto i = static_cast<std::size_t>(lane), k = static_cast<std::size_t>(example.n_classes_after);
    const Row& row = example.row;
    const auto inputs = static_cast<std::size_t>(row.size);
    auto& notes = answers.own<Notes>();
    auto &w1 = notes.first, &w2 = notes.second, &unit = notes.unit;
    w1.resize(inputs * hidden_);
    w2.resize((hidden_ + 1) * k);
    unit.resize(2 * hidden_ + 2 * k);
    double *a = unit.data(), *step = a + hidden_, *out = step + hidden_, *delta = out + k;
    const auto coordinate = [&](std::size_t e) { return static_cast<std::size_t>(row.column(static_cast<int>(e))); };
    for (std::size_t e = 0; e < inputs; ++e)
      for (std::size_t h = 0; h < hidden_; ++h) w1[e * hidden_ + h] = first_[coordinate(e) * hidden_ + h][i];
    for (std::size_t h = 0; h <= hidden_; ++h)
      for (std::size_t c = 0; c < k; ++c) w2[h * k + c] = second_[h * classes_ + c][i];
    const auto ahead = [&] {
      std::fill_n(a, hidden_, 0.0);
      for (std::size_t e = 0; e < inputs; ++e)
        for (std::size_t h = 0; h < hidden_; ++h) a[h] += row.value[e] * w1[e * hidden_ + h];
      sigmoid_lanes(a, a, hidden_);
      for (std::size_t c = 0; c < k; ++c) {
        out[c] = w2[c];
        for (std::size_t h = 0; h < hidden_; ++h) out[c] += a[h] * w2[(h + 1) * k + c];
      }
      sigmoid_lanes(out, out, k);
    };
    const double copies = kind == Amount::copies ? std::min(amount, max_repetitions) : amount > 0 ? 1.0 : 0.0;
    const double rate = params_.rate * (kind == Amount::copies ? 1.0 : amount);
    for (int n = 0; n < static_cast<int>(copies) * params_.updates_per_example; ++n) {
      ahead();
      for (std::size_t c = 0; c < k; ++c)
        delta[c] = rate * (((static_cast<std::size_t>(example.label) == c ? 1.0 : 0.0) - out[c]) * (out[c] * (1 - out[c])));
      mlp_backward(a, delta, w2.data(), hidden_, k, k, 1, step);
      for (std::size_t e = 0; e < inputs; ++e)
        for (std::size_t h = 0; h < hidden_; ++h) w1[e * hidden_ + h] += row.value[e] * step[h];
    }
    ahead();
    for (std::size_t e = 0; e < inputs; ++e)
      for (std::size_t h = 0; h < hidden_; ++h) first_[coordinate(e) * hidden_ + h][i] = w1[e * hidden_ + h];
    for (std::size_t h = 0; h <= hidden_; ++h)
      for (std::size_t c = 0; c < k; ++c) second_[h * classes_ + c][i] = w2[h * k + c];
    if (amount > 0) trained_[0][i] = 1;
    Answer answer;
    std::int32_t vote = -1;
    to_verdict(i, out, 1, k, nullptr, 0, vote, answer.margin);
    answer.label = vote;
    return answer;
  }

  void finish_example(const Example& example) override {
    for (int e = 0; e < example.row.size; ++e) met_[static_cast<std::size_t>(example.row.column(e))] = 1;
  }

  void check() const override {
    for (std::size_t i = 0; i < n_; ++i) require(trained_[0][i] == 0 || trained_[0][i] == 1, "trained flag");
    for (auto flag : met_) require(flag == 0 || flag == 1, "coordinate flag");
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    begin_first(i, 0, {});
    trained_[0][i] = 0;
    begin_second(i, 0);
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<MlpBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    first_.swap_lane(i, them.first_);
    second_.swap_lane(i, them.second_);
    trained_.swap_lane(i, them.trained_);
  }
  void fields(FieldVisitor& v) override {
    v("first", first_);
    ClassFields{v, used_, classes_}("second", second_);
    v("trained", trained_);
    v("met", met_);
  }

 private:
  using Notes = MlpNotes;
  static constexpr double max_repetitions = 100;

  std::size_t hidden_units(const Schema& schema) const {
    if (params_.hidden_units > 0) return params_.hidden_units;
    const double inputs = schema.first_width, outputs = schema.declared ? schema.n_classes : 2;
    return static_cast<std::size_t>(std::clamp(std::floor((inputs + outputs) / 2 + 0.5), 5.0, 50.0));
  }

  double* outputs(Answers& answers) const { return answers.notes.data() + hidden_ * stride_; }

  // The coordinates of the row that have been learned.
  Entries known(const Row& row, Notes& t) const {
    t.x.clear();
    t.row.clear();
    for (int e = 0; e < row.size; ++e) {
      if (!met_[static_cast<std::size_t>(row.column(e))]) continue;
      t.x.push_back(row.value[e]);
      t.row.push_back(row.column(e));
    }
    return {t.x.data(), t.row.data(), static_cast<int>(t.x.size())};
  }

  // notes: hidden activations [h][lane], then outputs [c][lane].
  void forward(const Entries& row, std::size_t k, Answers& answers) const {
    double *a = answers.notes.data(), *out = outputs(answers);
    linear_ask(first_[0], hidden_ * stride_, row, a);
    sigmoid_lanes(a, a, hidden_ * stride_);
    mlp_output(a, second_[0], hidden_, k, classes_, stride_, out);
    sigmoid_lanes(out, out, k * stride_);
  }

  void to_verdict(std::size_t i, const double* out, std::size_t step, std::size_t k, double* share, std::size_t share_step,
                  std::int32_t& vote, double& margin) const {
    double sum = 0, pair[2] = {0, 0};
    std::size_t best = 0;
    for (std::size_t c = 0; c < k; ++c) {
      sum += out[c * step];
      if (out[c * step] > out[best * step]) best = c;
    }
    const bool trained = trained_[0][i] > 0 && k > 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double p = !trained ? 0.0 : sum > 0 ? out[c * step] / sum : 1.0 / static_cast<double>(k);
      if (c < 2) pair[c] = p;
      if (share != nullptr) share[c * share_step] = p;
    }
    vote = trained ? static_cast<std::int32_t>(best) : -1;
    margin = pair[1] - pair[0];
  }

  // Starts are a function of (seed, column and value or bias, lane, hidden unit).
  // old: rows that have begun; empty: none from `j` on, which is 0 for the bias, else column j - 1.
  void begin_first(std::size_t lane, std::size_t j, const std::vector<bool>& old) {
    const double scale = 1 / std::sqrt(first_width_ + 1.0);
    for (; j < layout_.offset.size(); ++j) {
      const std::size_t from = j == 0 ? 0 : layout_.offset[j - 1], to = j == 0 ? 1 : layout_.offset[j];
      for (std::size_t r = from; r < to; ++r) {
        if (!old.empty() && old[r]) continue;
        const std::uint64_t key = static_cast<std::uint64_t>(j) << 32 | (r - from);
        for (std::size_t h = 0; h < hidden_; ++h) first_[r * hidden_ + h][lane] = start(key, lane, h) * scale;
      }
    }
  }
  void begin_second(std::size_t lane, std::size_t before) {
    const double scale = 1 / std::sqrt(static_cast<double>(hidden_) + 1.0);
    for (std::size_t h = 0; h <= hidden_; ++h)
      for (std::size_t c = before; c < used_; ++c) second_[h * classes_ + c][lane] = start((std::uint64_t{1} << 62) | h, lane, c) * scale;
  }
  double start(std::uint64_t key, std::size_t lane, std::size_t unit) const {
    const int number = static_cast<int>(lane);
    const Key drawn{seed_, key, static_cast<std::uint32_t>(lanes_.begin + number), Purpose::start, static_cast<std::uint32_t>(unit)};
    return uniform(of_birth(drawn, birth(number))) - 0.5;
  }

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  std::size_t n_, stride_, hidden_ = 0, classes_ = 0, used_ = 0;  // classes: room; used: known to the schema
  int first_width_ = 0;
  ColumnLayout layout_{};
  LaneArray<double> first_, second_, trained_;
  std::vector<std::int64_t> met_;  // [coordinate]: numeric, or a value learned by the ensemble
};

}  // namespace streamboost
