// A model without lanes: it answers a row, then learns it.
//
// Whoever inherits says what a row is worth (`judge`, or `number`), learns it (`learn_row`), and lists and checks what it keeps
// (`own_fields`, `check`); intake and the kinds of answers are here. Work is what one call works with: made from the model, it has
// `buffer`, `score` and `proba`.
#pragma once
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

// What one call works with; scores and probabilities are those of the row at hand.
struct RowWork {
  RowBuffer buffer;
  std::vector<double> score, proba;
  explicit RowWork(const Schema& schema) : score(classes(schema)), proba(score.size()), width_(schema.width()) {}
  bool fits(const Schema& schema) const { return score.size() == classes(schema) && width_ == schema.width(); }

 private:
  static std::size_t classes(const Schema& schema) { return static_cast<std::size_t>(std::max(schema.n_classes, 2)); }
  int width_;
};

template <class Self, class Work>
class RowModel : public Model {
 public:
  // dense: sparse rows are made so.
  RowModel(const Ensemble& ensemble, bool numbers, bool dense = true)
      : ensemble_(ensemble), intake_(IntakeNeeds{.dense = dense, .unlabeled = ensemble.unlabeled}), numbers_(numbers) {
    if (ensemble.part) throw std::invalid_argument("a model without lanes is not cut into parts");
  }

  // In a pool the experts before have learned the rows when this one is given them: from here on nothing is allocated.
  void expect(const RowBlock& rows, const double* weight) override {
    if (!scratch_.work || !scratch_.work->fits(intake_.schema())) scratch_.work.emplace(self());
    intake_.make_room(scratch_.work->buffer);
    self().make_room(rows, weight, *scratch_.work);
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    expect(rows, weight);
    Work& work = *scratch_.work;
    Example example;
    for (int r = 0; r < rows.n_rows; ++r) {
      const double w = weight ? weight[r] : 1.0;
      const int label = numbers_ ? 0 : truth.label[r];
      intake_.admit(rows.row(r), label, w, truth.absent(r), work.buffer, example);
      if (out.output != Output::none) answer(example, r, work, out);
      if (w > 0) self().learn_row(example, numbers_ ? truth.target[r] : label, w, work);
    }
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Work work(self());
    Example example;
    for (int r = 0; r < rows.n_rows; ++r) {
      intake_.look(rows.row(r), work.buffer, example);
      answer(example, r, work, out);
    }
  }

  void visit(FieldVisitor& v) override {
    v.n_lanes_all = 1;
    v.lanes = {0, 1};
    v.prefix = "intake/";
    intake_.fields(v);
    self().own_fields(v);
    if (!v.loads()) return;
    intake_.check();
    self().check();
  }

  void swap_scratch(Model&) noexcept override {}
  const Intake& intake() const override { return intake_; }
  bool needs_gil() const override { return false; }
  bool answers_numbers() const override { return numbers_; }
  const char* broken() const override { return nullptr; }
  bool starved() const override { return false; }
  ModelReport report() override { return {}; }
  std::vector<const BankHandle*> banks() const override { return {}; }

 protected:
  RowModel(const RowModel&) = default;

  struct RowGrowth : Growth {
    Self& model;
    Intake intake;
    explicit RowGrowth(Self& m) : model(m), intake(m.intake_) {}
    bool reserved = true;
    void exchange() noexcept override {
      std::swap(model.intake_, intake);
      std::swap(model.reserved_, reserved);
    }
  };

  // What these rows will need, so that none is half learned.
  void make_room(const RowBlock&, const double* /*weight*/, Work&) {}

  // What there is to say without a row: nothing of no class, and everything of one. True: there is a choice.
  static bool choice_of(const Example& example, Work& work) {
    const int known = example.n_classes;
    const double nothing = known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    std::fill(work.score.begin(), work.score.end(), nothing);
    std::fill(work.proba.begin(), work.proba.end(), nothing);
    if (known == 1) work.score[0] = work.proba[0] = 1;
    return known > 1;
  }

  double number(const Example&, Work&) const { return std::numeric_limits<double>::quiet_NaN(); }  // of one that tells classes

  Ensemble ensemble_;
  Intake intake_;
  bool numbers_;
  bool reserved_ = false;

 private:
  // Of learning; a copy of the model has its own.
  struct Scratch {
    std::optional<Work> work;
    Scratch() = default;
    Scratch(const Scratch&) {}
  };
  Scratch scratch_;

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

 protected:
  void answer(const Example& example, int r, Work& work, const OutputBuffers& out) const {
    if (numbers_) {
      if (out.output == Output::number) out.value[r] = self().number(example, work);
      return;
    }
    if (choice_of(example, work)) self().judge(example, work);
    AnswerWriter{out, ensemble_, static_cast<std::size_t>(intake_.schema().n_classes)}.write(r, example,
                                                                                             {work.score.data(), work.proba.data()});
  }
};

}  // namespace streamboost
