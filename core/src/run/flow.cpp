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
  helps_ = static_cast<unsigned>(workers_) <= std::thread::hardware_concurrency();
  own_.assign(static_cast<std::size_t>(workers_), {});
  all_.clear();
  for (std::size_t s = 0; s < n; ++s) {
    Station& station = *stations_[s];
    own_[static_cast<std::size_t>(station.owner)].push_back(&station);
    all_.push_back(&station);
    for (int before : station.after) stations_[static_cast<std::size_t>(before)]->before.push_back(static_cast<int>(s));
    if (station.after.empty()) stations_.back()->before.push_back(static_cast<int>(s));
  }
  bells_ = std::make_unique<Bell[]>(static_cast<std::size_t>(workers_));
  worker_seconds_.assign(static_cast<std::size_t>(workers_), 0.0);
}

// began: the processor time of this thread when it chose the station; returns that of the end, for the next one.
double Flow::do_next(Station& station, int chunk, double began) {
  station.task(chunk);
  const double ended = thread_seconds();
  station.seconds += ended - began;
  station.done.store(chunk + 1, std::memory_order_release);
  return ended;
}

void Flow::run_alone(int chunk) {
  double now = thread_seconds();
  for (auto& station : stations_) now = do_next(*station, chunk, now);
}

void Flow::run_in_turn() {
  double now = thread_seconds();
  for (int first = 0; first < n_chunks(); first += slots_)
    for (auto& station : stations_) {
      const double began = now;
      for (int chunk = first; chunk < std::min(first + slots_, n_chunks()); ++chunk) now = do_next(*station, chunk, now);
      worker_seconds_[static_cast<std::size_t>(station->owner)] += now - began;
    }
}

void Flow::run() {
  const auto job = [this](int worker) { work(worker); };
  run_workers(workers_, std::ref(job), [this] { stop(); });
}

bool Flow::ready(const Station& station, int more) const {
  const std::int64_t next = station.done.load(std::memory_order_relaxed) + more;
  if (next >= n_chunks()) return false;
  if (station.after.empty())  // others help a source when it is no longer far ahead
    return stations_.back()->done.load(std::memory_order_acquire) > next - (more > 0 ? slots_ / 2 : slots_);
  return std::all_of(station.after.begin(), station.after.end(),
                     [&](int before) { return stations_[static_cast<std::size_t>(before)]->done.load(std::memory_order_acquire) > next; });
}

// The station that is most behind of those that are ready; it is then taken.
Flow::Station* Flow::choose(const std::vector<Station*>& among, int more) {
  Station* chosen = nullptr;
  for (Station* station : among)
    if ((chosen == nullptr || station->done.load(std::memory_order_relaxed) < chosen->done.load(std::memory_order_relaxed)) &&
        !station->taken.load(std::memory_order_relaxed) && ready(*station, more))
      chosen = station;
  if (chosen == nullptr || chosen->taken.exchange(true, std::memory_order_acquire)) return nullptr;
  if (ready(*chosen, more)) return chosen;
  chosen->taken.store(false, std::memory_order_release);  // somebody was quicker
  ring(chosen->owner);
  return nullptr;
}

void Flow::work(int worker) {
  const auto& own = own_[static_cast<std::size_t>(worker)];
  Bell& bell = bells_[static_cast<std::size_t>(worker)];
  const double began = thread_seconds();
  double now = began;
  while (!stopped_.load(std::memory_order_acquire)) {
    const std::uint32_t heard = bell.rung.load(std::memory_order_acquire);
    Station* station = choose(own, 0);
    if (station == nullptr && helps_) station = choose(all_, 1);
    if (station != nullptr) {
      now = do_next(*station, static_cast<int>(station->done.load(std::memory_order_relaxed)), now);
      station->taken.store(false, std::memory_order_release);
      tell(*station, worker);
      continue;
    }
    if (std::all_of(own.begin(), own.end(), [&](const Station* s) { return s->done.load(std::memory_order_acquire) == n_chunks(); })) break;
    bell.awaited.store(true);  // before it looks at `rung` again, and who rings looks at it after: one of them sees the other
    bell.wait(heard);
    bell.awaited.store(false, std::memory_order_relaxed);
    now = thread_seconds();
  }
  worker_seconds_[static_cast<std::size_t>(worker)] += thread_seconds() - began;
}

// A station has done a chunk: its owner, and those of the stations that waited for it, hear of it; and where more is waiting than they can do,
// somebody who has nothing to do.
void Flow::tell(const Station& done, int worker) {
  bool too_much = false;
  if (done.owner != worker) ring(done.owner);
  for (int s : done.before) {
    const Station& next = *stations_[static_cast<std::size_t>(s)];
    if (next.owner != worker) ring(next.owner);
    too_much = too_much || (helps_ && !next.taken.load(std::memory_order_relaxed) && ready(next, 1));
  }
  for (int other = 0; other < workers_ && too_much; ++other) {
    if (!bells_[static_cast<std::size_t>(other)].awaited.load(std::memory_order_relaxed)) continue;
    ring(other);
    break;
  }
}

void Flow::ring(int worker) {
  Bell& bell = bells_[static_cast<std::size_t>(worker)];
  bell.rung.fetch_add(1);
  if (bell.awaited.load()) bell.wake();
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
