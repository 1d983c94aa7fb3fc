// The stages of every example, the same for all boosters: Intake -> blocks in lane order -> combiner.
//
// Learner i on example t needs only learner i-1 on example t and learner i on example t-1. So lanes may be cut into blocks
// anywhere: a chunk of examples goes through block after block, each with its Passage, then through the combiner, row by
// row. Answers are given with the state before the row was learned. Any cut and any chunk give the same bits.
//
// The wavefront (wavefront.hpp): with several threads each owns some blocks, the first also the intake and the last also the
// combiner, and chunks follow one another through them. No thread touches what another is at work on, so bits do not change.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "streamboost/ensembles/booster.hpp"
#include "streamboost/math/rng.hpp"
#include "streamboost/run/part.hpp"
#include "streamboost/run/row_memory.hpp"
#include "streamboost/run/wavefront.hpp"

namespace streamboost {

enum class Output { none, label, score, proba, both, full, set, number };

struct OutputBuffers {
  Output output = Output::none;
  std::int32_t* label = nullptr;  // [row]
  double* value = nullptr;        // [row][class] for score and proba; both: the probabilities, then the code of the label; full: the
                                  // scores before them; set: 1 for every class in the set, else 0;
                                  // number: [row]
  std::size_t coverage = 0;       // which of the coverages a set is to have; only models that keep sets are asked for them
};

// Numbers of one row in OutputBuffers::value.
inline std::size_t columns_of(Output output, std::size_t n_classes) {
  if (output == Output::none || output == Output::label) return 0;
  if (output == Output::number) return 1;
  return output == Output::full ? 2 * n_classes + 1 : output == Output::both ? n_classes + 1 : n_classes;
}

// The class with the highest score; ties go to the lowest code, or to a keyed draw among the tied.
inline int pick_class(const double* score, int known, const Ensemble& ensemble, std::int64_t number) {
  int best = known > 0 ? 0 : -1, tied = 1;
  for (int c = 1; c < known; ++c) {
    if (score[c] > score[best]) {
      best = c;
      tied = 1;
    } else if (score[c] == score[best]) {
      ++tied;
    }
  }
  if (tied < 2 || !ensemble.random_ties) return best;
  auto skip = static_cast<int>(uniform({ensemble.seed, static_cast<std::uint64_t>(number), 0, Purpose::tie}) * tied);
  int winner = best;
  for (int c = best; c < known; ++c)
    if (score[c] == score[best] && skip-- == 0) winner = c;
  return winner;
}

using BankFactory = std::function<std::unique_ptr<Bank>(Lanes)>;

// What a model will be once its schema has grown: made aside, so that it may fail; taken over by `commit`, which cannot.
struct Growth {
  virtual ~Growth() = default;
  virtual void commit() noexcept = 0;
};

// Of one row: base + contributions = score, of the class `label`; with two classes its score less that of the other.
struct ExplainedScore {
  double base = 0, score = 0;
  int label = -1;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual std::unique_ptr<Growth> prepare(const Schema&) = 0;  // null: there is nothing to grow
  // All or nothing.
  void reserve(const Schema& schema) {
    if (const auto growth = prepare(schema)) growth->commit();
  }
  virtual void learn(const RowBlock&, Truth, const double* weight, const OutputBuffers&) = 0;
  virtual void predict(const RowBlock&, const OutputBuffers&) const = 0;
  // Why a row (the only one of its block) has its score, in closed form; contributions: [column], zero before. label -1: code 1 of two,
  // the best of more. shapley: by exact Shapley values. Nothing: there is no such form.
  virtual std::optional<ExplainedScore> explain(const RowBlock&, int, bool, double*) const { return std::nullopt; }
  // The same model once more, from memory to memory. Not for learners written in Python.
  std::unique_ptr<Model> clone() const {
    if (const char* why = broken()) throw std::runtime_error(why);
    if (needs_gil()) throw std::invalid_argument("learners written in Python are copied by Python");
    return copy();
  }
  // Every piece of state. What a visitor that loads has left is checked: if that throws the model is lost, and callers work on a copy.
  virtual void visit(FieldVisitor&) = 0;
  SavedState save() {
    if (const char* why = broken()) throw std::runtime_error(why);
    Saver saver;
    visit(saver);
    return std::move(saver.state);
  }
  // All or nothing, like reserve.
  void load(const SavedState& state) {
    const auto fresh = copy();
    Loader loader(state);
    fresh->visit(loader);
    loader.require_all_used();
    take(*fresh);
  }
  // What calls work with changes places with that of another model. Of two with the same columns, classes and lanes one is enough: it holds
  // nothing from call to call. Others keep what they have.
  virtual void swap_scratch(Model&) noexcept = 0;
  virtual std::size_t memory_bytes() = 0;
  virtual ModelReport report() = 0;
  virtual const Intake& intake() const = 0;
  virtual bool needs_gil() const = 0;
  virtual bool answers_numbers() const { return false; }
  // Room for what these rows may bring, so that learning them, whole or part by part, does not fail in the middle. weight: null for 1s.
  virtual void expect(const RowBlock&, const double*) = 0;
  // Learners have gone on without growth that there was no memory for (Bank::starved).
  virtual bool starved() const = 0;
  virtual const char* broken() const = 0;  // why nothing can be asked of it any more; null: it is sound
  virtual std::vector<Bank*> banks() = 0;

