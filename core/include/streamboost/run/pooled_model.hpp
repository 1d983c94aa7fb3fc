// Several models over the same rows, and one answer: each is an expert of a logarithmic opinion pool (ensembles/log_pool.hpp).
//
// Every expert is a whole pipeline with an intake of its own: trees want columns, linear learners want scaled coordinates. A slice of
// rows goes through one expert after the other, each answering every row before learning it; then the pool goes through the slice row by
// row with those answers, speaks with its state of before the row, and learns from the label. Nothing flows back from the pool to the
// experts, so any slices, chunks and threads give the same bits. A temperature, where it is asked for, has the last word on probabilities
// (stages/temperature.hpp); labels are those of before it. A row that is learned with its record (run/outputs.hpp) teaches the pool by what the
// experts and the pool said when it was asked about. The first expert is the main one: it keeps the numbers of examples and
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
#include "streamboost/run/model.hpp"
#include "streamboost/run/wider_rows.hpp"
#include "streamboost/stages/temperature.hpp"

namespace streamboost {

// What pools of any kind share: experts, their files, what the main one says about itself.
class PooledExperts : public Model {
 public:
  struct Expert {
    std::string name;
    std::unique_ptr<Model> model;
    bool judges() const { return name == "judge"; }
    bool looks_back() const { return name == "history" || name == "neighbors"; }
  };

  explicit PooledExperts(std::vector<Expert> experts) : experts_(std::move(experts)) {}

  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    auto growth = std::make_unique<Grown>(*this);
    for (auto& expert : experts_)
      growth->parts.push_back(
          !expert.model ? nullptr
                        : expert.model->prepare(expert.judges() ? WiderRows::schema(schema, judged_columns(), numeric_column) : schema));
    return growth;
  }
  // Of a pool whose place for the first expert is empty, and whose others have room: they join one that has learned already.
  void begin_with(std::unique_ptr<Model> first) noexcept {
    experts_.front().model = std::move(first);
    for (std::size_t e = 1; e < experts_.size(); ++e) experts_[e].model->join(intake());
  }
  std::unique_ptr<Model> first_leaves() noexcept { return std::move(experts_.front().model); }
  // Numbers of a record beside those of the first expert. What is NaN there nobody has said: the others have joined since.
  static std::size_t own_width(bool numbers, std::size_t experts, std::size_t k) {
    return numbers ? experts + 1 : 2 + experts * (k + 1) + k;
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
    for (auto& expert : experts_) counter.own(expert.model->memory_bytes());
    return counter.total() + sizeof(PooledExperts);
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
    void exchange() noexcept override {
      for (std::size_t e = 0; e < parts.size(); ++e)
        if (const auto& model = pool.experts_[e].model) Model::exchange(parts[e].get(), *model);
    }
    std::size_t bytes() override {
      std::size_t all = 0;
      for (std::size_t e = 0; e < parts.size(); ++e)
        if (const auto& model = pool.experts_[e].model) all += bytes_of(parts[e].get(), *model);
      MemoryCounter counter(true);
      pool.pool_fields(counter);
      return all + counter.total() + sizeof(PooledExperts);
    }
  };
};

class PooledModel final : public PooledExperts {
 public:
  PooledModel(std::vector<Expert> experts, LogPool::Params pool, const Ensemble& ensemble)
      : PooledExperts(std::move(experts)), pool_(pool, static_cast<int>(experts_.size())), ensemble_(ensemble) {}

