// How rows go through the stages of a pipeline, chunk by chunk.
#include <algorithm>
#include <new>

#include "streamboost/run/pipeline.hpp"

namespace streamboost {
namespace {

constexpr const char* out_of_memory = "memory ran out in the middle of a batch; load the model from a file, or fit it again";

// One caller at a time may use the working memory that the model keeps; others make their own.
struct MemoryLoan {
  std::atomic<bool>& taken;
  bool granted;
  explicit MemoryLoan(std::atomic<bool>& t) : taken(t), granted(!t.exchange(true, std::memory_order_acquire)) {}
  ~MemoryLoan() {
    if (granted) taken.store(false, std::memory_order_release);
  }
};

}  // namespace

void Pipeline::learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& answers) {
  require_sound();
  const TrainingBatch batch{rows, truth, weight, answers};
  if (runner_->traits.keeps_rows && batch_phase_within(batch) && !needs_gil()) return learn_as_copy(batch);
  expect(rows, weight);
  learning_begun_ = false;
  try {
    learn_rows(batch);
  } catch (const std::bad_alloc&) {
    if (learning_begun_) broken_ = out_of_memory;
    throw;
  }
}

void Pipeline::expect(const RowBlock& rows, const double* weight) {
  require_sound();
  for (auto& block : blocks_) {
    for (const BankHandle* bank : {&block->bank, &block->spares})
      if (NeedsRoom* room = bank->can().room) room->expect(rows, weight);
    block->guard.expect();
  }
  prepare(learn_memory_, rows.n_rows);
  if (!runner_->traits.keeps_rows) return;
  std::size_t cells = 0;
  for (int r = 0; r < rows.n_rows; ++r) cells += static_cast<std::size_t>(rows.row(r).size);
  memory_.make_room(static_cast<std::size_t>(rows.n_rows), cells);
}

// A batch phase asks for memory in the middle of a row: a copy learns it and then takes the place of this model.
bool Pipeline::batch_phase_within(const TrainingBatch& batch) const {
  std::int64_t number = intake_.n_learned();
  if (!runner_->remembers(number)) return false;
  for (int r = 0; r < batch.rows.n_rows; ++r)
    if (batch.weight == nullptr || batch.weight[r] > 0)
      if (runner_->batch_phase_due(number++)) return true;
  return false;
}

void Pipeline::learn_as_copy(const TrainingBatch& batch) {
  Pipeline copy(*this);
  copy.expect(batch.rows, batch.weight);
  copy.learn_rows(batch);
  take(copy);
}

// ---- the stages of a chunk; the second, between them, is the runner's `teach`

void Pipeline::admit(const TrainingBatch& batch, int first, int end, Chunk& work) {
  const bool numbers = answers_numbers(), keeps_rows = runner_->traits.keeps_rows;
  work.begin(first, end);
  for (int r = 0; r < work.size; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Row row = batch.rows.row(first + r);
    const double w = batch.weight ? batch.weight[first + r] : 1.0;
    Example& example = work.example[at];
    const double* facts = batch.truth.facts ? batch.truth.facts + static_cast<std::size_t>(first + r) * batch.truth.n_facts : nullptr;
    // A set says of every label whether the row has it: all of them are known then.
    const int label = facts ? (runner_->traits.facts == Facts::set ? intake_.schema().n_classes - 1 : static_cast<int>(facts[0]))
                            : (numbers ? 0 : batch.truth.label[first + r]);
    intake_.admit(row, label, w, batch.truth.absent(first + r), work.row[at], example);
    example.weight = w;
    example.facts = facts;
    if (numbers) example.target = batch.truth.target[first + r];
    if (!keeps_rows || !(w > 0) || !runner_->remembers(example.number)) continue;
    // Admission is where all lanes still wait, so what the batch phase sees is the state right after its last row.
    memory_.add(row, example.label, w);
    if (runner_->batch_phase_due(example.number)) memory_.open(intake_, example.n_classes_after, work.batch_phase);
  }
  runner_->open_to_learn(work, part() ? part()->in.answers : batch.answers.output != Output::none, part() ? nullptr : batch.answers.heard);
  if (part()) runner_->read_carry(*part(), work);
}

void Pipeline::conclude(const TrainingBatch& batch, Chunk& work) {
  if (part()) runner_->write_carry(*part(), work);
  if (!part() || part()->last) runner_->conclude(work, writer(batch.answers));
  if (!runner_->traits.keeps_rows) return;
  for (int r = 0; r < work.size; ++r) {
    const Example& example = work.example[static_cast<std::size_t>(r)];
    if (!(example.weight > 0) || !runner_->batch_phase_due(example.number)) continue;
    memory_.clear();
    work.batch_phase = BatchPhase();
  }
}

AnswerWriter Pipeline::writer(const OutputBuffers& answers) const {
  return {answers, ensemble_, static_cast<std::size_t>(intake_.schema().n_classes)};
}

