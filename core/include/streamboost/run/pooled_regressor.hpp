// Several regressors over the same rows, and one answer (ensembles/number_pool.hpp): run/pooled_model.hpp for numbers.
//
// Every expert is a whole pipeline with an intake of its own. A slice of rows goes through one expert after the other, each answering every
// row before learning it; then the pool goes through the slice row by row with those answers. Nothing flows back from the pool to the experts, so
// any slices, chunks and threads give the same bits. The first expert is the main one: its learners are the lanes of the report.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "streamboost/ensembles/number_pool.hpp"
#include "streamboost/run/pooled_model.hpp"

namespace streamboost {

class PooledRegressor final : public PooledExperts {
 public:
  PooledRegressor(std::vector<Expert> experts, NumberPool::Params pool)
      : PooledExperts(std::move(experts)), pool_(pool, experts_.size() - 1) {}

  // A record: what each expert said, and the pool.
  std::size_t record_width(std::size_t k) const override {
    return experts_.front().model->record_width(k) + own_width(true, experts_.size(), k);
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(experts_.size(), std::min(rows.n_rows, slice_rows));
    expect(rows, weight);
    std::int64_t t = intake().n_learned();
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      for (std::size_t e = 0; e < experts_.size(); ++e)
        experts_[e].model->learn(rows.part(first, n), truth.from(first), weight ? weight + first : nullptr, work.answers_of(e, first, out));
      pool_rows(n, truth.target + first, weight ? weight + first : nullptr, out.from(first, 1), t, work);
    }
  }

  int enlist(Flow& flow, const FlowInput& in) override {
    struct OnTheWay {
      std::int64_t t;
      std::vector<Work> work;  // [slot]
    };
    auto way = std::make_shared<OnTheWay>(OnTheWay{intake().n_learned(), {}});
    for (int s = 0; s < flow.slots(); ++s) way->work.emplace_back(experts_.size(), flow.chunk_rows());
    std::vector<int> experts;
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      FlowInput of_expert = in;
      of_expert.answers = [&flow, in, way, e](int c) { return way->work[flow.slot(c)].answers_of(e, 0, in.answers(c)); };
      experts.push_back(experts_[e].model->enlist(flow, of_expert));
    }
    const auto task = [this, &flow, in, way](int c) {
      pool_rows(flow.size(c), in.truth.target + flow.first(c), in.weight_of(flow, c), in.answers(c), way->t, way->work[flow.slot(c)]);
    };
    return flow.add(task, experts);
  }

  void predict(const RowBlock& rows, const OutputBuffers& out) const override {
    Work work(experts_.size(), std::min(rows.n_rows, slice_rows));
    for (int first = 0; first < rows.n_rows; first += slice_rows) {
      const int n = std::min(slice_rows, rows.n_rows - first);
      for (std::size_t e = 0; e < experts_.size(); ++e) experts_[e].model->predict(rows.part(first, n), work.answers_of(e, first, out));
      for (int r = 0; r < n; ++r) {
        const NumberPool::Said answer = pool_.answer(work.row(r));
        out.value[first + r] = answer.heard;
        if (double* record = out.records.of(first + r)) note(record, work.row(r), answer.blend);
      }
    }
  }
  ModelReport report() override {
    ModelReport report = experts_.front().model->report();
    for (std::size_t e = 1; e < experts_.size(); ++e) report.totals["pool_weight/" + experts_[e].name] = pool_.shares()[e - 1];
    return report;
  }
  bool answers_numbers() const override { return true; }

 protected:
  void pool_fields(FieldVisitor& v) override { pool_.fields(v); }
  void pool_check() const override { pool_.check(); }
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new PooledRegressor(copied_experts(), pool_)); }
  void take(Model& other) override {
    auto& them = static_cast<PooledRegressor&>(other);
    take_experts(them);
    pool_ = std::move(them.pool_);
  }

 private:
  PooledRegressor(std::vector<Expert> experts, NumberPool pool) : PooledExperts(std::move(experts)), pool_(std::move(pool)) {}

  static constexpr int slice_rows = 1024;
  struct Work {
    std::vector<std::vector<double>> answers;  // [expert][row]
    std::vector<double> said;                  // [expert]: of the row at hand
    Work(std::size_t experts, int n_rows) : answers(experts, std::vector<double>(static_cast<std::size_t>(n_rows))), said(experts) {}
    OutputBuffers answers_of(std::size_t e, int first, const OutputBuffers& out) {
      return {Output::number, nullptr, answers[e].data(), 0, out.records.from(first)};
    }
    const double* row(int r) {
      for (std::size_t e = 0; e < said.size(); ++e) said[e] = answers[e][static_cast<std::size_t>(r)];
      return said.data();
    }
  };

  // The experts have answered these rows, and learned them; the first is example t.
  void pool_rows(int n, const double* target, const double* weight, const OutputBuffers& out, std::int64_t& t, Work& work) {
    for (int r = 0; r < n; ++r) {
      const double* said = work.row(r);
      const double w = weight ? weight[r] : 1.0;
      double* record = out.records.of(r);
      NumberPool::Said answer = w > 0 ? pool_.answer_before(t, said) : pool_.answer(said);
      if (w > 0 && record != nullptr) {
        said = own_part(record);
        answer.blend = said[experts_.size()];
      } else if (record != nullptr) {
        note(record, said, answer.blend);
      }
      if (out.output == Output::number) out.value[r] = answer.heard;
      if (w > 0) pool_.learn(t++, said, answer.blend, target[r], w);
    }
  }

  double* own_part(double* record) const { return record + 1 + experts_.front().model->record_width(Records::classes(record)); }
  void note(double* record, const double* said, double blend) const { *std::copy_n(said, experts_.size(), own_part(record)) = blend; }

  NumberPool pool_;
};

}  // namespace streamboost
