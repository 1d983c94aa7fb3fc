// Several models over the same rows, and one answer: each is an expert of a logarithmic opinion pool (ensembles/log_pool.hpp).
//
// Every expert is a whole pipeline with an intake of its own: trees want columns, linear learners want scaled coordinates. A slice of
// rows goes through one expert after the other, each answering every row before learning it; then the pool goes through the slice row by
// row with those answers, speaks with its state of before the row, and learns from the label. Nothing flows back from the pool to the
// experts, so any slices, chunks and threads give the same bits. A temperature, where it is asked for, has the last word on probabilities
// (ensembles/temperature.hpp); labels are those of before it. The first expert is the main one: it keeps the numbers of examples and
// classes, and its learners are the lanes of the report. A pool may be the main expert of another one.
//
// A judge, where there is one, is the last expert: its rows have, before their own columns, what every other expert answered before learning
// them, the label and its log odds. It learns by the row whom to trust.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "streamboost/ensembles/log_pool.hpp"
#include "streamboost/ensembles/temperature.hpp"
#include "streamboost/run/model.hpp"
#include "streamboost/run/wider_rows.hpp"

namespace streamboost {

// What pools of any kind share: experts, their files, what the main one says about itself.
class PooledExperts : public Model {
 public:
  struct Expert {
    std::string name;
    std::unique_ptr<Model> model;
    bool judges() const { return name == "judge"; }
  };

  explicit PooledExperts(std::vector<Expert> experts) : experts_(std::move(experts)) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    for (auto& expert : experts_)
      growth->parts.push_back(
          expert.model->prepare(expert.judges() ? WiderRows::schema(schema, judged_columns(), numeric_column) : schema));
    return growth;
  }

  void visit(FieldVisitor& v) override {
    const std::string owner = v.owner;
    v.prefix = "pool/";
    pool_fields(v);
    for (auto& expert : experts_) {
      v.owner = owner + expert.name + "/";
      expert.model->visit(v);
    }
    v.owner = owner;
    if (!v.loads()) return;
    pool_check();
    for (const auto& expert : experts_) {
      require(expert.model->intake().n_learned() == intake().n_learned(), "examples learned by the experts");
      require(expert.model->intake().n_classes_known() == intake().n_classes_known(), "classes known to the experts");
    }
  }
  void swap_scratch(Model& other) noexcept override {
    auto& them = static_cast<PooledExperts&>(other);
    for (std::size_t e = 0; e < experts_.size(); ++e) experts_[e].model->swap_scratch(*them.experts_[e].model);
  }
  std::size_t memory_bytes() override {
    MemoryCounter counter;
    pool_fields(counter);
    for (auto& expert : experts_) counter.bytes += expert.model->memory_bytes();
    return counter.bytes + sizeof(PooledExperts);
  }
  const Intake& intake() const override { return experts_.front().model->intake(); }
  // All experts before one of them learns.
  void expect(const RowBlock& rows, const double* weight) override {
    for (auto& expert : experts_) expert.model->expect(rows, weight);
  }
  bool starved() const override {
    return std::any_of(experts_.begin(), experts_.end(), [](const Expert& expert) { return expert.model->starved(); });
  }
  const char* broken() const override {
    for (const auto& expert : experts_)
      if (const char* why = expert.model->broken()) return why;
    return nullptr;
  }
  bool needs_gil() const override { return experts_.front().model->needs_gil(); }
  std::vector<const BankHandle*> banks() const override { return experts_.front().model->banks(); }
  std::vector<const BankHandle*> spares() const override { return experts_.front().model->spares(); }

 protected:
  virtual void pool_fields(FieldVisitor&) = 0;
  virtual void pool_check() const = 0;

  std::vector<Expert> copied_experts() const {
    std::vector<Expert> experts;
    for (const auto& expert : experts_) experts.push_back({expert.name, copy_of(*expert.model)});
    return experts;
  }

