// ADWIN: known alarms, both forms alike on zeros and ones, false alarms and delays, packed state.
#include "streamboost/drift/adwin.hpp"

#include "check.hpp"
#include "streamboost/math/rng.hpp"

using namespace checking;
using namespace streamboost;

namespace {

constexpr double levels[] = {0.01, 0.001, 1e-4, 1e-5};

// n zeros, then ones: after how many ones the alarm comes, and what is left in the window.
struct Alarm {
  int zeros;
  struct {
    int ones, width, sum;
  } at[4];
};
constexpr Alarm alarms[] = {
    {32, {{32, 48, 32}, {32, 56, 32}, {64, 80, 64}, {96, 112, 96}}},
    {100, {{28, 48, 28}, {28, 64, 28}, {28, 80, 28}, {28, 112, 28}}},
    {320, {{32, 48, 32}, {32, 56, 32}, {32, 80, 32}, {32, 96, 32}}},
    {1000, {{24, 48, 24}, {24, 64, 24}, {24, 96, 24}, {24, 128, 24}}},
};

void known_alarms() {
  for (const Alarm& alarm : alarms)
    for (int level = 0; level < 4; ++level) {
      Adwin<Ones> detector;
      for (int t = 0; t < alarm.zeros; ++t) check(!detector.update(false, levels[level]), "no alarm among equal inputs");
      int ones = 0;
      bool rose = false;
      while (!rose && ones < 1000) {
        rose = detector.update(true, levels[level]);
        ++ones;
      }
      check_equal(ones, alarm.at[level].ones, "when the alarm comes");
      check_equal(detector.width(), std::int64_t{alarm.at[level].width}, "what stays in the window");
      check_equal(detector.total().sum, std::int64_t{alarm.at[level].sum}, "the ones that stay");
    }
  Adwin<Ones> falls;
  bool alarmed = false;
  for (int t = 0; t < 2000; ++t) alarmed |= falls.update(t < 1000, 0.01);
  check(!alarmed, "zeros after ones are no alarm");
  check(falls.width() < 1100, "but the window forgets the ones");
}

double coin(std::uint64_t seed, std::uint64_t t) { return uniform({seed, t, 0, Purpose::tie}); }

void both_forms_alike() {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Adwin<Ones> whole;
    Adwin<Moments> real;
    for (std::uint64_t t = 0; t < 5000; ++t) {
      const double p = t / 1000 % 2 == 0 ? 0.1 : 0.4;
      const bool one = coin(seed, t) < p;
      check_equal(whole.update(one, 0.002), real.update(one ? 1.0 : 0.0, 0.002), "the same alarms");
      check_equal(whole.width(), real.width(), "the same window");
      check_bits(whole.mean(), real.mean(), "the same mean");
    }
  }
}

void packed_state_goes_on() {
  Adwin<Moments> whole;
  for (std::uint64_t t = 0; t < 3000; ++t) {
    Adwin<Moments> again;
    if (t % 100 == 99) {
      again.unpack(whole.pack());
      check(again.pack() == whole.pack(), "unpacked = packed");
      whole = again;
    }
    whole.update(coin(3, t), 0.01);
  }
  Adwin<Ones> ones;
  for (int t = 0; t < 777; ++t) ones.update(t % 3 == 0, 0.01);
  const std::vector<double> good = ones.pack();
  Adwin<Ones> other;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const double wrong : {-1.0, 6.0, 1e300, good[at] + 1}) {
      std::vector<double> bad = good;
      bad[at] = wrong;
      if (bad == good || at == 0) continue;  // the time may be any number from the width on
      check_throws<std::invalid_argument>([&] { other.unpack(bad); }, "a detector that no inputs could have left");
    }
}

// Rises reported per million inputs of one level; the detector starts again after each.
double false_alarms(double p, double delta) {
  Adwin<Ones> detector;
  long alarms = 0;
  constexpr long n = 2'000'000;
  for (long t = 0; t < n; ++t)
    if (detector.update(coin(11, static_cast<std::uint64_t>(t)) < p, delta)) {
      ++alarms;
      detector.reset();
    }
  return 1e6 * static_cast<double>(alarms) / static_cast<double>(n);
}

double delay(double from, double to, double delta) {
  double sum = 0;
  int found = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    Adwin<Ones> detector;
    for (std::uint64_t t = 0; t < 2000; ++t) detector.update(coin(run, t) < from, delta);
    for (std::uint64_t t = 0; t < 4000; ++t)
      if (detector.update(coin(run, 2000 + t) < to, delta)) {
        sum += static_cast<double>(t + 1);
        ++found;
        break;
      }
  }
  return found >= 190 ? sum / found : 1e9;
}

void statistics() {
  check(false_alarms(0.05, 0.01) <= 1 && false_alarms(0.2, 0.01) <= 4 && false_alarms(0.5, 0.01) <= 4, "few false alarms at 0.01");
  check(false_alarms(0.2, 0.001) <= 0.5 && false_alarms(0.5, 1e-5) == 0, "none at smaller levels");
  constexpr struct {
    double from, to, mean[4];
  } jumps[] = {{.1, .2, {301, 421, 555, 723}}, {.1, .5, {51, 58, 69, 81}}, {.2, .3, {438, 644, 894, 1199}}, {.3, .6, {83, 106, 131, 155}}};
  for (const auto& jump : jumps)
    for (int level = 0; level < 4; ++level)
      check_near(delay(jump.from, jump.to, levels[level]), jump.mean[level], 0.1 * jump.mean[level], "how late a jump is seen");
}

}  // namespace

int main() {
  known_alarms();
  both_forms_alike();
  packed_state_goes_on();
  statistics();
  return finish();
}
