// What comes after the vote: a model whose answers go through a short line of stages, each of which may be missing.
//
//   vote -> calibration (stages/calibrator.hpp)
//
// The model inside answers every row of a slice before learning it; then the stages go through the slice row by row, speak with their
// state of before the row, and learn from its label. Nothing flows back to the model, so any slices, chunks and threads give the same
// bits. Scores stay the vote's own; labels follow the probabilities that the stages give.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "streamboost/run/pipeline.hpp"
#include "streamboost/stages/calibrator.hpp"

namespace streamboost {

struct Stages {
  std::optional<Calibrator> calibrator;

  static Stages read(const Config& config) {
    Stages stages;
    if (config.given("calibration")) stages.calibrator.emplace(Calibrator::Params::read(config));
    return stages;
  }
  void reserve(int n_classes) {
    if (calibrator) calibrator->reserve(n_classes);
  }
  void fields(FieldVisitor& v) {
    v.prefix = "calibration/";
    if (calibrator) calibrator->fields(v);
  }
  void check() const {
    if (calibrator) calibrator->check();
  }
};

class StagedModel final : public Model {
 public:
  StagedModel(std::unique_ptr<Model> voters, Stages stages, const Ensemble& ensemble)
      : voters_(std::move(voters)), stages_(std::move(stages)), ensemble_(ensemble) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    growth->voters = voters_->prepare(schema);
    growth->stages.reserve(schema.n_classes);
    return growth;
  }

  void learn(const RowBlock& rows, const std::int32_t* label, const double* weight, const OutputBuffers& out) override {
    learn_work_.prepare(*this, rows.n_rows);
    Work& work = learn_work_;
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      Count count = counted();
      voters_->learn(rows.part(first, n), label + first, weight ? weight + first : nullptr, work.answers());
      for (int r = 0; r < n; ++r) {
        speak(r, count, work);
        if (out.output != Output::none) write(first + r, r, count, work, out);
        const double w = weight ? weight[first + r] : 1.0;
        if (!(w > 0)) continue;
        follow(r, count, label[first + r], w, work);
        count.number += 1;
        count.known = std::max(count.known, label[first + r] + 1);
      }
    }
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Work work;
    work.prepare(*this, rows.n_rows);
    const Count count = counted();
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      voters_->predict(rows.part(first, n), work.answers());
      for (int r = 0; r < n; ++r) {
        speak(r, count, work);
        write(first + r, r, count, work, out);
      }
    }
  }

  std::unique_ptr<Model> clone() const override { return std::make_unique<StagedModel>(voters_->clone(), stages_, ensemble_); }

  SavedState save() override {
    SavedState state = voters_->save();
    Saver saver;
    stages_.fields(saver);
    state.merge(saver.state);
    return state;
  }
  // All or nothing, like reserve: the stages are read on a copy, and the voters last.
  void load(const SavedState& state) override {
    Stages stages = stages_;
    Saver names;
    stages.fields(names);
    SavedState own, rest;
    for (const auto& [name, field] : state) (names.state.contains(name) ? own : rest)[name] = field;
    Loader loader(own);
    stages.fields(loader);
    stages.check();
    voters_->load(rest);
    stages_ = std::move(stages);
  }
  std::size_t memory_bytes() override {
    MemoryCounter counter;
    stages_.fields(counter);
    return voters_->memory_bytes() + counter.bytes + sizeof(*this);
  }
  ModelReport report() override {
    ModelReport report = voters_->report();
    if (stages_.calibrator) stages_.calibrator->write_report(report);
    return report;
  }

  const Intake& intake() const override { return voters_->intake(); }
  const char* broken() const override { return voters_->broken(); }
  bool needs_gil() const override { return voters_->needs_gil(); }
  std::vector<Bank*> banks() override { return voters_->banks(); }

 private:
  struct Grown final : Growth {
    StagedModel& model;
    Stages stages;
    std::unique_ptr<Growth> voters;
    explicit Grown(StagedModel& m) : model(m), stages(m.stages_) {}
    void commit() noexcept override {
      static_assert(std::is_nothrow_move_assignable_v<Stages>);
      if (voters) voters->commit();
      model.stages_ = std::move(stages);
    }
  };

  // Examples learned and classes known before a row.
  struct Count {
    std::int64_t number;
    int known;
  };
  Count counted() const { return {intake().n_learned(), intake().n_classes_known()}; }

  // What one call works with.
  struct Work {
    static constexpr std::size_t numbers = std::size_t{1} << 17;  // answers kept at a time
    std::size_t k = 0;                                            // classes that have codes
    int rows = 0;
    std::vector<double> answer;  // [row]: scores, probabilities, label
    std::vector<double> p;       // what the stages make of the probabilities of the row at hand
    Calibrator::Work calibration;

    void prepare(const StagedModel& model, int n_rows) {
      k = static_cast<std::size_t>(model.intake().schema().n_classes);
      rows = std::min(n_rows, static_cast<int>(std::clamp<std::size_t>(numbers / columns(), 32, 4096)));
      answer.resize(static_cast<std::size_t>(rows) * columns());
      p.resize(std::max<std::size_t>(k, 2));
      calibration.reserve(p.size());
    }
    std::size_t columns() const { return 2 * k + 1; }
    OutputBuffers answers() { return {Output::full, nullptr, answer.data()}; }
    const double* score(int r) const { return answer.data() + static_cast<std::size_t>(r) * columns(); }
    const double* vote(int r) const { return score(r) + k; }
  };

  // The probabilities of row r after all stages, into work.p.
  void speak(int r, const Count& count, Work& work) const {
    const double* q = work.vote(r);
    if (stages_.calibrator && count.known > 1)
      stages_.calibrator->answer(q, count.known, work.calibration, work.p.data());
    else
      std::copy_n(q, work.k, work.p.data());
  }

  void follow(int r, const Count& count, int label, double weight, Work& work) {
    if (count.known < 2 || label >= count.known) return;
    if (stages_.calibrator) stages_.calibrator->learn(work.vote(r), work.p.data(), count.known, label, weight, work.calibration);
  }

  // Without a stage that moves probabilities the vote has decided already, ties and all.
  int decide(int r, const Count& count, const Work& work) const {
    if (count.known < 2 || !stages_.calibrator) return count.known == 0 ? -1 : static_cast<int>(work.score(r)[2 * work.k]);
    return pick_class(work.p.data(), count.known, ensemble_, count.number);
  }

  void write(int to, int r, const Count& count, const Work& work, const OutputBuffers& out) const {
    const int label = decide(r, count, work);
    const double nothing = count.known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    const auto known = static_cast<std::size_t>(count.known);
    const auto row = [&](std::size_t columns) { return out.value + static_cast<std::size_t>(to) * columns; };
    const auto put = [&](double* p) {
      for (std::size_t c = 0; c < work.k; ++c) p[c] = c < known ? work.p[c] : nothing;
    };
    switch (out.output) {
      case Output::none:
        break;
      case Output::label:
        out.label[to] = label;
        break;
      case Output::score:
        std::copy_n(work.score(r), work.k, row(work.k));
        break;
      case Output::proba:
        put(row(work.k));
        break;
      case Output::both:
        put(row(work.k + 1));
        row(work.k + 1)[work.k] = label;
        break;
      case Output::full:
        std::copy_n(work.score(r), work.k, row(work.columns()));
        put(row(work.columns()) + work.k);
        row(work.columns())[2 * work.k] = label;
        break;
    }
  }

  std::unique_ptr<Model> voters_;
  Stages stages_;
  Ensemble ensemble_;
  Work learn_work_;
};

}  // namespace streamboost