 protected:
  // Also of one that is broken; the objects of learners written in Python are then those of both.
  virtual std::unique_ptr<Model> copy() const = 0;
  virtual void take(Model& other) = 0;  // all of a copy; whoever knows this one by its address still does
  static std::unique_ptr<Model> copy_of(const Model& model) { return model.copy(); }
  static void take_all(Model& model, Model& other) { model.take(other); }
};

template <class Booster>
class Pipeline final : public Model {
 public:
  // cuts: global lane numbers at which a new block begins (sorted, strictly inside the ensemble).
  Pipeline(Booster booster, const Ensemble& ensemble, const BankFactory& make_bank, const std::vector<int>& cuts)
      : booster_(std::move(booster)), ensemble_(ensemble), intake_(IntakeNeeds{}) {
    const Lanes own = ensemble_.lanes();
    int begin = own.begin;
    const auto add = [&](int end) {
      BlockOf block;
      block.bank = make_bank(Lanes{begin, end});
      if (block.bank->answers_numbers() != numbers)
        throw std::invalid_argument(numbers ? "a regressor needs learners that answer numbers"
                                            : "a classifier needs learners that tell classes");
      block.guard = DriftGuard(ensemble_.guard, Lanes{begin, end});
      if (block.guard.on()) block.bank->keep_births();
      if (block.guard.on() && ensemble_.guard.background) {
        block.spares = make_bank(Lanes{begin, end});
        block.spares->keep_births();
      }
      block.events.stats.on = ensemble_.monitor && !numbers;
      block.events.kept = block.guard.on();
      block.state.reserve(Lanes{begin, end});
      block.events.stats.prefixes = watches_prefixes;
      if constexpr (requires { booster_.begin(block.state); }) booster_.begin(block.state);
      block.events.reserve(static_cast<std::size_t>(end - begin));
      blocks_.push_back(std::move(block));
      begin = end;
    };
    const auto check_grain = [&]([[maybe_unused]] int cut) {
      if constexpr (requires { booster_.grain(); })
        if (cut % booster_.grain() != 0) throw std::invalid_argument("cuts must not divide the candidates of a selector");
    };
    check_grain(own.begin);
    for (int cut : cuts) {
      check_grain(cut);
      if (cut <= begin || cut >= own.end) throw std::invalid_argument("cuts must lie inside the ensemble, ascending");
      add(cut);
    }
    check_grain(own.end);
    add(own.end);
    intake_ = Intake(blocks_.front().bank->needs());
    if (part()) register_part();
  }

  // Everything grows on copies, which then take the places of what they were made of.
  std::unique_ptr<Growth> prepare(const Schema& schema) override {
    require_sound();
    auto growth = std::make_unique<Grown>(*this);
    growth->intake.reserve(schema);
    if (reserved_ && growth->intake.schema() == intake_.schema()) return nullptr;
    const Schema& now = growth->intake.schema();
    growth->booster.reserve(now.n_classes);
    const auto grow = [&](const std::unique_ptr<Bank>& bank, std::vector<std::unique_ptr<Bank>>& into) {
      into.push_back(bank ? bank->copy() : nullptr);
      Bank* copy = into.back() ? into.back().get() : bank.get();  // Python-written learners have nothing to grow
      if (copy != nullptr) copy->reserve(now);
    };
    for (const auto& block : blocks_) {
      grow(block.bank, growth->banks);
      grow(block.spares, growth->spares);
    }
    return growth;
  }

  void learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& answers) override {
    require_sound();
    const TrainingBatch batch{rows, truth, weight, answers};
    if constexpr (keeps_rows)
      if (batch_phase_within(batch) && !needs_gil()) return learn_as_copy(batch);
    expect(rows, weight);
    lessons_begun_ = false;
    try {
      learn_with(workers_for(rows.n_rows), batch);
    } catch (const std::bad_alloc&) {
      if (lessons_begun_) broken_ = "memory ran out in the middle of a batch; load the model from a file, or fit it again";
      throw;
    }
  }

  void expect(const RowBlock& rows, const double* weight) override {
    require_sound();
    for (auto& block : blocks_) {
      block.bank->expect(rows, weight);
      if (block.spares) block.spares->expect(rows, weight);
      block.guard.expect();
    }
    prepare(learn_memory_, rows.n_rows);
    if constexpr (keeps_rows) {
      std::size_t cells = 0;
      for (int r = 0; r < rows.n_rows; ++r) cells += static_cast<std::size_t>(rows.row(r).size);
      memory_.make_room(static_cast<std::size_t>(rows.n_rows), cells);
    }
  }

