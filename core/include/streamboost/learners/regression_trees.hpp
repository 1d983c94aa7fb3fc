// A bank of regression Hoeffding trees (regression_tree.hpp): one structure per lane. k copies of an example are one of weight k.
#pragma once
#include <algorithm>
#include <vector>

#include "streamboost/learners/bank.hpp"
#include "streamboost/learners/regression_tree.hpp"

namespace streamboost {

class RegressionTreeBank final : public Bank, public NeedsRoom, public DrawnAtBirth, public LimitsTrees, public GrowsInPlace {
 public:
  using Params = RegressionTreeParams;

  RegressionTreeBank(const Params& params, Lanes lanes, std::uint64_t seed)
      : params_(params), lanes_(lanes), seed_(seed), trees_(static_cast<std::size_t>(lanes.size())), columns_(trees_.size()) {}

  Lanes lanes() const override { return lanes_; }
  IntakeNeeds needs() const override { return {}; }
  Abilities abilities() override {
    Abilities all = abilities_of(*this);
    all.numbers = true;
    return all;
  }
  bool trained(int lane) const override { return trees_[static_cast<std::size_t>(lane)].trained(); }
  NoteRoom make_notes() const override { return {3, nullptr}; }  // node, mean, plane
  std::unique_ptr<Bank> copy() const override { return std::make_unique<RegressionTreeBank>(*this); }
  void count_unsaved(MemoryCounter& counter) const override {
    counter.shared(schema_.n_values.size() * 8);
    for (const RegressionColumns& one : columns_) counter.own((one.all.size() + one.plane.size()) * 4 + one.nominal.size() / 8);
  }
  double least_numbers(const Schema&) const override { return 20; }
  const RegressionTree& tree(int lane) const { return trees_[static_cast<std::size_t>(lane)]; }

  void expect(const RowBlock&, const double*) override {
    for (std::size_t i = 0; i < trees_.size(); ++i) trees_[i].expect(columns_[i]);
  }
  bool starved() const override {
    return std::any_of(trees_.begin(), trees_.end(), [](const RegressionTree& tree) { return tree.starved(); });
  }

  bool short_of_memory() const override {
    return std::any_of(trees_.begin(), trees_.end(), [](const RegressionTree& tree) { return tree.limited(); });
  }
  std::pair<int, int> count_leaves(int lane) const override {
    const RegressionTree& found = tree(lane);
    return {static_cast<int>(found.n_leaves()), static_cast<int>(found.n_idle())};
  }

  void ask(const Example& example, Request, Answers& answers) const override {
    double *node = answers.notes.data(), *mean = node + answers.stride, *plane = mean + answers.stride;
    const std::size_t n = trees_.size();
    for (std::size_t i = 0; i < n; ++i) node[i] = static_cast<double>(trees_[i].route(example.row.value));
    const auto leaf = [&](std::size_t i) { return static_cast<std::size_t>(node[i]); };
    for (std::size_t i = 0; i < std::min(n, ahead); ++i) trees_[i].fetch_plane(leaf(i));
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n) trees_[i + ahead].fetch_plane(leaf(i + ahead));
      answers.vote[i] = trees_[i].trained() ? 0 : -1;
      const RegressionTree::Said said = trees_[i].ask(leaf(i), example.row.value, columns_[i]);
      answers.margin[i] = trees_[i].answer(said, params_);
      mean[i] = said.mean;
      plane[i] = said.plane;
    }
  }
  void learn(const Example& example, Labels truth, const double* amount, Amount, Answers& answers) override {
    const double *node = answers.notes.data(), *mean = node + answers.stride, *plane = mean + answers.stride;
    const auto leaf = [&](std::size_t i) { return static_cast<std::size_t>(node[i]); };
    for (std::size_t i = 0, n = trees_.size(); i < n; ++i) {
      if (i + ahead < n && amount[i + ahead] > 0) trees_[i + ahead].fetch_heads(leaf(i + ahead));
      if (amount[i] > 0) trees_[i].learn({leaf(i), mean[i], plane[i]}, example.row.value, truth.target[i], amount[i], columns_[i], params_);
    }
  }

  void reserve(const Schema& schema) override {
    schema_ = schema;
    draw_again();
  }
  void grow(const Schema& schema, Journal& journal) override {
    journal.assign(schema_, schema);
    journal.assign(columns_, columns_);
    draw_again();
  }

 protected:
  void begin(int lane) override {
    const auto i = static_cast<std::size_t>(lane);
    if (params_.feature_fraction < 1) {
      RegressionColumns columns = columns_of(lane);
      trees_[i].expect(columns);
      columns_[i] = std::move(columns);
    }
    columns_[i].birth = birth(lane);
    trees_[i].clear();
  }
  void exchange(int lane, Bank& other) override {
    auto& them = static_cast<RegressionTreeBank&>(other);
    const auto i = static_cast<std::size_t>(lane);
    std::swap(trees_[i], them.trees_[i]);
    std::swap(columns_[i], them.columns_[i]);
  }
  void draw_again() override {
    for (int lane = 0; lane < lanes_.size(); ++lane) columns_[static_cast<std::size_t>(lane)] = columns_of(lane);
  }
  void fields(FieldVisitor& v) override {
    Ragged<double> packed;
    for (const RegressionTree& tree : trees_) {
      packed.push_back(tree.pack());
      packed.back().shrink_to_fit();  // who counts memory counts it
    }
    v("tree", packed);
    if (!v.loads()) return;
    for (std::size_t i = 0; i < trees_.size(); ++i) trees_[i].unpack(packed[i], columns_[i]);
  }

 private:
  RegressionColumns columns_of(int lane) const {
    return {schema_, params_.feature_fraction, seed_, lanes_.begin + lane, this->birth(lane)};
  }

  static constexpr std::size_t ahead = 2;  // trees whose memory is called for before their turn

  Params params_;
  Lanes lanes_;
  std::uint64_t seed_;
  Schema schema_;
  std::vector<RegressionTree> trees_;
  std::vector<RegressionColumns> columns_;
};

}  // namespace streamboost
