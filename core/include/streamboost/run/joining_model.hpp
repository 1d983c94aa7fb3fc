// Experts over hashed tokens that join a model once its rows need them: dicts may bring a column of identifiers, or very many columns, at
// any time.
//
//   until then     the model inside answers alone, and the state is its own
//   from then on   it is the first expert of a pool (run/pooled_model.hpp). The others know the classes that it knows and nothing else, and have
//                  their places in the pool's answer from their first row on
//
// Who joins follows from the columns alone, so it does not matter in how many steps they have come: with a column of words among the first
// `most_columns` + 1 all of them, with more columns than that the first of them.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "streamboost/run/pooled_model.hpp"
#include "streamboost/run/view_model.hpp"

namespace streamboost {

class JoiningModel final : public ViewModel {
 public:
  // A pool with so many companions, and with a place for the first expert.
  using Maker = std::function<std::unique_ptr<PooledExperts>(std::size_t)>;

  JoiningModel(std::unique_ptr<Model> inside, int most_columns, std::size_t companions, Maker maker)
      : ViewModel(std::move(inside)), most_columns_(most_columns), companions_(companions), maker_(std::move(maker)) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    const std::size_t wanted = companions_of(schema);
    if (joined_ > 0 || wanted == 0) return inside_->prepare(schema);
    auto growth = std::make_unique<Joined>(*this, wanted);
    growth->pool = maker_(wanted);
    growth->first = inside_->prepare(schema);
    growth->others = growth->pool->prepare(schema);
    return growth;
  }
  void expect(const RowBlock& rows, const double* weight) override { inside_->expect(rows, weight); }
  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    inside_->learn(rows, truth, weight, out);
  }
  int enlist(Flow& flow, const FlowInput& in) override { return inside_->enlist(flow, in); }
  void predict(const RowBlock& rows, const OutputBuffers& out) const override { inside_->predict(rows, out); }
  void visit(FieldVisitor& v) override { inside_->visit(v); }
  const Intake& intake() const override { return inside_->intake(); }
  // The same before and after they join: what was asked before may be learned after.
  std::size_t record_width(std::size_t k) const override {
    if (joined_ == companions_) return inside_->record_width(k);
    const std::size_t fewer = joined_ == 0 ? 0 : PooledExperts::own_width(answers_numbers(), joined_ + 1, k);
    return inside_->record_width(k) - fewer + PooledExperts::own_width(answers_numbers(), companions_ + 1, k);
  }
  void swap_scratch(Model& other) noexcept override {
    if (static_cast<JoiningModel&>(other).joined_ == joined_) ViewModel::swap_scratch(other);
  }
  std::size_t memory_bytes() override { return inside_->memory_bytes() + sizeof(JoiningModel); }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new JoiningModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<JoiningModel&>(other);
    if (joined_ == them.joined_) return take_all(*inside_, *them.inside_);
    inside_ = std::move(them.inside_);
    joined_ = them.joined_;
  }

 private:
  JoiningModel(const JoiningModel&) = default;

  std::size_t companions_of(const Schema& schema) const {
    const auto word = std::find_if(schema.n_values.begin(), schema.n_values.end(), holds_words);
    if (word != schema.n_values.end() && word - schema.n_values.begin() <= most_columns_) return companions_;
    return schema.width() > most_columns_ ? 1 : 0;
  }

  struct Joined final : Growth {
    JoiningModel& own;
    std::size_t joining;
    std::unique_ptr<PooledExperts> pool;
    std::unique_ptr<Growth> first, others;
    Joined(JoiningModel& model, std::size_t companions) : own(model), joining(companions) {}
    void exchange() noexcept override {
      if (pool) {
        Model::exchange(first.get(), *own.inside_);
        others->exchange();
        pool->begin_with(std::move(own.inside_));
        own.inside_ = std::move(pool);
      } else {  // they leave again: nothing was learned
        pool.reset(static_cast<PooledExperts*>(own.inside_.release()));
        own.inside_ = pool->first_leaves();
        Model::exchange(first.get(), *own.inside_);
      }
      std::swap(own.joined_, joining);
    }
    std::size_t bytes() override { return bytes_of(first.get(), *own.inside_) + others->bytes() + sizeof(JoiningModel); }
  };

  int most_columns_;
  std::size_t companions_, joined_ = 0;
  Maker maker_;
};

}  // namespace streamboost
