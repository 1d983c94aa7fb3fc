// The labels' own past (ensembles/label_history.hpp) as a model, to be an expert among others.
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
  void visit(FieldVisitor& v) override {
    v.n_lanes_all = 1;
    v.lanes = {0, 1};
    v.prefix = "intake/";
    intake_.fields(v);
    v.prefix = "history/";
    history_.fields(v);
    if (!v.loads()) return;
    intake_.check();
    history_.check(intake_.n_learned());
  }
  std::size_t memory_bytes() override { return sizeof(*this) + intake_.unsaved_bytes() + history_.bytes(); }
  ModelReport report() override { return {}; }
  bool starved() const override { return false; }

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

  struct Grown final : Growth {
    HistoryModel& model;
    Intake intake;
    LabelHistory history;
    explicit Grown(HistoryModel& m) : model(m), intake(m.intake_) {}
    void commit() noexcept override {
      model.intake_ = std::move(intake);
      model.history_ = std::move(history);
      model.reserved_ = true;
    }
    std::size_t bytes() override {
      MemoryCounter counter;
      history.fields(counter);
      return counter.bytes + intake.unsaved_bytes() + sizeof(HistoryModel);
    }
  };

  void judge(const Example& example, HistoryWork& work) const {
    history_.answer(example.number, example.weight > 0, example.n_classes, work.proba.data());
    std::copy(work.proba.begin(), work.proba.end(), work.score.begin());
  }
  void learn_row(const Example& example, double, double weight, HistoryWork&) { history_.learn(example.number, example.label, weight); }

  LabelHistory history_;
};

}  // namespace streamboost