  // Rows do not wait for one another when nothing is learned: every thread takes its share of them.
  void predict(const RowBlock& rows, const OutputBuffers& answers) const override {
    require_sound();
    const int workers = workers_for(rows.n_rows);
    if (workers == 1) return predict_rows(rows, 0, rows.n_rows, answers);
    try {
      const auto share = [&](int worker) {
        const auto edge = [&](int w) { return static_cast<int>(static_cast<std::int64_t>(rows.n_rows) * w / workers); };
        predict_rows(rows, edge(worker), edge(worker + 1), answers);
      };
      run_workers(workers, std::ref(share));
    } catch (const NoThread&) {
      predict_rows(rows, 0, rows.n_rows, answers);
    }
  }

  [[gnu::cold]] std::optional<ExplainedScore> explain(const RowBlock& row, [[maybe_unused]] int label, [[maybe_unused]] bool shapley,
                                                      [[maybe_unused]] double* contributions) const override {
    require_sound();
    if constexpr (explains) {
      const int known = intake_.n_classes_known();
      if (known < 2 || part() || needs_gil() || label >= known) return std::nullopt;
      CallMemory place;
      prepare(place, 1);
      Chunk& work = *place.chunk;
      const Example example = work.example[0] = intake_.look(row.row(0), work.row[0]);
      work.open(0, true);
      if constexpr (announces) booster_.announce(work.passage[0]);
      for (std::size_t b = 0; b < blocks_.size(); ++b) booster_.score(example, blocks_[b], place.scratch[b], work.passage[0]);
      Verdict verdict{work.score.data(), work.proba.data()};
      booster_.answer(example, work.passage[0], verdict);
      ExplainedScore explained;
      explained.label = label >= 0   ? label
                        : known == 2 ? 1
                                     : static_cast<int>(std::max_element(verdict.score, verdict.score + known) - verdict.score);
      explained.score = verdict.score[explained.label] - (known == 2 ? verdict.score[1 - explained.label] : 0.0);
      double size = 1;
      if constexpr (Booster::needs_votes) {
        size = 0;
        for (int c = 0; c < known; ++c) size += std::fabs(work.passage[0].votes[c]);
      }
      Explained out;
      out.column = contributions;
      Passage again{};
      for (std::size_t b = 0; b < blocks_.size() && size > 0; ++b) {
        AlignedVector<double> voice(place.scratch[b].amount.size());
        const VoteWeights vote_weights = booster_.vote_weights(example, blocks_[b], place.scratch[b], again, voice.data());
        if (!vote_weights.linear) return std::nullopt;
        for (double& v : voice) v /= size;
        const ExplainRequest question{vote_weights.of, vote_weights.hard, explained.label, known, shapley};
        if (!blocks_[b].bank->explain(example, question, voice.data(), place.scratch[b].answers, out)) return std::nullopt;
      }
      explained.base = size > 0 ? settle(out.base, explained.score, contributions) : explained.score;
      return explained;
    }
    return std::nullopt;
  }

  [[gnu::cold]] void visit(FieldVisitor& v) override {
    const Lanes own = ensemble_.lanes();
    v.n_lanes_all = own.size();
    v.prefix = "intake/";
    intake_.fields(v);
    v.prefix = "combiner/";
    booster_.fields(v);
    if constexpr (keeps_rows) {
      v.prefix = "rows/";
      memory_.fields(v);
    }
    for (auto& block : blocks_) {
      v.lanes = {block.lanes().begin - own.begin, block.lanes().end - own.begin};
      v.prefix = "bank/";
      block.bank->visit(v);
      v.prefix = "lane/";
      block.state.fields(v);
      v.prefix = "monitor/";
      block.events.stats.fields(v);
      v.prefix = "guard/";
      block.guard.fields(v);
      v.prefix = "spare/";
      if (block.spares) block.spares->visit(v);
    }
    if (v.loads()) check();
  }
  void swap_scratch(Model& other) noexcept override {
    auto* them = dynamic_cast<Pipeline*>(&other);
    if (them == nullptr || !(them->intake_.schema() == intake_.schema()) || them->blocks_.size() != blocks_.size()) return;
    std::swap(learn_memory_, them->learn_memory_);
    std::swap(ask_memory_, them->ask_memory_);
  }
  [[gnu::cold]] std::size_t memory_bytes() override {
    MemoryCounter counter;
    visit(counter);
    if constexpr (requires { booster_.table_bytes(); }) counter.bytes += booster_.table_bytes();
    return counter.bytes + sizeof(*this) + blocks_.size() * sizeof(BlockOf);
  }

