// What models with stages around them have in common: a model inside, and stages that are saved, loaded and counted beside it.
//
// Self is the class that inherits. Stages has fields, check and write_report.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/run/pipeline.hpp"

namespace streamboost {

template <class Self, class Stages>
class Staged : public Model {
 public:
  Staged(std::unique_ptr<Model> inside, Stages stages) : inside_(std::move(inside)), stages_(std::move(stages)) {}

  SavedState save() final {
    SavedState state = inside_->save();
    Saver saver;
    stages_.fields(saver);
    state.merge(saver.state);
    return state;
  }
  // All or nothing, like reserve: the stages are read on a copy, and the model inside last.
  void load(const SavedState& state) final {
    Stages stages = stages_;
    Saver names;
    stages.fields(names);
    SavedState own, rest;
    for (const auto& [name, field] : state) (names.state.contains(name) ? own : rest)[name] = field;
    Loader loader(own);
    stages.fields(loader);
    stages.check();
    inside_->load(rest);
    stages_ = std::move(stages);
  }
  std::size_t memory_bytes() final {
    MemoryCounter counter;
    stages_.fields(counter);
    return inside_->memory_bytes() + counter.bytes + sizeof(Self);
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
  std::vector<Bank*> banks() final { return inside_->banks(); }

 protected:
  std::unique_ptr<Model> inside_;
  Stages stages_;
};

}  // namespace streamboost
