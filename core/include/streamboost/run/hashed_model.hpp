// A linear learner over hashed tokens (words/tokens.hpp), as a model: logistic regression, or linear regression of numbers.
//
// Update    that of learners/logistic.hpp and learners/linear_regression.hpp, on one lane and a table of
//           one size (run/hashed_table.hpp): no vocabulary, and nothing grows with the words of a stream.
// Cost      linear in the tokens of a row, times the classes if there are more than two.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "streamboost/data/config.hpp"
#include "streamboost/learners/linear_regression_kernels.hpp"
#include "streamboost/learners/logistic_kernels.hpp"
#include "streamboost/math/flow.hpp"
#include "streamboost/run/hashed_table.hpp"
#include "streamboost/run/row_model.hpp"

namespace streamboost {

struct HashedWork : RowWork {
  HashedRow row;
  std::vector<double> z, step, power, others;
  bool fresh = false;  // the row at hand is in `row`, and its scores in `z`
  template <class Owner>
  explicit HashedWork(const Owner& model)
      : RowWork(model.intake().schema()), z(score.size()), step(z.size()), power(z.size()), others(z.size()) {}
};

class HashedModel final : public RowModel<HashedModel, HashedWork> {
 public:
  struct Params {
    words::View view;
    int bits, window_bits;  // hashed_table.hpp
    bool numbers;
    bool newton = true;  // the same
    bool late = false;   // it may join others that have learned rows already
    static Params read(const Config& c, bool numbers) {
      return {words::read_view(c), words::read_bits(c), c.whole<int>("window_bits"), numbers, c.flag("newton"), c.flag("late")};
    }
  };

  HashedModel(const Params& params, const Ensemble& ensemble)
      : RowModel(ensemble, params.numbers, false), params_(params), table_(params.bits, params.window_bits, params.newton) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->intake.reserve(schema);
    const Schema& now = growth->intake.schema();
    if (reserved_ && now == intake_.schema()) return nullptr;
    const std::size_t outputs = now.n_classes > 2 ? static_cast<std::size_t>(now.n_classes) : 1;
    growth->room = table_.prepare(outputs);
    growth->only_numbers = words::only_numbers(now);
    growth->squares = squares_;
    growth->squares.resize(std::max(outputs, squares_.size()));
    growth->splits = now.declared && outputs > 1;
    return growth;
  }

  void join(const Intake& others) noexcept override {
    intake_.count_like(others);
    begun_ = others.n_learned();
  }

  std::size_t memory_bytes() override {
    return sizeof(*this) + intake_.unsaved_bytes() + table_.bytes() + squares_.size() * sizeof(double);
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new HashedModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<HashedModel&>(other);
    intake_ = std::move(them.intake_);
    table_ = std::move(them.table_);
    squares_ = std::move(them.squares_);
    targets_ = std::move(them.targets_);
    split_ = them.split_;
    begun_ = them.begun_;
    reserved_ = them.reserved_;
    only_numbers_ = them.only_numbers_;
  }

 private:
  friend RowModel;
  HashedModel(const HashedModel&) = default;

  struct Grown final : RowGrowth {
    HashedTable::Room room;
    AlignedVector<double> squares;
    bool splits = false, only_numbers = false;
    using RowGrowth::RowGrowth;
    void exchange() noexcept override {
      RowGrowth::exchange();
      model.table_.exchange(room);
      std::swap(model.squares_, squares);
      std::swap(model.only_numbers_, only_numbers);
      if (splits) model.split();  // a model that has learned nothing, and who takes its growth back begins with another
    }
    std::size_t bytes() override {
      return sizeof(HashedModel) + intake.unsaved_bytes() + model.table_.bytes() +
             (room.intercept.size() + room.windows.size() + squares.size()) * sizeof(double);
    }
  };

  // Outputs while so many classes are known.
  std::size_t outputs(int n_classes) const { return split_ ? static_cast<std::size_t>(n_classes) : 1; }
  void split() {
    if (split_) return;
    table_.split();
    squares_[1] = squares_[0];
    split_ = 1;
  }

  void make_room(const RowBlock& rows, const double* /*weight*/, HashedWork& work) {
    work.fresh = false;
    std::size_t most = 0;
    for (int r = 0; r < rows.n_rows; ++r) most = std::max(most, work.row.tokens.make_room(rows.row(r), rows.n_words));
    for (auto* numbers : {&work.row.t, &work.row.u, &work.row.size, &work.row.largest}) numbers->reserve(most + 1);
  }

  void read(const Example& example, HashedWork& work) const {
    work.row.tokens.read(example.row, intake_.schema(), only_numbers_, params_.view, params_.bits);
    table_.scale(work.row);
    table_.ask(work.row, outputs(example.n_classes), work.z.data());
    work.fresh = true;
  }

