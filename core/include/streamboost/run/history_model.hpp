// Predicts a label from the labels before it, without looking at the row (ensembles/label_history.hpp). It is an expert of pooled models:
// companions=["history"] of StreamBoostClassifier.
#pragma once
#include <memory>

#include "streamboost/ensembles/label_history.hpp"
#include "streamboost/run/row_model.hpp"

namespace streamboost {

struct HistoryWork : RowWork {
  template <class Owner>
  explicit HistoryWork(const Owner& model) : RowWork(model.intake().schema()) {}
};

class HistoryModel final : public RowModel<HistoryModel, HistoryWork> {
 public:
  HistoryModel(const Ensemble& ensemble, std::int64_t delay) : RowModel(ensemble, false), history_(delay) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->intake.reserve(schema);
    const Schema& now = growth->intake.schema();
    if (reserved_ && now == intake_.schema()) return nullptr;
    growth->history = now.n_classes == intake_.schema().n_classes ? history_ : history_.grown(now.n_classes);
    return growth;
  }
  std::size_t memory_bytes() override { return sizeof(*this) + intake_.unsaved_bytes() + history_.bytes(); }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new HistoryModel(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<HistoryModel&>(other);
    intake_ = std::move(them.intake_);
    history_ = std::move(them.history_);
    reserved_ = them.reserved_;
  }

 private:
  friend RowModel;
  HistoryModel(const HistoryModel&) = default;

  struct Grown final : RowGrowth {
    LabelHistory history;
    using RowGrowth::RowGrowth;
    void exchange() noexcept override {
      RowGrowth::exchange();
      std::swap(model.history_, history);
    }
    std::size_t bytes() override {
      MemoryCounter counter(true);
      history.fields(counter);
      return counter.total() + intake.unsaved_bytes() + sizeof(HistoryModel);
    }
  };

  void own_fields(FieldVisitor& v) {
    v.prefix = "history/";
    history_.fields(v);
  }
  void check() const { history_.check(intake_.n_learned()); }

  void judge(const Example& example, HistoryWork& work) const {
    history_.answer(example.number, example.weight > 0, example.n_classes, work.proba.data());
    std::copy(work.proba.begin(), work.proba.end(), work.score.begin());
  }
  void learn_row(const Example& example, double, double weight, HistoryWork&) { history_.learn(example.number, example.label, weight); }

  LabelHistory history_;
};

}  // namespace streamboost