void Pipeline::learn_rows(const TrainingBatch& batch) {
  const int n = batch.rows.n_rows;
  prepare(learn_memory_, n);
  Chunk& work = *learn_memory_.chunk;
  work.batch_phase = BatchPhase();
  learning_begun_ = true;
  const int step = one_by_one() ? 1 : work.capacity();
  for (int first = 0; first < n; first += step) {
    admit(batch, first, std::min(n, first + step), work);
    bool alarm = false;
    for (std::size_t b = 0; b < blocks_.size(); ++b) alarm |= runner_->teach(*blocks_[b], work, learn_memory_.scratch[b]);
    if (one_by_one()) act_on_alarm(alarm, work.example[0].number);
    conclude(batch, work);
  }
}

// All lanes have met the example, and the guard of one of them may have alarmed: the worst lane begins again. The parts of an ensemble
// compare theirs on the way.
void Pipeline::act_on_alarm(bool alarm, std::int64_t number) {
  if (!part()) {
    if (alarm) restart_lane(blocks_, find_worst(blocks_).lane, number);
    return;
  }
  const Carry& in = part()->in;
  const WorstLane own = find_worst(blocks_);
  const bool earlier = in.worst_error >= own.error;
  part()->out.alarm = in.alarm || alarm;
  part()->out.worst_lane = earlier ? in.worst_lane : own.lane;
  part()->out.worst_error = earlier ? in.worst_error : own.error;
}

// A guard that waits for all lanes, a part and a batch phase need every lane at the same row.
int Pipeline::enlist(Flow& flow, const FlowInput& in) {
  require_sound();
  const bool batch_phase = runner_->traits.keeps_rows && runner_->remembers(intake_.n_learned());
  if (one_by_one() || part() || batch_phase) return Model::enlist(flow, in);
  struct OnTheWay {
    std::vector<std::unique_ptr<Chunk>> chunk;  // [slot]
    std::vector<Scratch> scratch;               // [block]
  };
  auto way = std::make_shared<OnTheWay>();
  for (int s = 0; s < flow.slots(); ++s)
    way->chunk.push_back(runner_->make_chunk(intake_, ensemble_, static_cast<std::size_t>(flow.chunk_rows())));
  way->scratch = make_scratch();
  const auto batch = [&flow, in](int c) {
    return TrainingBatch{in.rows_of(flow, c), in.truth.from(flow.first(c)), in.weight_of(flow, c), in.answers(c)};
  };
  const auto station = [this, &flow](auto task, const std::vector<int>& after) {
    const auto safely = [this, task](int c) {
      try {
        task(c);
      } catch (const std::bad_alloc&) {
        broken_ = out_of_memory;
        throw;
      }
    };
    return flow.add(safely, after);
  };
  int last = station([=, this, &flow](int c) { admit(batch(c), 0, flow.size(c), *way->chunk[flow.slot(c)]); }, in.after);
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    last = station([=, this, &flow](int c) { runner_->teach(*blocks_[b], *way->chunk[flow.slot(c)], way->scratch[b]); }, {last});
  return station([=, this, &flow](int c) { conclude(batch(c), *way->chunk[flow.slot(c)]); }, {last});
}

// Learners that are not trained yet have no vote.
void Pipeline::count_votes(const RowBlock& rows, double* shares) const {
  const auto k = static_cast<std::size_t>(intake_.schema().n_classes);
  std::vector<Scratch> scratch = make_scratch();
  RowBuffer buffer;
  Example example;
  intake_.make_room(buffer);
  for (int r = 0; r < rows.n_rows; ++r) {
    double* share = shares + static_cast<std::size_t>(r) * k;
    std::fill_n(share, k, 0.0);
    intake_.look(rows.row(r), buffer, example);
    double n = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      blocks_[b]->bank->ask(example, Request::votes, scratch[b].answers);
      for (int lane = 0; lane < blocks_[b]->lanes().size(); ++lane) {
        const std::int32_t vote = scratch[b].answers.vote[static_cast<std::size_t>(lane)];
        if (vote < 0) continue;
        share[vote] += 1;
        n += 1;
      }
    }
    for (std::size_t c = 0; c < k && n > 0; ++c) share[c] /= n;
  }
}

void Pipeline::predict(const RowBlock& rows, const OutputBuffers& answers) const {
  require_sound();
  if (answers.output == Output::votes) return count_votes(rows, answers.value);
  const MemoryLoan loan(ask_memory_taken_);
  CallMemory own;
  CallMemory& memory = loan.granted ? ask_memory_ : own;
  prepare(memory, rows.n_rows);
  Chunk& work = *memory.chunk;
  for (int first = 0; first < rows.n_rows; first += work.capacity()) {
    work.begin(first, rows.n_rows);
    for (int r = 0; r < work.size; ++r) {
      const auto at = static_cast<std::size_t>(r);
      intake_.look(rows.row(first + r), work.row[at], work.example[at]);
    }
    runner_->open_to_answer(work);
    if (part()) runner_->read_carry(*part(), work);
    for (std::size_t b = 0; b < blocks_.size(); ++b) runner_->score(*blocks_[b], work, memory.scratch[b]);
    if (part()) runner_->write_carry(*part(), work);
    if (!part() || part()->last) runner_->answer(work, writer(answers));
  }
}

}  // namespace streamboost
