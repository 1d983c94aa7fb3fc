// The black-box bank: any Python learner, one object per lane, driven by the same boosters as every other bank.
//
// A lane is an adapter object (streamboost.learners.adapters) with
//   answer(row, n_classes) -> class distribution or None (untrained)
//   learn(row, label, weight, copies) -> None
//   can_weight: bool
// A regressor's lane answers a number or None, and learns a number instead of a label.
// A learner without weights gets whole copies; the fraction of a weight becomes a copy by a keyed coin.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "streamboost/learners/bank.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

namespace nb = nanobind;

class PyBank final : public Bank, public LearnsThenAnswers, public HoldsObjects {
 public:
  PyBank(nb::object factory, Lanes lanes, std::uint64_t seed, bool numbers)
      : factory_(std::move(factory)), lanes_(lanes), seed_(seed), numbers_(numbers) {
    for (int lane = lanes.begin; lane < lanes.end; ++lane) objects_.push_back(factory_(lane));
    for (const auto& object : objects_) can_weight_.push_back(nb::cast<bool>(object.attr("can_weight")));
  }

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override {
    Abilities all = abilities_of(*this);
    all.numbers = numbers_;
    if (numbers_) all.learn_then_answer = nullptr;
    return all;
  }
  bool trained(int) const override { return true; }  // a margin of 0 is an answer
  // Growing and loading change nothing in here, so that a copy may share the objects.
  std::unique_ptr<Bank> copy() const override { return std::make_unique<PyBank>(*this); }
  double least_numbers(const Schema&) const override { return 0; }
  void* object(int lane) const override { return objects_[static_cast<std::size_t>(lane)].ptr(); }

  void ask(const Example& example, Request, Answers& answers) const override {
    const nb::object row = copy(example.row);
    const auto k = static_cast<std::size_t>(example.n_classes);
    for (std::size_t i = 0; numbers_ && i < objects_.size(); ++i) {
      const nb::object said = objects_[i].attr("answer")(row, 0);
      answers.vote[i] = said.is_none() ? -1 : 0;
      answers.margin[i] = said.is_none() ? 0.0 : nb::cast<double>(said);
    }
    for (std::size_t i = 0; !numbers_ && i < objects_.size(); ++i) {
      const Answer answer = interpret(objects_[i].attr("answer")(row, example.n_classes), k, &answers, i);
      answers.vote[i] = answer.label;
      answers.margin[i] = answer.margin;
    }
  }

  void learn(const Example& example, Labels truths, const double* amount, Amount kind, Answers&) override {
    const nb::object row = copy(example.row);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const nb::object truth = numbers_ ? nb::object(nb::float_(truths.target[i])) : nb::object(nb::int_(truths.of(static_cast<int>(i))));
      teach(i, row, truth, amount[i], kind, example);
    }
  }

  Answer learn_then_answer(int lane, const Example& example, double amount, Amount kind, Request, Answers&) override {
    const nb::object row = copy(example.row);
    const auto i = static_cast<std::size_t>(lane);
    teach(i, row, nb::int_(example.label), amount, kind, example);
    return interpret(objects_[i].attr("answer")(row, example.n_classes_after), static_cast<std::size_t>(example.n_classes_after), nullptr,
                     i);
  }

  void reserve(const Schema&) override {}

 protected:
  void begin(int lane) override { objects_[static_cast<std::size_t>(lane)] = factory_(lanes_.begin + lane); }
  void exchange(int lane, Bank& other) override {
    const auto i = static_cast<std::size_t>(lane);
    auto& them = static_cast<PyBank&>(other);
    std::swap(objects_[i], them.objects_[i]);
    const bool mine = can_weight_[i];
    can_weight_[i] = them.can_weight_[i];
    them.can_weight_[i] = mine;
  }
  void fields(FieldVisitor&) override {}  // the objects travel by pickle

 private:
  // Learners may keep the row they are given, so each call owns a copy.
  static nb::object copy(const Row& row) {
    auto* data = new double[static_cast<std::size_t>(row.size) + 1];
    std::copy_n(row.value, row.size, data);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {static_cast<std::size_t>(row.size)}, owner));
  }

  void teach(std::size_t i, const nb::object& row, const nb::object& label, double amount, Amount kind, const Example& example) {
    if (!(amount > 0)) return;
    bool copies = kind == Amount::copies;
    if (!can_weight_[i] && !copies) {
      const double whole = std::floor(amount);
      const Key key{seed_, static_cast<std::uint64_t>(example.number),
                    static_cast<std::uint32_t>(lanes_.begin) + static_cast<std::uint32_t>(i), Purpose::coin};
      amount = whole + (uniform(key) < amount - whole ? 1.0 : 0.0);
      copies = true;
      if (amount == 0) return;
    }
    objects_[i].attr("learn")(row, label, amount, copies);
  }

  static Answer interpret(const nb::object& said, std::size_t k, Answers* answers, std::size_t i) {
    Answer answer;
    for (std::size_t c = 0; answers && c < k; ++c) answers->distribution[c * answers->stride + i] = 0;
    if (said.is_none()) return answer;
    const auto p = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(said);
    if (p.shape(0) != k)
      throw std::invalid_argument("a learner answered for " + std::to_string(p.shape(0)) + " classes instead of " + std::to_string(k));
    double best = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double mine = p.data()[c];
      if (!(mine >= 0)) throw std::invalid_argument("a learner answered with a probability that is negative or not a number");
      if (answers) answers->distribution[c * answers->stride + i] = mine;
      if (answer.label < 0 || mine > best) {
        best = mine;
        answer.label = static_cast<int>(c);
      }
    }
    if (k == 2) answer.margin = p.data()[1] - p.data()[0];
    if (k == 1) answer.margin = -1;
    return answer;
  }

  nb::object factory_;
  Lanes lanes_;
  std::uint64_t seed_;
  bool numbers_;
  std::vector<nb::object> objects_;
  std::vector<bool> can_weight_;
};

}  // namespace streamboost
