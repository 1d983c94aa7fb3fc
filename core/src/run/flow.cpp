#include "streamboost/run/flow.hpp"

#include <ctime>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#ifndef CLOCK_THREAD_CPUTIME_ID
#include <chrono>
#endif

namespace streamboost {

double thread_seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

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

int Flow::add(Task task, std::vector<int> after) {
  auto station = std::make_unique<Station>();
  station->task = std::move(task);
  station->after = std::move(after);
  stations_.push_back(std::move(station));
  return static_cast<int>(stations_.size()) - 1;
}

void Flow::deal(int workers, const std::vector<double>& cost) {
  const std::size_t n = stations_.size();
  workers_ = std::min(workers, static_cast<int>(n));
  const auto price = [&](std::size_t s) { return cost.size() == n ? cost[s] : 1.0; };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return price(a) > price(b); });
  std::vector<double> load(static_cast<std::size_t>(workers_));
  for (std::size_t s : order) {
    const auto lightest = std::min_element(load.begin(), load.end());
    *lightest += price(s);
    stations_[s]->owner = static_cast<int>(lightest - load.begin());
  }
  own_.assign(static_cast<std::size_t>(workers_), {});
  for (auto& station : stations_) {
    station->wakes.clear();
    own_[static_cast<std::size_t>(station->owner)].push_back(station.get());
  }
  const auto wakes = [](Station& by, const Station& whom) {
    if (whom.owner != by.owner && std::find(by.wakes.begin(), by.wakes.end(), whom.owner) == by.wakes.end()) by.wakes.push_back(whom.owner);
  };
  for (auto& station : stations_) {
    for (int before : station->after) wakes(*stations_[static_cast<std::size_t>(before)], *station);
    if (station->after.empty()) wakes(*stations_.back(), *station);
  }
  bells_ = std::make_unique<Bell[]>(static_cast<std::size_t>(workers_));
  worker_seconds_.assign(static_cast<std::size_t>(workers_), 0.0);
}

void Flow::do_next(Station& station, int chunk) {
  const double began = thread_seconds();
  station.task(chunk);
  station.seconds += thread_seconds() - began;
  station.done.store(chunk + 1, std::memory_order_release);
}

void Flow::run_alone(int chunk) {
  for (auto& station : stations_) do_next(*station, chunk);
}

void Flow::run() {
  const auto job = [this](int worker) { work(worker); };
  run_workers(workers_, std::ref(job), [this] { stop(); });
}

bool Flow::ready(const Station& station) const {
  const std::int64_t next = station.done.load(std::memory_order_relaxed);  // its owner asks
  if (next == n_chunks()) return false;
  if (station.after.empty()) return stations_.back()->done.load(std::memory_order_acquire) > next - slots_;
  return std::all_of(station.after.begin(), station.after.end(),
                     [&](int before) { return stations_[static_cast<std::size_t>(before)]->done.load(std::memory_order_acquire) > next; });
}

void Flow::work(int worker) {
  const auto& own = own_[static_cast<std::size_t>(worker)];
  const auto& bell = bells_[static_cast<std::size_t>(worker)].rung;
  const double began = thread_seconds();
  while (!stopped_.load(std::memory_order_acquire)) {
    const std::uint32_t heard = bell.load(std::memory_order_acquire);
    Station* most_behind = nullptr;
    bool all_done = true;
    for (Station* station : own) {
      const std::int64_t next = station->done.load(std::memory_order_relaxed);
      all_done = all_done && next == n_chunks();
      if ((most_behind == nullptr || next < most_behind->done.load(std::memory_order_relaxed)) && ready(*station)) most_behind = station;
    }
    if (all_done) break;
    if (most_behind == nullptr) {
      bell.wait(heard, std::memory_order_acquire);
      continue;
    }
    do_next(*most_behind, static_cast<int>(most_behind->done.load(std::memory_order_relaxed)));
    for (int other : most_behind->wakes) ring(other);
  }
  worker_seconds_[static_cast<std::size_t>(worker)] += thread_seconds() - began;
}

void Flow::ring(int worker) {
  Bell& bell = bells_[static_cast<std::size_t>(worker)];
  bell.rung.fetch_add(1, std::memory_order_release);
  bell.rung.notify_one();
}

void Flow::stop() {
  stopped_.store(true, std::memory_order_release);
  for (int worker = 0; worker < workers_; ++worker) ring(worker);
}

std::vector<double> Flow::seconds() const {
  std::vector<double> all;
  for (const auto& station : stations_) all.push_back(station->seconds);
  return all;
}

std::vector<int> Flow::owners() const {
  std::vector<int> all;
  for (const auto& station : stations_) all.push_back(station->owner);
  return all;
}

}  // namespace streamboost
