#include "streamboost/run/wavefront.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace streamboost {

void run_workers(int workers, const Work& work, const std::function<void()>& on_failure) {
  std::exception_ptr failure;
  std::mutex guard;
  const auto safely = [&](int worker) {
    try {
      work(worker);
    } catch (...) {
      {
        const std::scoped_lock lock(guard);
        if (!failure) failure = std::current_exception();
      }
      on_failure();
    }
  };
  std::vector<std::thread> threads;
  bool all = true;
  try {
    for (int worker = 1; worker < workers; ++worker) threads.emplace_back(safely, worker);
  } catch (...) {
    all = false;
    on_failure();  // nobody may wait for it
  }
  if (all) safely(0);
  for (auto& thread : threads) thread.join();
  if (!all) throw NoThread();
  if (failure) std::rethrow_exception(failure);
}

void Wavefront::run(const Work& work) {
  run_workers(workers_, work, [this] { stop(); });
}

bool Wavefront::await(int worker, std::int64_t chunks) const {
  const std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(worker)].value;
  for (std::int64_t seen = done.load(std::memory_order_acquire); seen < chunks; seen = done.load(std::memory_order_acquire)) {
    if (seen == stopped) return false;
    done.wait(seen, std::memory_order_acquire);
  }
  return true;
}

void Wavefront::finished(int worker, std::int64_t chunks) {
  std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(worker)].value;
  std::int64_t before = chunks - 1;
  done.compare_exchange_strong(before, chunks, std::memory_order_release);  // fails when all were stopped
  done.notify_all();
}

void Wavefront::stop() {
  for (int worker = 0; worker < workers_; ++worker) {
    done_[static_cast<std::size_t>(worker)].value.store(stopped, std::memory_order_release);
    done_[static_cast<std::size_t>(worker)].value.notify_all();
  }
}

}  // namespace streamboost
