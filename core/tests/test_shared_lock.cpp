// One writer or many readers: models shared by threads, as the bindings share them. Meant for the thread sanitizer.
#include "streamboost/run/shared_lock.hpp"

#undef NDEBUG  // the assertions are the test
#include <cassert>
#include <thread>

#include "test_model.hpp"

using namespace testing;
using Use = SharedLock::Use;

namespace {

void excludes_and_shares() {
  SharedLock lock;
  assert(lock.try_acquire(Use::read) && lock.try_acquire(Use::read));
  std::thread([&] {
    assert(lock.try_acquire(Use::read));
    lock.release(Use::read);
    assert(!lock.try_acquire(Use::write));
  }).join();
  bool refused = false;
  try {
    lock.try_acquire(Use::write);
  } catch (const Reentered&) {
    refused = true;
  }
  assert(refused);
  lock.release(Use::read);
  lock.release(Use::read);
  assert(lock.try_acquire(Use::write));
  std::thread([&] { assert(!lock.try_acquire(Use::read) && !lock.try_acquire(Use::write)); }).join();
  refused = false;
  try {
    lock.try_acquire(Use::read);
  } catch (const Reentered&) {
    refused = true;
  }
  assert(refused);
  lock.release(Use::write);
}

void leaving_the_queue_blocks_nobody() {
  SharedLock lock;
  lock.acquire(Use::write);
  std::thread([&] {
    SharedLock::Wait reader(lock, Use::read);
    assert(!reader.try_for(std::chrono::milliseconds(1)));
    SharedLock::Wait writer(lock, Use::write);
    assert(!writer.try_for(std::chrono::milliseconds(1)));
  }).join();
  lock.release(Use::write);
  std::thread([&] {
    assert(lock.try_acquire(Use::read));
    lock.release(Use::read);
  }).join();
  assert(lock.try_acquire(Use::write));
  lock.release(Use::write);
}

// Writers count in plain variables; a reader must never see them differ.
void no_torn_reads_and_fair_turns() {
  SharedLock lock;
  long one = 0, two = 0;
  std::atomic<long> reads{0}, torn{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; ++i) {
        const Held held(lock, Use::write);
        ++one;
        ++two;
      }
    });
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      do {  // once at least: the writers may be done before this thread has begun
        const Held held(lock, Use::read);
        const Held again(lock, Use::read);
        torn += one != two;
        ++reads;
      } while (!stop);
    });
  threads[0].join();
  threads[1].join();
  stop = true;
  for (std::size_t t = 2; t < threads.size(); ++t) threads[t].join();
  assert(one == 6000 && two == 6000 && torn == 0 && reads > 0);
}

// The verbs of a model beside one another: learning and growing alone, everything that reads together.
void models_under_the_lock(const std::string& booster, const std::string& learner) {
  Stream s = make_stream(300, 4, 2, learner != "linear");
  auto model = make(booster, learner, {}, s, {4}, 9);
  SharedLock lock;
  std::atomic<bool> stop{false};
  std::atomic<long> answered{0};
  std::thread writer([&] {
    Schema schema = s.schema();
    for (int round = 0; round < 6; ++round) {
      const Held held(lock, Use::write);
      for (auto& values : schema.n_values)
        if (values >= 0) ++values;
      model->reserve(schema);
      run(*model, s, 0, s.n);
    }
    stop = true;
  });
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&, t] {
      std::vector<double> proba(static_cast<std::size_t>(s.n) * 2);
      do {
        const Held held(lock, Use::read);
        if (t == 0) {
          model->save();
          model->report();
          model->memory_bytes();
        }
        model->predict(s.block(0, s.n), {Output::proba, nullptr, proba.data()});
        for (int r = 0; r < s.n; ++r)
          assert(std::abs(proba[static_cast<std::size_t>(2 * r)] + proba[static_cast<std::size_t>(2 * r) + 1] - 1) < 1e-9);
        ++answered;
      } while (!stop);
    });
  writer.join();
  for (auto& reader : readers) reader.join();
  assert(answered > 0);
}

}  // namespace

int main() {
  excludes_and_shares();
  leaving_the_queue_blocks_nobody();
  no_torn_reads_and_fair_turns();
  for (const char* booster : {"osboost", "oza"})
    for (const char* learner : {"linear", "naive_bayes", "hoeffding", "stump"}) models_under_the_lock(booster, learner);
  return 0;
}
