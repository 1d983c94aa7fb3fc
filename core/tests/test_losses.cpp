// The table of losses: values by the library's functions in long double, slopes by differences, bounds, links, and many numbers at once.
#include "streamboost/math/losses.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"

using namespace streamboost;
using checking::check;
using checking::check_bits;

namespace {

constexpr MarginLoss all[] = {MarginLoss::logistic, MarginLoss::exponential, MarginLoss::hinge, MarginLoss::squared_hinge,
                              MarginLoss::squared,  MarginLoss::zero_one,    MarginLoss::doom,  MarginLoss::savage};

// As the table in losses.hpp has them.
long double value_of(MarginLoss loss, long double m) {
  switch (loss) {
    case MarginLoss::logistic:
      return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
    case MarginLoss::exponential:
      return std::exp(-m);
    case MarginLoss::hinge:
      return std::fmax(0, 1 - m);
    case MarginLoss::squared_hinge:
      return std::fmax(0, 1 - m) * std::fmax(0, 1 - m) / 2;
    case MarginLoss::squared:
      return (1 - m) * (1 - m);
    case MarginLoss::zero_one:
      return m <= 0 ? 1 : 0;
    case MarginLoss::doom:
      return 1 - std::tanh(m);
    case MarginLoss::savage:
      return 1 / ((1 + std::exp(2 * m)) * (1 + std::exp(2 * m)));
  }
  return 0;
}

std::vector<double> margins() {
  std::vector<double> all;
  for (double m = -30; m <= 30; m += 0.0625) all.push_back(m + 0.01);  // never at a corner
  return all;
}

bool near(long double a, long double b, long double error) { return std::fabs(a - b) <= error * std::fmax(1, std::fabs(b)); }

void values_and_slopes() {
  const long double h = 1e-6L;
  for (const MarginLoss loss : all)
    for (const double m : margins()) {
      check(near(loss_value(loss, m), value_of(loss, m), 1e-15L), "values and slopes");
      const long double slope = (value_of(loss, m + h) - value_of(loss, m - h)) / (2 * h);
      check(near(loss_pull(loss, m), -slope, 1e-10L), "values and slopes");
      check(std::fabs(loss_pull(loss, m)) <= slope_bound(loss, std::fabs(m)), "values and slopes");
    }
}

// Bounds are reached, so that steps made from them are not smaller than they need to be.
void bounds_are_tight() {
  for (const MarginLoss loss : all) {
    double most = 0;
    for (double m = -2; m <= 2; m += 1.0 / 1024) most = std::fmax(most, std::fabs(loss_pull(loss, m)));
    if (loss != MarginLoss::logistic) check(near(most, slope_bound(loss, 2), 1e-5L), "bounds are tight");  // 1 only far away
  }
}

// With probability sigmoid(link F) of class +1, F has the least expected loss; hinge, zero-one and doom have no such F.
void links_are_those_of_the_least_loss() {
  for (const MarginLoss loss : {MarginLoss::logistic, MarginLoss::exponential, MarginLoss::savage})
    for (double F = -2; F <= 2; F += 0.125) {
      const double p = sigmoid(loss_link(loss) * F);
      check(near(p * loss_pull(loss, F), (1 - p) * loss_pull(loss, -F), 1e-14L), "links are those of the least loss");
    }
}

void far_away() {
  for (const MarginLoss loss : all)
    for (const double m : {-1e5, 1e5}) check(std::isfinite(loss_value(loss, m)) && std::isfinite(loss_pull(loss, m)), "far away");
}

void many_at_once() {
  const std::vector<double> m = margins();
  for (const MarginLoss loss : all) {
    std::vector<double> value(m.size()), pull = m;
    loss_values(loss, m.data(), -1, value.data(), m.size());
    loss_pulls(loss, pull.data(), m.size());
    for (std::size_t i = 0; i < m.size(); ++i) {
      check_bits(value[i], loss_value(loss, -m[i]), "values at once");
      check_bits(pull[i], loss_pull(loss, m[i]), "pulls at once");
    }
  }
  for (const double x : m) check_bits(loss_value(MarginLoss::logistic, -x), log1p_exp(x), "softplus");
}

void losses_of_numbers() {
  using Kind = NumberLoss::Kind;
  const double d = 0.75, tau = 0.2, h = 1e-6;
  const auto value = [&](Kind kind, double off) -> double {
    const double size = std::fabs(off);
    switch (kind) {
      case Kind::squared:
        return size * size / 2;
      case Kind::huber:
        return size <= d ? size * size / 2 : d * (size - d / 2);
      case Kind::absolute:
        return size;
      case Kind::quantile:
        return off > 0 ? (1 - tau) * off : -tau * off;
    }
    return 0;
  };
  for (const Kind kind : {Kind::squared, Kind::huber, Kind::absolute, Kind::quantile}) {
    const NumberLoss loss = NumberLoss::of(kind, d, tau);
    for (double off = -3.01; off < 3; off += 0.0625) {
      check(near(loss.value(off), value(kind, off), 1e-15L), "losses of numbers");
      check(near(loss.slope(off), (value(kind, off + h) - value(kind, off - h)) / (2 * h), 1e-8L), "losses of numbers");
      check(std::fabs(loss.slope(off)) <= loss.bound(std::fabs(off)), "losses of numbers");
    }
    check(loss.slope(0) == 0 && loss.value(0) == 0, "losses of numbers");
  }
}

void names() {
  const auto known = {MarginLoss::doom, MarginLoss::hinge};
  check(read_margin_loss({{"loss", "hinge"}}, known) == MarginLoss::hinge, "names");
  checking::check_throws<std::invalid_argument>([&] { read_margin_loss({{"loss", "savage"}}, known); }, "a loss that is not taken");
}

}  // namespace

int main() {
  values_and_slopes();
  bounds_are_tight();
  links_are_those_of_the_least_loss();
  far_away();
  many_at_once();
  losses_of_numbers();
  names();
  return checking::finish();
}