  void take_experts(PooledExperts& other) {
    for (std::size_t e = 0; e < experts_.size(); ++e) take_all(*experts_[e].model, *other.experts_[e].model);
  }

  // What a judge is told by the experts before it.
  int judged_columns() const { return 2 * (static_cast<int>(experts_.size()) - 1); }

  std::vector<Expert> experts_;

 private:
  struct Grown final : Growth {
    PooledExperts& pool;
    std::vector<std::unique_ptr<Growth>> parts;
    explicit Grown(PooledExperts& p) : pool(p) {}
    void commit() noexcept override {
      for (std::size_t e = 0; e < parts.size(); ++e) Model::commit(parts[e].get(), *pool.experts_[e].model);
    }
    std::size_t bytes() override {
      std::size_t all = 0;
      for (std::size_t e = 0; e < parts.size(); ++e) all += bytes_of(parts[e].get(), *pool.experts_[e].model);
      MemoryCounter counter;
      pool.pool_fields(counter);
      return all + counter.bytes + sizeof(PooledExperts);
    }
  };
};

class PooledModel final : public PooledExperts {
 public:
  PooledModel(std::vector<Expert> experts, LogPool::Params pool, const Ensemble& ensemble)
      : PooledExperts(std::move(experts)), pool_(pool, static_cast<int>(experts_.size())), ensemble_(ensemble) {}

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(*this, rows);
    expect(rows, weight);
    Count count = counted();
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      const double* w = weight ? weight + first : nullptr;
      for (std::size_t e = 0; e < experts_.size(); ++e)
        experts_[e].model->learn(rows_of(e, rows.part(first, n), work), truth.from(first), w, work.answers_of(e));
      pool_rows(n, truth.label + first, w, out.from(first, work.columns - 1), count, work);
    }
  }

  int enlist(Flow& flow, const FlowInput& in) override {
    struct OnTheWay {
      Count count;
      std::vector<Work> work;  // [slot]
    };
    auto way = std::make_shared<OnTheWay>(OnTheWay{counted(), {}});
    for (int s = 0; s < flow.slots(); ++s) way->work.emplace_back(*this, in.rows, flow.chunk_rows());
    std::vector<int> experts;
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      if (experts_[e].judges()) {
        const auto judging = [this, &flow, in, way, e](int c) {
          Work& work = way->work[flow.slot(c)];
          experts_[e].model->learn(rows_of(e, in.rows_of(flow, c), work), in.truth.from(flow.first(c)), in.weight_of(flow, c),
                                   work.answers_of(e));
        };
        experts.push_back(flow.add(judging, experts));
        continue;
      }
      FlowInput of_expert = in;
      of_expert.answers = [&flow, way, e](int c) { return way->work[flow.slot(c)].answers_of(e); };
      experts.push_back(experts_[e].model->enlist(flow, of_expert));
    }
    const auto task = [this, &flow, in, way](int c) {
      pool_rows(flow.size(c), in.truth.label + flow.first(c), in.weight_of(flow, c), in.answers(c), way->count, way->work[flow.slot(c)]);
    };
    return flow.add(task, experts);
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    if (out.output == Output::votes) return mean_votes(rows, out.value);
    Work work(*this, rows);
    const Count count = counted();
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      for (std::size_t e = 0; e < experts_.size(); ++e)
        experts_[e].model->predict(rows_of(e, rows.part(first, n), work), work.answers_of(e));
      for (int r = 0; r < n; ++r) {
        consider(r, count, work);
        write(first + r, count, work, out);
      }
    }
  }

  ModelReport report() override {
    ModelReport report = experts_.front().model->report();
    for (std::size_t e = 0; e < experts_.size(); ++e) report.totals["pool_weight/" + experts_[e].name] = pool_.weights()[e];
    for (std::size_t e = 0; e < experts_.size(); ++e) report.totals["recently_right/" + experts_[e].name] = pool_.right(e);
    report.totals["recently_right/pool"] = pool_.right(experts_.size());
    if (pool_.params().temperature) report.totals["temperature"] = temperature_.value();
    return report;
  }

 protected:
  void pool_fields(FieldVisitor& v) override {
    pool_.fields(v);
    if (pool_.params().temperature) temperature_.fields(v);
  }
  void pool_check() const override {
    pool_.check();
    temperature_.check();
  }
  std::unique_ptr<Model> copy() const override {
    return std::unique_ptr<Model>(new PooledModel(copied_experts(), pool_, temperature_, ensemble_));
  }
  void take(Model& other) override {
    auto& them = static_cast<PooledModel&>(other);
    take_experts(them);
    pool_ = std::move(them.pool_);
    temperature_ = std::move(them.temperature_);
  }

 private:
  PooledModel(std::vector<Expert> experts, LogPool pool, Temperature temperature, const Ensemble& ensemble)
      : PooledExperts(std::move(experts)), pool_(std::move(pool)), temperature_(std::move(temperature)), ensemble_(ensemble) {}

  // Examples learned and classes known before a row.
  struct Count {
    std::int64_t number;
    int known;
  };
  Count counted() const { return {intake().n_learned(), intake().n_classes_known()}; }

  // Every expert counts the same, however many learners it has; a judge has no opinion but theirs.
  void mean_votes(const RowBlock& rows, double* shares) const {
    const std::size_t n = static_cast<std::size_t>(rows.n_rows) * static_cast<std::size_t>(intake().schema().n_classes);
    std::vector<double> own(n);
    std::fill_n(shares, n, 0.0);
    const std::size_t m = experts_.size() - (experts_.back().judges() ? 1 : 0);
    for (std::size_t e = 0; e < m; ++e) {
      experts_[e].model->predict(rows, {Output::votes, nullptr, own.data()});
      for (std::size_t i = 0; i < n; ++i) shares[i] += own[i] / static_cast<double>(m);
    }
  }

  // What one call works with.
  struct Work {
    static constexpr std::size_t numbers = std::size_t{1} << 18;  // answers kept at a time
    std::size_t k;                                                // classes that have codes, at least 2
    std::size_t columns;                                          // the experts answer probabilities, then a label
    int rows;
    std::vector<std::vector<double>> answers;  // [expert][row][column]
    std::vector<const double*> proba;          // [expert]: of the row at hand
    std::vector<double> log_p, P, learned_P, matrix, logs, tempered;
    const double* said = nullptr;  // by whoever speaks, of the row at hand, before and after the temperature
    const double* told = nullptr;

    std::optional<WiderRows> judged;

    Work(const PooledModel& model, const RowBlock& block) : Work(model, block, block.n_rows) {}
    Work(const PooledModel& model, const RowBlock& block, int most_rows) {
      const std::size_t m = model.experts_.size();
      const auto reserved = static_cast<std::size_t>(model.intake().schema().n_classes);
      k = std::max<std::size_t>(reserved, 2);
      columns = reserved + 1;
      rows = std::min(most_rows, static_cast<int>(std::clamp<std::size_t>(numbers / (m * columns), 32, 4096)));
      answers.assign(m, std::vector<double>(static_cast<std::size_t>(rows) * columns));
      proba.resize(m);
      log_p.resize(m * k);
      P.resize(k);
      learned_P.resize(k);
      logs.resize(k);
      tempered.resize(k);
      matrix.resize(m * (m + 2));
      if (model.experts_.back().judges()) judged.emplace(block, model.judged_columns(), rows);
    }
    OutputBuffers answers_of(std::size_t expert) { return {Output::both, nullptr, answers[expert].data()}; }
    const double* row(std::size_t expert, int r) const { return answers[expert].data() + static_cast<std::size_t>(r) * columns; }
    int label(std::size_t expert, int r) const { return static_cast<int>(row(expert, r)[columns - 1]); }
  };

  // The experts have answered these rows, and learned them.
  void pool_rows(int n, const std::int32_t* label, const double* weight, const OutputBuffers& out, Count& count, Work& work) {
    for (int r = 0; r < n; ++r) {
      const double w = weight ? weight[r] : 1.0;
      consider(r, count, work);
      if (out.output != Output::none) write(r, count, work, out);
      if (w > 0) pool_learns(r, count, label[r], w, work);
    }
  }

  // The rows of a slice as an expert sees them.
  RowBlock rows_of(std::size_t expert, const RowBlock& part, Work& work) const {
    if (!experts_[expert].judges()) return part;
    constexpr double floor = LogPool::Params::floor;
    work.judged->take(part);
    for (int r = 0; r < part.n_rows; ++r) {
      double* to = work.judged->further(r);
      for (std::size_t e = 0; e < expert; ++e, to += 2) {
        const int label = work.label(e, r);
        if (label < 0) continue;
        const double p = work.row(e, r)[label];
        to[0] = label;
        to[1] = streamboost::log(std::max(p, floor)) - streamboost::log(std::max(1 - p, floor));
      }
    }
    return work.judged->block();
  }

  // The pool's own answer to row r into work.P, where there are two classes to choose from.
  void consider(int r, const Count& count, Work& work) const {
    for (std::size_t e = 0; e < experts_.size(); ++e) work.proba[e] = work.row(e, r);
    work.said = work.told = work.proba[0];
    if (count.known < 2) return;
    pool_.opinions(work.proba.data(), count.known, count.known, work.log_p.data());
    pool_.answer(work.log_p.data(), count.known, work.P.data());
    const std::size_t speaker = pool_.speaker();
    work.said = work.told = speaker < experts_.size() ? work.proba[speaker] : work.P.data();
    if (!pool_.params().temperature) return;
    const double floor = speaker < experts_.size() ? LogPool::Params::floor : Temperature::floor;  // no expert is ever quite sure
    temperature_.answer(work.said, count.known, floor, work.logs.data(), work.tempered.data());
    work.told = work.tempered.data();
  }

  void write(int r, const Count& count, const Work& work, const OutputBuffers& out) const {
    const std::size_t reserved = work.columns - 1;
    const auto known = static_cast<std::size_t>(count.known);
    const int label = count.known < 2 ? count.known - 1 : pick_class(work.said, count.known, ensemble_, count.number);
    if (out.output == Output::label) {
      out.label[r] = label;
      return;
    }
    double* row = out.value + static_cast<std::size_t>(r) * columns_of(out.output, reserved);
    const double nothing = count.known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    for (std::size_t c = 0; c < reserved; ++c) row[c] = c < known ? work.told[c] : nothing;
    if (out.output == Output::full) std::copy_n(row, reserved, row + reserved);  // its scores are its probabilities
    if (out.output == Output::both || out.output == Output::full) row[columns_of(out.output, reserved) - 1] = label;
  }

  // A class that is new with this row takes part: no expert has heard of it.
  void pool_learns(int r, Count& count, int label, double weight, Work& work) {
    const int after = std::max(count.known, label + 1);
    if (pool_.params().temperature && count.known >= 2 && label < count.known)
      temperature_.learn(work.logs.data(), work.told, count.known, label, weight, pool_.gain(work.P.data(), count.known).fading);
    if (after >= 2) {
      const bool pool_right = count.known >= 2 && pick_class(work.P.data(), count.known, ensemble_, count.number) == label;
      const double* P = work.P.data();
      if (after > count.known) {
        pool_.opinions(work.proba.data(), count.known, after, work.log_p.data());
        pool_.answer(work.log_p.data(), after, work.learned_P.data());
        P = work.learned_P.data();
      }
      const LogPool::Gain gain = pool_.gain(P, after);
      pool_.learn(work.log_p.data(), P, after, label, weight, gain.fading, work.matrix.data());
      pool_.judge([&](std::size_t e) { return work.label(e, r) == label; }, pool_right, gain);
    }
    count.number += 1;
    count.known = after;
  }

  LogPool pool_;
  Temperature temperature_;
  Ensemble ensemble_;
};

}  // namespace streamboost