  void judge(const Example& example, HashedWork& work) const {
    read(example, work);
    Verdict verdict{work.score.data(), work.proba.data()};
    if (!split_) return verdict.set_margin(work.z[0], sigmoid(work.z[0]));
    const std::size_t k = outputs(example.n_classes);
    double sum = 0;
    softmax_powers(work.z.data(), k, 1, work.power.data(), &sum);
    for (std::size_t c = 0; c < k; ++c) {
      work.score[c] = work.z[c];
      work.proba[c] = work.power[c] / sum;
    }
  }
  double number(const Example& example, HashedWork& work) const {
    read(example, work);
    if (targets_[0] == 0) return std::numeric_limits<double>::quiet_NaN();
    double deviation = 0, said = 0;
    target_answers(work.z.data(), {&targets_[0], &targets_[1], &targets_[2], &targets_[3], &targets_[4]}, &deviation, &said, 1);
    return said;
  }

  void learn_row(const Example& example, double truth, double weight, HashedWork& work) {
    if (!work.fresh) read(example, work);
    work.fresh = false;
    const double n = static_cast<double>(example.number - begun_ + 1);
    table_.rate(work.row, params_.numbers ? 1.0 : usual_squared_slope, n);
    if (params_.numbers)
      work.step[0] = step_of_number(work, truth, weight, n);
    else if (example.n_classes_after <= 2)
      work.step[0] = step_of(0, work, example.label == 1 ? 1.0 : -1.0, pair_slopes(work.z[0], example.label == 1), weight, n);
    else
      steps_of_classes(example, work, weight, n);
    table_.keep(work.row);
    table_.teach(work.row, outputs(example.n_classes_after), work.step.data());
  }

  static Slopes pair_slopes(double z, bool up) {
    const double power = power_of_score(z);
    return slopes_of_power(power, 1.0 / (1.0 + power), up ? z > 0 : z < 0);
  }
  double step_of(std::size_t c, const HashedWork& work, double y, Slopes slopes, double weight, double n) {
    squares_[c] = std::min(squares_[c] + weight * (slopes.g * slopes.g), 1e300);
    const double drag = logistic_drag(squares_[c], 1.0 / (usual_squared_slope * n));
    return y * flow(slopes, weight * work.row.Q * slopes.g, drag) / work.row.Q;
  }
  // A class that is new has weights of 0.
  void steps_of_classes(const Example& example, HashedWork& work, double weight, double n) {
    if (!split_) {
      split();
      work.z[1] = work.z[0] / 2;
      work.z[0] = 0 - work.z[1];
      std::fill(work.z.begin() + 2, work.z.end(), 0.0);
    } else {
      std::fill(work.z.begin() + example.n_classes, work.z.end(), 0.0);
    }
    const auto k = static_cast<std::size_t>(example.n_classes_after);
    double sum = 0;
    softmax_powers(work.z.data(), k, 1, work.power.data(), &sum);
    double left = 0, right = 0;
    for (std::size_t c = 0; c < k; left += work.power[c++]) work.others[c] = left;
    for (std::size_t c = k; c-- > 0; right += work.power[c]) work.others[c] += right;
    for (std::size_t c = 0; c < k; ++c) {
      const double y = static_cast<int>(c) == example.label ? 1.0 : -1.0;
      work.step[c] = step_of(c, work, y, slopes_of_odds(y, work.power[c], work.others[c]), weight, n);
    }
  }
  double step_of_number(const HashedWork& work, double target, double weight, double n) {
    double &count = targets_[0], &mean = targets_[1], &spread = targets_[2], &low = targets_[3], &high = targets_[4];
    const double reach = target_clip * std::sqrt(spread / std::max(count, 1.0));
    const double pulled = count >= 20 && spread > 0 ? std::clamp(target, mean - reach, mean + reach) : target;
    low = count == 0 ? target : std::min(low, target);
    high = count == 0 ? target : std::max(high, target);
    const double off = pulled - mean;
    count += 1;
    mean += off / count;
    spread += off * (pulled - mean);
    const double y = spread > 0 ? (pulled - mean) / std::sqrt(spread / count) : 0.0, g = y - work.z[0];
    squares_[0] = std::min(squares_[0] + weight * (g * g), 1e300);
    return g * -expm1(-logistic_time(weight, squares_[0], work.row.Q, 1.0, n)) / work.row.Q;
  }

  void own_fields(FieldVisitor& v) {
    v.prefix = "hashed/";
    v("split", split_);
    if (params_.late) v("begun", begun_);
    v("squares", squares_);
    if (params_.numbers) v("targets", targets_);
    table_.fields(v, split_ != 0);
  }
  void check() const {
    table_.check();
    require(split_ == 0 || split_ == 1, "split flag");
    require(begun_ >= 0 && begun_ <= intake_.n_learned(), "first example");
    for (double x : squares_) require(x >= 0, "sum of squared slopes");
    require(targets_[0] >= 0 && targets_[2] >= 0 && targets_[3] <= targets_[4], "statistics of the targets");
  }

  static constexpr double target_clip = 5;
  Params params_;
  HashedTable table_;
  bool only_numbers_ = false;                                      // in all columns
  AlignedVector<double> squares_{0.0};                             // B of each output
  AlignedVector<double> targets_ = AlignedVector<double>(5, 0.0);  // count, mean, sum of squared deviations, lowest, highest
  std::int64_t split_ = 0;                                         // whether there is an output for each class
  std::int64_t begun_ = 0;                                         // examples before its first
};

}  // namespace streamboost
