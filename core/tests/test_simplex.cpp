// Both projections onto the simplex: they agree, and they are projections.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "streamboost/math/simplex.hpp"

using namespace streamboost;
using checking::check;

namespace {

std::vector<double> project(std::vector<double> v, Projection how, std::uint64_t seed = 3) {
  std::vector<double> work(v.size());
  project_to_simplex(v.data(), v.size(), work.data(), how, {seed, 5, 0, Purpose::pivot});
  return v;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// The threshold is that of the formula, whatever was thrown out instead of being sorted.
void thresholds(const std::vector<double>& v, const std::string& what) {
  auto all = v;
  const double largest = *std::max_element(v.begin(), v.end());
  for (double& x : all) x -= largest;
  auto few = all;
  std::sort(all.begin(), all.end(), std::greater<>());
  double sum = 0, tau = 0;
  for (std::size_t j = 0; j < all.size() && all[j] * static_cast<double>(j + 1) > (sum + all[j]) - 1; ++j) {
    sum += all[j];
    tau = (sum - 1) / static_cast<double>(j + 1);
  }
  checking::check_near(detail::threshold_by_sort(few.data(), few.size()), tau, 1e-13, what + ": the same threshold as by sorting all");
}

void properties(const std::vector<double>& v, const std::string& what) {
  thresholds(v, what);
  const auto sorted = project(v, Projection::sort), pivoted = project(v, Projection::pivot);
  check(distance(sorted, pivoted) < 1e-12, what + ": sort and pivot agree");
  for (std::uint64_t seed : {1, 2, 4}) check(distance(sorted, project(v, Projection::pivot, seed)) < 1e-12, what + ": any pivots");
  double sum = 0;
  bool positive = true, ordered = true;
  for (std::size_t i = 0; i < v.size(); ++i) {
    sum += sorted[i];
    positive = positive && sorted[i] >= 0;
    for (std::size_t j = 0; j < i; ++j) ordered = ordered && (v[i] <= v[j] ? sorted[i] <= sorted[j] : sorted[i] >= sorted[j]);
  }
  check(positive && std::fabs(sum - 1) < 1e-12, what + ": on the simplex");
  check(ordered, what + ": order kept");
  check(distance(sorted, project(sorted, Projection::sort)) < 1e-12, what + ": idempotent");
}

void ball(const std::vector<double>& v, const std::string& what) {
  auto a = v;
  std::vector<double> work(v.size()), signs(v.size());
  project_to_l1_ball(a.data(), a.size(), work.data(), signs.data(), Projection::sort, {3, 5, 0, Purpose::pivot});
  double before = 0, after = 0;
  bool signs_kept = true;
  for (std::size_t i = 0; i < v.size(); ++i) {
    before += std::fabs(v[i]);
    after += std::fabs(a[i]);
    signs_kept = signs_kept && a[i] * v[i] >= 0;
  }
  check(signs_kept, what + ": signs kept");
  check(before <= 1 ? a == v : std::fabs(after - 1) < 1e-12, what + ": stays inside, or comes to the border");
}

}  // namespace

int main() {
  ball({0.3, -0.2, 0.0}, "inside the ball");
  ball({0.9, -0.8, 0.1, -0.0}, "outside the ball");
  ball({-5.0, -5.0}, "all negative");
  properties({0.3}, "one value");
  properties({5.0, 5.0, 5.0, 5.0}, "all equal");
  properties({0.2, 0.5, 0.5, -0.1, 0.5}, "ties");
  properties({1e300, -1e300, 1e-300, 0.0}, "a wide spread");
  properties({-1e308, -1e308}, "far below");
  std::vector<double> steep;  // each pass throws out one of these: they are sorted in the end
  for (double x = 1e-10; x < 1e290; x *= 1e5) steep.push_back(-x);
  properties(steep, "a steep fall");
  for (std::size_t n : {2, 7, 50, 200})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<double> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = normal({seed, i, 0, Purpose::learner}) * (seed % 3 == 0 ? 1.0 : 0.05);
      if (seed % 4 == 1)
        for (std::size_t i = 0; i + 1 < n; i += 2) v[i] = v[i + 1];
      properties(v, "random");
    }
  return checking::finish();
}