  std::size_t record_width(std::size_t k) const override {
    return experts_.front().model->record_width(k) + own_width(false, experts_.size(), k);
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) override {
    Work work(*this, rows);
    expect(rows, weight);
    Count count = counted();
    for (int first = 0; first < rows.n_rows; first += work.rows) {
      const int n = std::min(work.rows, rows.n_rows - first);
      const double* w = weight ? weight + first : nullptr;
      const Records records = out.records.from(first);
      for (std::size_t e = 0; e < experts_.size(); ++e) {
        if (experts_[e].judges()) look_back(n, w, records, work);
        experts_[e].model->learn(rows_of(e, rows.part(first, n), work), truth.from(first), w, work.answers_of(e, records));
      }
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
          const Records records = in.answers(c).records;
          look_back(flow.size(c), in.weight_of(flow, c), records, work);
          experts_[e].model->learn(rows_of(e, in.rows_of(flow, c), work), in.truth.from(flow.first(c)), in.weight_of(flow, c),
                                   work.answers_of(e, records));
        };
        experts.push_back(flow.add(judging, experts));
        continue;
      }
      FlowInput of_expert = in;
      of_expert.answers = [&flow, in, way, e](int c) { return way->work[flow.slot(c)].answers_of(e, in.answers(c).records); };
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
        experts_[e].model->predict(rows_of(e, rows.part(first, n), work), work.answers_of(e, out.records.from(first)));
      for (int r = 0; r < n; ++r) {
        consider(r, count.known, work);
        write(first + r, count.number, work, out);
        if (double* record = out.records.of(first + r)) note(record, r, work);
      }
    }
  }

  ModelReport report() override {
    ModelReport report = experts_.front().model->report();
    for (std::size_t e = 0; e < experts_.size(); ++e) report.totals["pool_weight/" + experts_[e].name] = pool_.weights()[e];
    for (std::size_t e = 0; e < experts_.size(); ++e) report.totals["recently_right/" + experts_[e].name] = pool_.right(e);
    report.totals["recently_right/pool"] = pool_.right(experts_.size());
    for (std::size_t e = 1; e < experts_.size(); ++e) {  // what those over remembered rows say of their fits
      const ModelReport own = experts_[e].model->report();
      for (const char* said : {"fits", "fits_dropped", "remembered_rows", "too_wide"})
        if (const auto found = own.totals.find(said); found != own.totals.end())
          report.totals[std::string(said) + "/" + experts_[e].name] = found->second;
    }
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
    int known = 0;                 // classes that the experts knew when they answered the row at hand
    std::size_t speaker = 0;       // of that row
    const double* said = nullptr;  // by whoever speaks, before and after the temperature
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
    OutputBuffers answers_of(std::size_t expert, const Records& records) {
      return {Output::both, nullptr, answers[expert].data(), 0, records};
    }
    double* row(std::size_t expert, int r) { return answers[expert].data() + static_cast<std::size_t>(r) * columns; }
    const double* row(std::size_t expert, int r) const { return answers[expert].data() + static_cast<std::size_t>(r) * columns; }
    int label(std::size_t expert, int r) const { return static_cast<int>(row(expert, r)[columns - 1]); }
  };

  // The experts have answered these rows, and learned them.
  void pool_rows(int n, const std::int32_t* label, const double* weight, const OutputBuffers& out, Count& count, Work& work) {
    for (int r = 0; r < n; ++r) {
      const double w = weight ? weight[r] : 1.0;
      double* record = out.records.of(r);
      consider(r, count.known, work);
      if (out.output != Output::none) write(r, count.number, work, out);
      if (w == 0) {
        if (record != nullptr) note(record, r, work);
        continue;
      }
      if (record != nullptr && look_back(r, record, work)) consider(r, count.known, work);
      pool_learns(r, count, label[r], w, record, work);
    }
  }

  // Who answers by the labels of just before a row is judged too well by what it would say now: of a row that is learned with its record only
  // what it said counts. Rows may be asked about and learned in one slice.
  void look_back(int n, const double* weight, const Records& records, Work& work) const {
    for (int r = 0; r < n; ++r)
      if (double* record = records.of(r)) look_back(r, record, work, weight && weight[r] == 0);
  }
  // One row; true: somebody does.
  bool look_back(int r, double* record, Work& work, bool asked = false) const {
    const std::size_t k = Records::classes(record);
    bool some = false;
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      if (!experts_[e].looks_back()) continue;
      some = true;
      double *part = own_part(record) + 2 + e * (k + 1), *row = work.row(e, r);
      if (asked) {
        for (std::size_t c = 0; c < k; ++c) part[c] = row[c] == row[c] ? row[c] : 0.0;
        part[k] = row[work.columns - 1];
      } else {
        std::fill_n(row, work.columns - 1, 0.0);
        std::copy_n(part, k, row);
        row[work.columns - 1] = part[k];
      }
    }
    return some;
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

  // The opinions of the experts about row r, and the pool's own answer into work.P, where there are two classes to choose from.
  void consider(int r, int known, Work& work) const {
    hear(r, known, work);
    if (known < 2) return;
    pool_.answer(work.log_p.data(), known, work.P.data());
    speak(pool_.speaker(), work);
  }
  void hear(int r, int known, Work& work) const {
    for (std::size_t e = 0; e < experts_.size(); ++e) work.proba[e] = work.row(e, r);
    work.said = work.told = work.proba[0];
    work.known = known;
    if (known >= 2) pool_.opinions(work.proba.data(), known, known, work.log_p.data());
  }
  void speak(std::size_t speaker, Work& work) const {
    work.speaker = speaker;
    work.said = work.told = speaker < experts_.size() ? work.proba[speaker] : work.P.data();
    if (!pool_.params().temperature) return;
    const double floor = speaker < experts_.size() ? LogPool::Params::floor : Temperature::floor;  // no expert is ever quite sure
    temperature_.answer(work.said, work.known, floor, work.logs.data(), work.tempered.data());
    work.told = work.tempered.data();
  }

  // A record: classes known, the speaker, then of each expert the probabilities and the label, and the pool's own probabilities.
  double* own_part(double* record) const { return record + 1 + experts_.front().model->record_width(Records::classes(record)); }
  void note(double* record, int r, const Work& work) const {
    const std::size_t k = Records::classes(record), known = static_cast<std::size_t>(work.known);
    double* to = own_part(record);
    *to++ = work.known;
    *to++ = static_cast<double>(work.known < 2 ? experts_.size() : work.speaker);
    std::fill_n(to, experts_.size() * (k + 1) + k, 0.0);
    for (std::size_t e = 0; e < experts_.size(); ++e, to += k + 1) {
      std::copy_n(work.row(e, r), known, to);
      to[k] = work.label(e, r);
    }
    if (known >= 2) std::copy_n(work.P.data(), known, to);
  }
  // What was said when the row was asked about, in the place of what would be said now.
  void recall(double* record, int r, Work& work) const {
    const std::size_t k = Records::classes(record);
    const double* from = own_part(record);
    const auto known = static_cast<int>(std::clamp(from[0], 0.0, static_cast<double>(k)));
    const double who = from[1];
    from += 2;
    for (std::size_t e = 0; e < experts_.size(); ++e, from += k + 1) {
      double* row = work.row(e, r);
      std::copy_n(from, known, row);
      row[work.columns - 1] = from[k];
    }
    std::copy_n(from, known, work.P.data());
    hear(r, known, work);
    if (known >= 2) speak(who >= 0 && who < static_cast<double>(experts_.size()) ? static_cast<std::size_t>(who) : experts_.size(), work);
  }

  void write(int r, std::int64_t number, const Work& work, const OutputBuffers& out) const {
    const std::size_t reserved = work.columns - 1;
    const auto known = static_cast<std::size_t>(work.known);
    const int label = work.known < 2 ? work.known - 1 : pick_class(work.said, work.known, ensemble_, number);
    if (out.output == Output::label) {
      out.label[r] = label;
      return;
    }
    double* row = out.value + static_cast<std::size_t>(r) * columns_of(out.output, reserved);
    const double nothing = work.known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    for (std::size_t c = 0; c < reserved; ++c) row[c] = c < known ? work.told[c] : nothing;
    if (out.output == Output::full) std::copy_n(row, reserved, row + reserved);  // its scores are its probabilities
    if (out.output == Output::both || out.output == Output::full) row[columns_of(out.output, reserved) - 1] = label;
  }

  // By what the experts and the pool would say now; with a record by that and by what they said, half each: what they said is the truth about
  // answers that are old when the label comes, and just as old itself.
  void pool_learns(int r, Count& count, int label, double weight, double* record, Work& work) {
    const int after = std::max(count.known, label + 1);
    if (record == nullptr || !(own_part(record)[0] >= 0)) {
      learn_from(r, count.number, after, label, weight, 1, false, work);
    } else {
      learn_from(r, count.number, after, label, 0.5 * weight, 0.5, false, work);
      recall(record, r, work);
      learn_from(r, count.number, after, label, 0.5 * weight, 0.5, true, work);
    }
    count.number += 1;
    count.known = after;
  }
  // A class that is new with this row, or that was unknown when it was asked about, takes part: no expert has heard of it. The pool is judged
  // by what it said, and steps from what it would say now. share: of an example.
  void learn_from(int r, std::int64_t number, int after, int label, double weight, double share, bool old, Work& work) {
    const int known = work.known;
    if (pool_.params().temperature && known >= 2 && label < known)
      temperature_.learn(work.logs.data(), work.told, known, label, weight, pool_.gain(work.P.data(), known, share).fading);
    if (after < 2) return;
    const bool pool_right = known >= 2 && pick_class(work.P.data(), known, ensemble_, number) == label;
    const double* P = work.P.data();
    if (after > known) pool_.opinions(work.proba.data(), known, after, work.log_p.data());
    if (after > known || old) {
      pool_.answer(work.log_p.data(), after, work.learned_P.data());
      P = work.learned_P.data();
    }
    const LogPool::Gain gain = pool_.gain(P, after, share);
    pool_.learn(work.log_p.data(), P, after, label, weight, gain.fading, work.matrix.data());
    pool_.judge([&](std::size_t e) { return work.label(e, r) == label; }, pool_right, gain);
    pool_.compare(work.log_p.data(), P, after, label, gain);
  }

  LogPool pool_;
  Temperature temperature_;
  Ensemble ensemble_;
};

}  // namespace streamboost