  // Everything a booster keeps per lane, what its combiner keeps, and what the monitor saw.
  [[gnu::cold]] ModelReport report() override {
    ModelReport report;
    const auto seen = static_cast<double>(intake_.n_learned());
    for (auto& block : blocks_)
      if (block.events.stats.on) block.events.stats.write_report(report, seen);
    for (auto& block : blocks_)
      if (block.guard.on()) block.guard.write_report(report, block.lanes(), intake_.n_learned());
    Saver saver;
    saver.n_lanes_all = ensemble_.n_estimators;
    for (auto& block : blocks_) {
      saver.lanes = block.lanes();
      block.state.fields(saver);
    }
    for (auto& [name, field] : saver.state) report.lanes[name] = field.real;
    if constexpr (requires { booster_.write_report(report, intake_.n_learned()); }) booster_.write_report(report, intake_.n_learned());
    return report;
  }

  const Intake& intake() const override { return intake_; }
  const char* broken() const override { return broken_; }
  [[gnu::cold]] bool starved() const override {
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [](const BlockOf& block) { return block.bank->starved() || (block.spares && block.spares->starved()); });
  }
  bool needs_gil() const override { return blocks_.front().bank->needs_gil() || blocks_.front().guard.needs_gil(); }
  bool answers_numbers() const override { return numbers; }
  [[gnu::cold]] std::vector<Bank*> banks() override {
    std::vector<Bank*> all;
    for (auto& block : blocks_) all.push_back(block.bank.get());
    return all;
  }

 protected:
  std::unique_ptr<Model> copy() const override { return std::unique_ptr<Model>(new Pipeline(*this)); }
  void take(Model& other) override {
    auto& them = static_cast<Pipeline&>(other);
    intake_ = std::move(them.intake_);
    booster_ = std::move(them.booster_);
    memory_ = std::move(them.memory_);
    blocks_ = std::move(them.blocks_);
    forget_places();
    broken_ = nullptr;
  }

 private:
  using Passage = typename Booster::Passage;
  using BlockOf = Block<typename Booster::LaneState>;

  // What a call works with is made anew when it is needed.
  Pipeline(const Pipeline& other)
      : booster_(other.booster_),
        ensemble_(other.ensemble_),
        intake_(other.intake_),
        blocks_(other.copied_blocks()),
        memory_(other.memory_),
        reserved_(other.reserved_) {}
  // What was loaded.
  [[gnu::cold]] void check() {
    intake_.check();
    booster_.check();
    if constexpr (keeps_rows) {
      memory_.check(intake_.schema());
      require(memory_.size() == (booster_.remembers(intake_.n_learned()) ? intake_.n_learned() : 0), "number of remembered rows");
    }
    for (auto& block : blocks_) {
      block.bank->check_births();
      block.bank->check();
      if (block.spares) {
        block.spares->check_births();
        block.spares->check();
      }
      block.state.check();
      block.guard.check(intake_.n_learned());
    }
  }
  std::vector<BlockOf> copied_blocks() const {
    std::vector<BlockOf> blocks;
    blocks.reserve(blocks_.size());
    for (const auto& block : blocks_) {
      blocks.push_back(block.copy());
      if (!blocks.back().bank) throw std::invalid_argument("these learners cannot be copied");
    }
    return blocks;
  }

  static constexpr int chunk = 32;
  static constexpr auto worth_a_thread = std::chrono::microseconds(250);  // work on a chunk that is large beside two waits
  static constexpr bool keeps_rows = requires { Booster::keeps_rows; };
  static constexpr bool watches_prefixes = requires { Booster::watches_prefixes; };
  static constexpr bool numbers = requires { Booster::answers_numbers; };
  static constexpr bool explains = requires(const Booster& b, const Example& e, const BlockOf& block, const Scratch& s, Passage& p,
                                            double* v) { b.vote_weights(e, block, s, p, v); };
  static constexpr bool announces = requires { Booster::announces; };
  // A combiner may ask for more than one row of its column, as working memory.
  static constexpr std::size_t column_rows() {
    if constexpr (requires { Booster::column_rows; }) return Booster::column_rows;
    return 1;
  }

  struct Grown final : Growth {
    Pipeline& pipeline;
    Intake intake;
    Booster booster;
    std::vector<std::unique_ptr<Bank>> banks, spares;  // null: nothing to replace
    explicit Grown(Pipeline& p) : pipeline(p), intake(p.intake_), booster(p.booster_) {}
    void commit() noexcept override {
      static_assert(std::is_nothrow_move_assignable_v<Booster> && std::is_nothrow_move_assignable_v<Intake>);
      pipeline.intake_ = std::move(intake);
      pipeline.booster_ = std::move(booster);
      for (std::size_t b = 0; b < banks.size(); ++b) {
        if (banks[b]) pipeline.blocks_[b].bank = std::move(banks[b]);
        if (spares[b]) pipeline.blocks_[b].spares = std::move(spares[b]);
      }
      pipeline.reserved_ = true;
      pipeline.forget_places();
    }
  };

  struct TrainingBatch {
    const RowBlock& rows;
    Truth truth;
    const double* weight;
    const OutputBuffers& answers;
  };

  // A chunk of examples on its way. Owned by the call, so that const verbs may run in several threads at once.
  struct Chunk {
    std::vector<RowBuffer> row;
    std::vector<Example> example;
    std::vector<Passage> passage;
    std::vector<double> votes, columns, score, proba;
    BatchPhase batch_phase;  // of a batch phase that falls into this call
    std::size_t n_classes, n_lanes;
    int first = 0, size = 0;  // rows first .. first + size of the call

    Chunk(const Pipeline& pipeline, int n_rows, int capacity) {
      const auto n = static_cast<std::size_t>(std::min(n_rows, capacity));
      n_classes = static_cast<std::size_t>(std::max(pipeline.intake_.schema().n_classes, 2));
      n_lanes = static_cast<std::size_t>(pipeline.ensemble_.n_estimators);
      row.resize(n);
      for (RowBuffer& buffer : row) pipeline.intake_.make_room(buffer);
      example.resize(n);
      passage.resize(n);
      score.resize(n_classes);
      proba.resize(n_classes);
      if (Booster::needs_votes) votes.resize(n * n_classes);
      if (Booster::needs_column) columns.resize(n * column_size());
    }
    std::size_t column_size() const { return column_rows() * padded(n_lanes); }
    void begin(int at, int end) {
      first = at;
      size = std::min(static_cast<int>(row.size()), end - at);
    }
    void open(int r, bool answers) {
      const auto at = static_cast<std::size_t>(r);
      passage[at] = Passage{};
      passage[at].answers = answers;
      if (Booster::needs_votes) {
        passage[at].votes = votes.data() + at * n_classes;
        std::fill_n(passage[at].votes, n_classes, 0.0);
      }
      if (Booster::needs_column) passage[at].column = columns.data() + at * column_size();
    }
  };

  // A batch that failed in the middle (a learner written in Python raised, or memory for a tree ran out) has left lanes behind that
  // have learned different rows. Such a model answers nothing until it is loaded anew.
  void require_sound() const {
    if (broken_) throw std::runtime_error(broken_);
  }
  void forget_places() noexcept {
    learn_memory_ = CallMemory();
    ask_memory_ = CallMemory();
    threads_pay_.reset();
  }

  // Where a call works, kept for the next one: rows that come one by one find everything in its place.
  struct CallMemory {
    std::unique_ptr<Chunk> chunk;
    std::vector<Scratch> scratch;
  };
  void prepare(CallMemory& place, int n_rows) const {
    if (!place.chunk || static_cast<int>(place.chunk->row.size()) < std::min(n_rows, chunk))
      place.chunk = std::make_unique<Chunk>(*this, n_rows, chunk);
    if (place.scratch.empty()) place.scratch = make_scratch();
  }
  struct Turn {
    std::atomic<bool>& taken;
    bool mine;
    explicit Turn(std::atomic<bool>& t) : taken(t), mine(!t.exchange(true, std::memory_order_acquire)) {}
    ~Turn() {
      if (mine) taken.store(false, std::memory_order_release);
    }
  };
  std::vector<Scratch> make_scratch() const {
    std::vector<Scratch> scratch(blocks_.size());
    const auto n_classes = static_cast<std::size_t>(std::max(intake_.schema().n_classes, 2));
    for (std::size_t b = 0; b < scratch.size(); ++b) {
      scratch[b].prepare(*blocks_[b].bank, blocks_[b].spares.get(), n_classes);
      if constexpr (requires { Booster::weighs_by_costs; })
        scratch[b].reserve_costs(static_cast<std::size_t>(blocks_[b].lanes().size()), n_classes);
    }
    return scratch;
  }

  // A batch phase asks for memory in the middle of a row: a copy learns it and then takes the place of this model.
  bool batch_phase_within(const TrainingBatch& batch) const {
    std::int64_t number = intake_.n_learned();
    if (!booster_.remembers(number)) return false;
    for (int r = 0; r < batch.rows.n_rows; ++r)
      if (batch.weight == nullptr || batch.weight[r] > 0)
        if (booster_.batch_phase_due(number++)) return true;
    return false;
  }
  void learn_as_copy(const TrainingBatch& batch) {
    Pipeline copy(*this);
    copy.expect(batch.rows, batch.weight);
    copy.learn_with(1, batch);
    take(copy);
  }

  int wave_chunk() const { return ensemble_.wave_chunk > 0 ? ensemble_.wave_chunk : 128; }

  // Threads that have something to do. A batch phase needs all lanes to wait for its last row: it runs in one.
  int workers_for(int n_rows) const {
    if (n_rows < 2 * wave_chunk() || one_by_one() || part()) return 1;
    if constexpr (keeps_rows)
      if (booster_.remembers(intake_.n_learned())) return 1;
    return std::min(ensemble_.threads, static_cast<int>(blocks_.size()));
  }

  void learn_with(int workers, const TrainingBatch& batch) {
    const int n = batch.rows.n_rows;
    if (workers == 1) return learn_sequentially(batch, 0, n);
    if (ensemble_.wave_chunk > 0) {
      if (!learn_in_wavefront(batch, 0, workers)) learn_sequentially(batch, 0, n);
      return;
    }
    // Whether threads pay is seen from the first rows: what is learned does not depend on the clock, only who does it.
    const int trial_rows = threads_pay_ ? 0 : wave_chunk();
    if (!threads_pay_) {
      const auto began = std::chrono::steady_clock::now();
      learn_sequentially(batch, 0, trial_rows);
      threads_pay_ = std::chrono::steady_clock::now() - began >= worth_a_thread;
    }
    if (!*threads_pay_ || !learn_in_wavefront(batch, trial_rows, workers)) learn_sequentially(batch, trial_rows, n);
  }

  // ---- the stages of a chunk

  [[gnu::noinline]] void admit(const TrainingBatch& batch, int first, int end, Chunk& work) {
    work.begin(first, end);
    for (int r = 0; r < work.size; ++r) {
      const Row row = batch.rows.row(first + r);
      const double w = batch.weight ? batch.weight[first + r] : 1.0;
      work.example[r] = intake_.admit(row, numbers ? 0 : batch.truth.label[first + r], w, w > 0, work.row[r]);
      work.example[r].weight = w;
      if constexpr (numbers) work.example[r].target = batch.truth.target[first + r];
      work.open(r, part() ? part()->in.answers : batch.answers.output != Output::none);
      if constexpr (announces) {
        booster_.announce(work.passage[r]);
        if (w > 0) booster_.take_in(work.example[r]);
      }
      if constexpr (keeps_rows)
        if (w > 0) remember(row, work.example[r], work.batch_phase);
    }
    if (part()) read_carry<Booster>(*part(), work);
  }

  [[gnu::noinline]] void teach(std::size_t b, Chunk& work, Scratch& scratch) {
    for (int r = 0; r < work.size; ++r) {
      const Example& example = work.example[r];
      if (example.weight > 0) {
        booster_.learn(example, blocks_[b], scratch, work.passage[r]);
        blocks_[b].bank->finish_example(example);
        if (blocks_[b].guard.on()) guard(example, blocks_[b], scratch);
        if constexpr (keeps_rows)
          if (booster_.batch_phase_due(example.number)) booster_.batch_phase(work.batch_phase, blocks_[b], scratch);
      } else if (work.passage[r].answers) {
        booster_.score(example, blocks_[b], scratch, work.passage[r]);
      }
    }
  }

  // The lanes have learned the example: their spares follow, then the guard judges what the lanes answered.
  [[gnu::noinline]] void guard(const Example& example, BlockOf& block, Scratch& scratch) {
    const GuardParams& params = block.guard.params();
    const double *amount = scratch.amount.data(), *wrong = block.events.wrong();
    if (block.spares) {
      if (block.guard.any_spare()) {
        block.guard.spare_amounts(amount, example.weight, scratch.spare_amount.data(), scratch.spare_amount.size());
        const Amount kind = params.spare_amount == GuardParams::SpareAmount::lane ? scratch.kind : Amount::weight;
        block.spares->ask(example, numbers ? Request::numbers : Request::votes, scratch.spare_answers);
        if constexpr (numbers)
          block.spares->learn_targets(example, scratch.target.data(), scratch.spare_amount.data(), kind, scratch.spare_answers);
        else
          block.spares->learn(example, {example.label}, scratch.spare_amount.data(), kind, scratch.spare_answers);
      }
      block.spares->finish_example(example);
    }
    if (params.after && !numbers) {
      Example again = example;
      again.n_classes = example.n_classes_after;
      block.bank->ask(again, Request::votes, scratch.answers);
      for (std::size_t i = 0; i < scratch.extra.size(); ++i) scratch.extra[i] = scratch.answers.vote[i] == example.label ? 0.0 : 1.0;
      wrong = scratch.extra.data();
    }
    const bool alarm =
        block.guard.judge(example.number, wrong, amount, *block.bank, block.spares.get(), [&](std::size_t i) { reborn(block, i); });
    if (one_by_one()) alarm_ |= alarm;  // one thread
  }
  static void reborn(BlockOf& block, std::size_t i) {
    if constexpr (requires { block.state.reborn(i); }) block.state.reborn(i);
    if constexpr (requires { block.state.restart(i); })
      if (block.guard.params().on_drift == GuardParams::OnDrift::lane) block.state.restart(i);
  }

  // Some lane has alarmed: the lane with the highest error in its window starts again, the first of equals.
  struct Worst {
    int lane = -1;
    double error = -1;
  };
  Worst find_worst() const {
    Worst worst;
    for (const auto& block : blocks_) {
      std::size_t lane = 0;
      const double error = block.guard.worst_error(lane);
      if (error > worst.error) worst = {block.lanes().begin + static_cast<int>(lane), error};
    }
    return worst;
  }
  void restart(int lane, std::int64_t number) {
    for (auto& block : blocks_) {
      if (lane < block.lanes().begin || lane >= block.lanes().end) continue;
      const auto i = static_cast<std::size_t>(lane - block.lanes().begin);
      block.guard.restart(i, number, *block.bank);
      reborn(block, i);
    }
  }
  bool one_by_one() const { return ensemble_.guard.on() && ensemble_.guard.on_drift == GuardParams::OnDrift::worst; }

  [[gnu::noinline]] void conclude(const TrainingBatch& batch, Chunk& work) {
    const bool speaks = !part() || part()->last;
    if (part()) write_carry<Booster>(*part(), work);
    for (int r = 0; r < work.size; ++r) {
      if (work.passage[r].answers && speaks) to_verdict(work.example[r], work.passage[r], work.first + r, work, batch.answers);
      if (!(work.example[r].weight > 0)) continue;
      if (speaks) booster_.conclude(work.example[r], work.passage[r]);
      if constexpr (keeps_rows)
        if (booster_.batch_phase_due(work.example[r].number)) {
          memory_.clear();
          work.batch_phase = BatchPhase();
        }
    }
  }

  void learn_sequentially(const TrainingBatch& batch, int from, int to) {
    prepare(learn_memory_, to - from);
    Chunk& work = *learn_memory_.chunk;
    std::vector<Scratch>& scratch = learn_memory_.scratch;
    work.batch_phase = BatchPhase();
    lessons_begun_ = true;
    const int step = one_by_one() ? 1 : chunk;
    for (int first = from; first < to; first += step) {
      admit(batch, first, std::min(to, first + step), work);
      alarm_ = false;
      for (std::size_t b = 0; b < blocks_.size(); ++b) teach(b, work, scratch[b]);
      if (one_by_one()) {
        if (part())
          compare_worst();
        else if (alarm_)
          restart(find_worst().lane, work.example[0].number);
      }
      conclude(batch, work);
    }
  }

  // Worker w owns blocks edge(w) .. edge(w + 1). A chunk's slot is used again when the combiner is done with it. False, and nothing is
  // learned: there is no memory for the threads.
  bool learn_in_wavefront(const TrainingBatch& batch, int from, int workers) {
    const int to = batch.rows.n_rows, step = wave_chunk(), n_chunks = (to - from + step - 1) / step, slots = workers + 1;
    std::vector<Chunk> ring;
    std::vector<Scratch> scratch;
    std::optional<Wavefront> ready;
    try {
      for (int s = 0; s < slots; ++s) ring.emplace_back(*this, to - from, step);
      scratch = make_scratch();
      ready.emplace(workers);
    } catch (const std::bad_alloc&) {
      return false;
    }
    Wavefront& wave = *ready;
    const auto edge = [&](int w) { return blocks_.size() * static_cast<std::size_t>(w) / static_cast<std::size_t>(workers); };
    const auto work_on = [&](int worker) {
      if (worker == 0) lessons_begun_ = true;
      for (int c = 0; c < n_chunks; ++c) {
        Chunk& work = ring[static_cast<std::size_t>(c % slots)];
        if (worker == 0) {
          if (!wave.await(workers - 1, c - slots + 1)) return;
          admit(batch, from + c * step, to, work);
        } else if (!wave.await(worker - 1, c + 1)) {
          return;
        }
        for (std::size_t b = edge(worker); b < edge(worker + 1); ++b) teach(b, work, scratch[b]);
        if (worker == workers - 1) conclude(batch, work);
        wave.finished(worker, c + 1);
      }
    };
    try {
      wave.run(std::ref(work_on));
    } catch (const NoThread&) {
      return false;
    }
    return true;
  }

  void predict_rows(const RowBlock& rows, int from, int to, const OutputBuffers& answers) const {
    // One caller at a time has the spare place; others make their own.
    const Turn turn(ask_memory_taken_);
    CallMemory own;
    CallMemory& place = turn.mine ? ask_memory_ : own;
    prepare(place, to - from);
    Chunk& work = *place.chunk;
    std::vector<Scratch>& scratch = place.scratch;
    for (int first = from; first < to; first += chunk) {
      work.begin(first, to);
      for (int r = 0; r < work.size; ++r) {
        work.example[r] = intake_.look(rows.row(first + r), work.row[r]);
        work.open(r, true);
        if constexpr (announces) booster_.announce(work.passage[r]);
      }
      if (part()) read_carry<Booster>(*part(), work);
      for (std::size_t b = 0; b < blocks_.size(); ++b)
        for (int r = 0; r < work.size; ++r) booster_.score(work.example[r], blocks_[b], scratch[b], work.passage[r]);
      if (part()) write_carry<Booster>(*part(), work);
      if (part() && !part()->last) continue;
      for (int r = 0; r < work.size; ++r) to_verdict(work.example[r], work.passage[r], first + r, work, answers);
    }
  }

  // ---- a part of an ensemble whose other lanes live elsewhere (carry.hpp)

  Part* part() const { return ensemble_.part.get(); }
  void register_part() {
    if constexpr (requires { booster_.grain(); }) part()->grain = booster_.grain();
    part()->one_by_one = one_by_one();
    part()->check = [this](const Carry& carry, std::int64_t n_learning) {
      check_carry(booster_, *part(), carry, intake_.n_learned(), n_learning);
    };
    part()->restart = [this](int lane, std::int64_t number) { restart(lane, number); };
  }
  void compare_worst() const {
    const Carry& in = part()->in;
    const Worst own = find_worst();
    const bool earlier = in.worst_error >= own.error;
    part()->out.alarm = in.alarm || alarm_;
    part()->out.worst_lane = earlier ? in.worst_lane : own.lane;
    part()->out.worst_error = earlier ? in.worst_error : own.error;
  }

  void to_verdict(const Example& example, const Passage& passage, int r, Chunk& work, const OutputBuffers& answers) const {
    if constexpr (numbers) {
      if (answers.output == Output::number) answers.value[r] = booster_.number(example, passage);
    } else {
      to_classes(example, passage, r, work, answers);
    }
  }
  void to_classes(const Example& example, const Passage& passage, int r, Chunk& work, const OutputBuffers& answers) const {
    const int known = example.n_classes;
    const auto reserved = static_cast<std::size_t>(intake_.schema().n_classes);
    const double nothing = known == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    std::fill(work.score.begin(), work.score.end(), nothing);
    std::fill(work.proba.begin(), work.proba.end(), nothing);
    Verdict verdict{work.score.data(), work.proba.data()};
    if (known == 1)
      verdict.score[0] = verdict.proba[0] = 1;
    else if (known > 1)
      booster_.answer(example, passage, verdict);
    switch (answers.output) {
      case Output::none:
      case Output::number:
        break;
      case Output::label:
        answers.label[r] = pick_class(verdict.score, known, ensemble_, example.number);
        break;
      case Output::score:
        std::copy_n(verdict.score, reserved, answers.value + static_cast<std::size_t>(r) * reserved);
        break;
      case Output::proba:
        std::copy_n(verdict.proba, reserved, answers.value + static_cast<std::size_t>(r) * reserved);
        break;
      case Output::both: {
        double* row = answers.value + static_cast<std::size_t>(r) * (reserved + 1);
        std::copy_n(verdict.proba, reserved, row);
        row[reserved] = pick_class(verdict.score, known, ensemble_, example.number);
        break;
      }
      case Output::full: {
        double* row = answers.value + static_cast<std::size_t>(r) * columns_of(Output::full, reserved);
        std::copy_n(verdict.score, reserved, row);
        std::copy_n(verdict.proba, reserved, row + reserved);
        row[2 * reserved] = pick_class(verdict.score, known, ensemble_, example.number);
        break;
      }
      case Output::set:
        break;
    }
  }

  // What rounding (and bounds on log odds) have left between the sum and the score goes to the columns by their size; returns the base.
  double settle(double base, double score, double* contributions) const {
    const auto width = static_cast<std::size_t>(intake_.schema().width());
    double sum = base, whole = 0;
    for (std::size_t j = 0; j < width; ++j) {
      sum += contributions[j];
      whole += std::fabs(contributions[j]);
    }
    if (!(whole > 0)) return score;
    for (std::size_t j = 0; j < width; ++j) contributions[j] += std::fabs(contributions[j]) / whole * (score - sum);
    return base;
  }

  // Admission is where all lanes still wait, so what the batch phase sees is the state right after its last row.
  void remember(const Row& row, const Example& example, BatchPhase& batch_phase) {
    if (!booster_.remembers(example.number)) return;
    memory_.add(row, example.label, example.weight);
    if (booster_.batch_phase_due(example.number)) memory_.open(intake_, example.n_classes_after, batch_phase);
  }

  Booster booster_;
  Ensemble ensemble_;
  Intake intake_;
  std::vector<BlockOf> blocks_;
  RowMemory memory_;               // where Booster::keeps_rows; empty otherwise
  CallMemory learn_memory_;        // of learn_sequentially; no state
  mutable CallMemory ask_memory_;  // of predict
  mutable std::atomic<bool> ask_memory_taken_{false};
  const char* broken_ = nullptr;  // why, once a lesson has failed in the middle
  bool lessons_begun_ = false;    // of this call
  bool reserved_ = false;
  bool alarm_ = false;               // a lane alarmed on the example at hand; of the guard that waits for all lanes
  std::optional<bool> threads_pay_;  // once tried; forgotten when the schema grows
};

}  // namespace streamboost
