// A call that learns, cut for threads: chunks of rows flow through stations, one behind the other.
//
// A station is a piece of a model that no other one touches: the intake of a forest, a block of its lanes, a companion, the pool. It takes
// chunk c when it has done chunk c - 1 and the stations before it have done c; so every piece of state meets the same rows in the same order as
// without threads, and bits do not change. Sources wait until the last station is `slots` chunks behind: what a chunk needs on its way
// is kept that often.
//
// Every station belongs to one worker, dealt out by cost: the costliest first, each to the worker with the least. A worker takes the chunk
// that is most behind among those that its stations could take; one that would wait helps out where two chunks are waiting, if every worker
// can have a core. Workers live for one call: starting them costs tens of microseconds, and nothing is left behind that a fork could lose. Waiting is std::atomic::wait,
// which sleeps after a short while. The first exception stops all workers and is thrown to the caller.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "streamboost/data/example.hpp"
#include "streamboost/data/row.hpp"
#include "streamboost/run/outputs.hpp"

namespace streamboost {

// The system has no more threads, or no memory for them.
struct NoThread final : std::runtime_error {
  NoThread() : std::runtime_error("no thread could be started") {}
};

// work(0) .. work(workers - 1), the first in the calling thread; the first exception is thrown here when all have ended. NoThread:
// work(0) has not begun. Give what is large by std::ref.
using Work = std::function<void(int worker)>;
void run_workers(int workers, const Work& work, const std::function<void()>& on_failure = [] {});

double thread_seconds();  // of processor time that this thread has used

class Flow {
 public:
  using Task = std::function<void(int chunk)>;

  Flow(int n_rows, int chunk_rows, int slots) : n_rows_(n_rows), chunk_rows_(chunk_rows), slots_(slots) {}

  // after: stations that must have done a chunk before this one takes it. Whoever adds the last one speaks for the whole model.
  int add(Task task, std::vector<int> after);

  int chunk_rows() const { return chunk_rows_; }
  int n_chunks() const { return (n_rows_ + chunk_rows_ - 1) / chunk_rows_; }
  int slots() const { return slots_; }
  std::size_t slot(int chunk) const { return static_cast<std::size_t>(chunk % slots_); }
  int first(int chunk) const { return chunk * chunk_rows_; }
  int size(int chunk) const { return std::min(chunk_rows_, n_rows_ - first(chunk)); }

  // Deals the stations out and makes all room that `run` needs. cost: of each station; empty: they are alike.
  void deal(int workers, const std::vector<double>& cost);
  void run_alone(int chunk);  // in this thread
  void run();                 // all chunks, by all workers; NoThread: nothing was done
  void run_in_turn();         // in this thread, every station as many chunks as there are slots before the next has its turn

  std::vector<double> seconds() const;  // of processor time, each station's so far
  const std::vector<double>& worker_seconds() const { return worker_seconds_; }
  std::size_t n_stations() const { return stations_.size(); }
  std::vector<int> owners() const;
  const std::vector<int>& after(std::size_t station) const { return stations_[station]->after; }

 private:
  struct alignas(64) Station {  // a cache line of its own: waiting for one does not slow the others
    std::atomic<std::int64_t> done{0};
    std::atomic<bool> taken{false};  // somebody works at it
    double seconds = 0;
    int owner = 0;
    Task task;
    std::vector<int> after, before;  // before: the stations that may have waited for it
  };
  struct alignas(64) Bell {
    std::atomic<std::uint32_t> rung{0};
    std::atomic<bool> awaited{false};
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAVE_LINUX_FUTEX)
    // Its std::atomic::wait shares a condition among bells and looks at the value before it takes the lock: a bell may ring unheard.
    std::mutex guard;
    std::condition_variable changed;
    void wait(std::uint32_t heard) {
      std::unique_lock lock(guard);
      changed.wait(lock, [&] { return rung.load() != heard; });
    }
    void wake() {
      const std::scoped_lock lock(guard);  // who is about to sleep sleeps then
      changed.notify_one();
    }
#else
    void wait(std::uint32_t heard) { rung.wait(heard); }
    void wake() { rung.notify_one(); }
#endif
  };

  double do_next(Station& station, int chunk, double began);
  bool ready(const Station& station, int more = 0) const;  // for its next chunk, and as many more
  Station* choose(const std::vector<Station*>& among, int more);
  void work(int worker);
  void tell(const Station& done, int worker);
  void ring(int worker);
  void stop();

  int n_rows_, chunk_rows_, slots_, workers_ = 1;
  std::vector<std::unique_ptr<Station>> stations_;
  std::vector<std::vector<Station*>> own_;  // [worker]
  std::vector<Station*> all_;
  std::unique_ptr<Bell[]> bells_;  // [worker]
  std::vector<double> worker_seconds_;
  bool helps_ = false;
  std::atomic<bool> stopped_{false};
};

// What a model is to learn in a flow: all rows of the call. answers: where those of a chunk go, row 0 is its first.
struct FlowInput {
  RowBlock rows;
  Truth truth;
  const double* weight;  // null for 1s
  std::function<OutputBuffers(int chunk)> answers;
  std::vector<int> after = {};  // the stations that make the rows or the weights of a chunk

  RowBlock rows_of(const Flow& flow, int chunk) const { return rows.part(flow.first(chunk), flow.size(chunk)); }
  const double* weight_of(const Flow& flow, int chunk) const { return weight ? weight + flow.first(chunk) : nullptr; }
};

}  // namespace streamboost
