#include "streamboost/run/team.hpp"

#include <atomic>
#include <functional>
#include <new>
#include <numeric>
#include <optional>

namespace streamboost {
namespace {

constexpr int trial_rows = 64, fewest_rows = 8, most_rows = 256, least_answers = 128;
constexpr double task_seconds = 60e-6;    // of a station on a chunk: large beside waking another one
constexpr double worth_threads = 500e-6;  // of a call

// Answers to a row: one for each class; an interval of numbers has two ends.
std::size_t answers_of(const Model& model) {
  return model.answers_numbers() ? 2 : static_cast<std::size_t>(model.intake().schema().n_classes);
}

}  // namespace

// As small as handing over allows, so that also the last of many stations soon has something to do.
int Team::chunk_rows(int n_rows) const {
  if (chunk_ > 0) return chunk_;
  if (row_seconds_ <= 0) return std::min(trial_rows, n_rows / 2);
  const double by_cost = task_seconds * static_cast<double>(record_.cost.size()) / row_seconds_, by_length = n_rows / (16.0 * threads_);
  return static_cast<int>(std::clamp(std::min(by_cost, by_length), double{fewest_rows}, double{most_rows}));
}

bool Team::small(int n_rows) const {
  if (chunk_ > 0) return n_rows < 2 * chunk_;
  return row_seconds_ > 0 && (row_seconds_ * n_rows < worth_threads || row_seconds_ * most_rows < worth_threads / 2);
}

void Team::learn(Model& model, const RowBlock& rows, Truth truth, const double* weight, const OutputBuffers& out) {
  // Nor is a row alone worth a look at the clock.
  if (threads_ < 2 || (chunk_ == 0 && rows.n_rows < 2 * fewest_rows)) return model.learn(rows, truth, weight, out);
  const auto from = [&](int row) {  // the same call without the rows before
    return Call{rows.part(row, rows.n_rows - row), truth.from(row), weight ? weight + row : nullptr, out.from(row, answers_of(model))};
  };
  const Call all = from(0);
  if (small(rows.n_rows)) return alone(model, all);
  std::optional<Flow> flow;
  const bool trial = chunk_ == 0 && record_.cost.empty();
  try {
    model.expect(rows, weight);
    flow.emplace(rows.n_rows, chunk_rows(rows.n_rows), 2 * threads_ + 4);
    model.enlist(*flow, {rows, truth, weight, [&](int chunk) { return out.from(flow->first(chunk), answers_of(model)); }});
    flow->deal(threads_, record_.cost);
  } catch (const std::bad_alloc&) {
    return alone(model, all);  // there is no memory for threads
  }
  // What the stations cost is seen from the first chunk, and whether threads pay: not what is learned, only by whom.
  if (trial) {
    flow->run_alone(0);
    remember(*flow, flow->size(0));
    const Call rest = from(flow->first(1));
    return learn(model, rest.rows, rest.truth, rest.weight, rest.out);
  }
  try {
    in_turn_ ? flow->run_in_turn() : flow->run();
  } catch (const NoThread&) {
    return alone(model, all);
  }
  remember(*flow, rows.n_rows);
  record_.busiest += *std::max_element(flow->worker_seconds().begin(), flow->worker_seconds().end());
  record_.together += std::accumulate(flow->worker_seconds().begin(), flow->worker_seconds().end(), 0.0);
}

void Team::alone(Model& model, const Call& call) {
  const double began = thread_seconds();
  model.learn(call.rows, call.truth, call.weight, call.out);
  row_seconds_ = (thread_seconds() - began) / std::max(call.rows.n_rows, 1);
}

// Without memory for it the next call is dealt out as this one was.
void Team::remember(const Flow& flow, int n_rows) try {
  std::vector<double> cost = flow.seconds();
  const bool first = record_.cost.size() != cost.size();
  for (std::size_t s = 0; s < cost.size(); ++s)  // one call says little: trees split and boosted trees are fitted now and then
    cost[s] = first ? cost[s] / n_rows : record_.cost[s] + (cost[s] / n_rows - record_.cost[s]) / 4;
  record_.cost = std::move(cost);
  row_seconds_ = std::accumulate(record_.cost.begin(), record_.cost.end(), 0.0);
  record_.owner = flow.owners();
  record_.chunk_rows = flow.chunk_rows();
  record_.slots = flow.slots();
  record_.after.clear();
  for (std::size_t s = 0; s < flow.n_stations(); ++s) record_.after.push_back(flow.after(s));
} catch (const std::bad_alloc&) {
}

// Rows do not wait for one another when nothing is learned: every thread takes some of them until there are none, the quicker ones more often.
void Team::predict(const Model& model, const RowBlock& rows, const OutputBuffers& out) const {
  const int n = rows.n_rows, workers = n < 2 * least_answers && chunk_ == 0 ? 1 : std::min(threads_, n);
  if (workers < 2) return model.predict(rows, out);
  const int some = chunk_ > 0 ? chunk_ : std::max(least_answers, n / (4 * workers) + 1);
  std::atomic<int> next{0};
  const auto share = [&](int /*worker*/) {
    for (int first = next.fetch_add(some); first < n; first = next.fetch_add(some))
      model.predict(rows.part(first, std::min(some, n - first)), out.from(first, answers_of(model)));
  };
  try {
    run_workers(in_turn_ ? 1 : workers, std::ref(share));
  } catch (const NoThread&) {
    model.predict(rows, out);
  }
}

}  // namespace streamboost
