// How rows go through the stages of a pipeline: chunk by chunk, by one worker or by several that follow one another.
#include <algorithm>
#include <chrono>
#include <functional>
#include <new>

#include "streamboost/run/pipeline.hpp"
#include "streamboost/run/wavefront.hpp"

namespace streamboost {
namespace {

constexpr auto worth_a_thread = std::chrono::microseconds(250);  // work on a chunk that is large beside two waits

// One caller at a time has the spare place; others make their own.
struct Turn {
  std::atomic<bool>& taken;
  bool mine;
  explicit Turn(std::atomic<bool>& t) : taken(t), mine(!t.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (mine) taken.store(false, std::memory_order_release);
  }
};

}  // namespace

void Pipeline::learn(const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& answers) {
  require_sound();
  const TrainingBatch batch{rows, truth, weight, answers};
  if (runner_->traits.keeps_rows && batch_phase_within(batch) && !needs_gil()) return learn_as_copy(batch);
  expect(rows, weight);
  lessons_begun_ = false;
  try {
    learn_with(workers_for(rows.n_rows), batch);
  } catch (const std::bad_alloc&) {
    if (lessons_begun_) broken_ = "memory ran out in the middle of a batch; load the model from a file, or fit it again";
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

// Rows do not wait for one another when nothing is learned: every thread takes its share of them.
void Pipeline::predict(const RowBlock& rows, const OutputBuffers& answers) const {
  require_sound();
  if (answers.output == Output::votes) return count_votes(rows, answers.value);
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
  copy.learn_with(1, batch);
  take(copy);
}

// Threads that have something to do. A batch phase needs all lanes to wait for its last row: it runs in one.
int Pipeline::workers_for(int n_rows) const {
  if (n_rows < 2 * wave_chunk() || one_by_one() || part()) return 1;
  if (runner_->traits.keeps_rows && runner_->remembers(intake_.n_learned())) return 1;
  return std::min(ensemble_.threads, static_cast<int>(blocks_.size()));
}

void Pipeline::learn_with(int workers, const TrainingBatch& batch) {
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
    example = intake_.admit(row, label, w, w > 0, work.row[at]);
    example.weight = w;
    example.facts = facts;
    if (numbers) example.target = batch.truth.target[first + r];
    if (!keeps_rows || !(w > 0) || !runner_->remembers(example.number)) continue;
    // Admission is where all lanes still wait, so what the batch phase sees is the state right after its last row.
    memory_.add(row, example.label, w);
    if (runner_->batch_phase_due(example.number)) memory_.open(intake_, example.n_classes_after, work.batch_phase);
  }
  runner_->open_to_learn(work, part() ? part()->in.answers : batch.answers.output != Output::none);
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

void Pipeline::learn_sequentially(const TrainingBatch& batch, int from, int to) {
  prepare(learn_memory_, to - from);
  Chunk& work = *learn_memory_.chunk;
  work.batch_phase = BatchPhase();
  lessons_begun_ = true;
  const int step = one_by_one() ? 1 : work.capacity();
  for (int first = from; first < to; first += step) {
    admit(batch, first, std::min(to, first + step), work);
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

// Worker w owns blocks edge(w) .. edge(w + 1). A chunk's slot is used again when the combiner is done with it. False, and nothing is
// learned: there is no memory for the threads.
bool Pipeline::learn_in_wavefront(const TrainingBatch& batch, int from, int workers) {
  const int to = batch.rows.n_rows, step = wave_chunk(), n_chunks = (to - from + step - 1) / step, slots = workers + 1;
  std::vector<std::unique_ptr<Chunk>> ring;
  std::vector<Scratch> scratch;
  std::optional<Wavefront> ready;
  try {
    for (int s = 0; s < slots; ++s)
      ring.push_back(runner_->make_chunk(intake_, ensemble_, static_cast<std::size_t>(std::min(to - from, step))));
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
      Chunk& work = *ring[static_cast<std::size_t>(c % slots)];
      if (worker == 0) {
        if (!wave.await(workers - 1, c - slots + 1)) return;
        admit(batch, from + c * step, to, work);
      } else if (!wave.await(worker - 1, c + 1)) {
        return;
      }
      for (std::size_t b = edge(worker); b < edge(worker + 1); ++b) runner_->teach(*blocks_[b], work, scratch[b]);
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

// Learners that are not trained yet have no vote.
void Pipeline::count_votes(const RowBlock& rows, double* shares) const {
  const auto k = static_cast<std::size_t>(intake_.schema().n_classes);
  std::vector<Scratch> scratch = make_scratch();
  RowBuffer buffer;
  intake_.make_room(buffer);
  for (int r = 0; r < rows.n_rows; ++r) {
    double* share = shares + static_cast<std::size_t>(r) * k;
    std::fill_n(share, k, 0.0);
    const Example example = intake_.look(rows.row(r), buffer);
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

void Pipeline::predict_rows(const RowBlock& rows, int from, int to, const OutputBuffers& answers) const {
  const Turn turn(ask_memory_taken_);
  CallMemory own;
  CallMemory& place = turn.mine ? ask_memory_ : own;
  prepare(place, to - from);
  Chunk& work = *place.chunk;
  for (int first = from; first < to; first += work.capacity()) {
    work.begin(first, to);
    for (int r = 0; r < work.size; ++r) {
      const auto at = static_cast<std::size_t>(r);
      work.example[at] = intake_.look(rows.row(first + r), work.row[at]);
    }
    runner_->open_to_answer(work);
    if (part()) runner_->read_carry(*part(), work);
    for (std::size_t b = 0; b < blocks_.size(); ++b) runner_->score(*blocks_[b], work, place.scratch[b]);
    if (part()) runner_->write_carry(*part(), work);
    if (!part() || part()->last) runner_->answer(work, writer(answers));
  }
}

}  // namespace streamboost
