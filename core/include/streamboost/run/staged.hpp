// What models with stages around them have in common: a model inside, and stages that are saved, loaded and counted beside it.
//
// Self is the class that inherits. Stages has reserve, fields, check and write_report.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "streamboost/run/model.hpp"

namespace streamboost {

// A stage that moves before the model inside learns its rows. That one may find no memory before its first row: then it moves back. kept:
// room for what it was.
template <class Stage>
class MovesAhead {
 public:
  MovesAhead(std::optional<Stage>& stage, std::optional<Stage>& kept, const Intake& intake)
      : stage_(stage), kept_(kept), intake_(intake), before_(intake.n_learned()) {
    static_assert(std::is_nothrow_swappable_v<Stage>);
    if (stage_) kept_ = stage_;
  }
  ~MovesAhead() {
    if (stage_ && intake_.n_learned() == before_) std::swap(stage_, kept_);
  }
  MovesAhead(const MovesAhead&) = delete;
  MovesAhead& operator=(const MovesAhead&) = delete;

 private:
  std::optional<Stage>&stage_, &kept_;
  const Intake& intake_;
  std::int64_t before_;
};

template <class Self, class Stages>
class Staged : public Model {
 public:
  Staged(std::unique_ptr<Model> inside, Stages stages) : inside_(std::move(inside)), stages_(std::move(stages)) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) final {
    auto growth = std::make_unique<Grown>(*this);
    growth->inside = inside_->prepare(schema);
    growth->stages.reserve(schema);
    return growth;
  }
  void visit(FieldVisitor& v) final {
    inside_->visit(v);
    stages_.fields(v);
    if (v.loads()) stages_.check();
  }
  void swap_scratch(Model& other) noexcept final { inside_->swap_scratch(*static_cast<Self&>(other).inside_); }
  std::size_t memory_bytes() final {
    MemoryCounter counter;
    stages_.fields(counter);
    return inside_->memory_bytes() + counter.total() + sizeof(Self);
  }
  ModelReport report() final {
    ModelReport report = inside_->report();
    stages_.write_report(report);
    return report;
  }

  const Intake& intake() const final { return inside_->intake(); }
  const char* broken() const final { return inside_->broken(); }
  bool needs_gil() const final { return inside_->needs_gil(); }
  bool starved() const final { return inside_->starved(); }
  std::vector<double> lags() const final { return inside_->lags(); }
  std::vector<const BankHandle*> banks() const final { return inside_->banks(); }
  std::vector<const BankHandle*> spares() const final { return inside_->spares(); }

 protected:
  void take(Model& other) final {
    auto& them = static_cast<Self&>(other);
    take_all(*inside_, *them.inside_);
    stages_ = std::move(them.stages_);
  }

  std::unique_ptr<Model> inside_;
  Stages stages_;

 private:
  struct Grown final : Growth {
    Staged& model;
    Stages stages;
    std::unique_ptr<Growth> inside;
    explicit Grown(Staged& m) : model(m), stages(m.stages_) {}
    void exchange() noexcept override {
      static_assert(std::is_nothrow_swappable_v<Stages>);
      Model::exchange(inside.get(), *model.inside_);
      std::swap(model.stages_, stages);
    }
    std::size_t bytes() override {
      MemoryCounter counter(true);
      stages.fields(counter);
      return counter.total() + sizeof(Self) + bytes_of(inside.get(), *model.inside_);
    }
  };
};

}  // namespace streamboost
