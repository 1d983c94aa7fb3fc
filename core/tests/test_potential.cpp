// The four potentials against each other, on every state that a few votes can reach and on random states of larger ensembles.
#include <cmath>

#include "check.hpp"
#include "streamboost/math/potential.hpp"
#include "streamboost/math/rng.hpp"

using namespace checking;
using namespace streamboost;
using Kind = Potential::Kind;

namespace {

using Votes = std::vector<std::int32_t>;

void compare(const Potential& a, const Potential& b, int n, const Votes& votes) {
  const int k = a.n_classes();
  std::vector<double> one(static_cast<std::size_t>(k * k)), two(one);
  for (int r = 0; r < k; ++r) {
    check_near(a.phi(n, votes.data(), r), b.phi(n, votes.data(), r), 1e-12, "phi");
    if (n < a.n_votes()) check_near(a.weight(n, votes.data(), r), b.weight(n, votes.data(), r), 1e-11, "weight");
    for (int l = 0; l < k; ++l) check_near(a.excess(n, votes.data(), r, l), b.excess(n, votes.data(), r, l), 1e-12, "excess");
  }
  a.matrix(n, votes.data(), one.data());
  b.matrix(n, votes.data(), two.data());
  for (std::size_t i = 0; i < one.size(); ++i) check_near(one[i], two[i], 1e-12, "matrix");
}

// All ways to cast `left` more votes, then compare with what is still to come.
void every_state(const Potential& a, const Potential& b, Votes& votes, int cast, std::size_t from) {
  compare(a, b, a.n_votes() - 1 - cast, votes);
  if (cast + 1 >= a.n_votes()) return;
  for (std::size_t c = from; c < votes.size(); ++c) {
    ++votes[c];
    every_state(a, b, votes, cast + 1, c);
    --votes[c];
  }
}

Votes random_votes(int k, int cast, std::uint64_t seed) {
  Votes votes(static_cast<std::size_t>(k), 0);
  for (int i = 0; i < cast; ++i) {
    const double u = uniform({seed, static_cast<std::uint64_t>(i), 0, Purpose::learner});
    ++votes[static_cast<std::size_t>(u * u * k)];
  }
  return votes;
}

void small_ensembles() {
  for (double edge : {0.0, 0.1, 0.5, 0.9})
    for (int k : {2, 3, 4, 5}) {
      const int n = k == 5 ? 6 : 8;
      const auto exact = make_potential(Kind::exact, k, n, edge), recursion = make_potential(Kind::recursion, k, n, edge);
      Votes votes(static_cast<std::size_t>(k), 0);
      every_state(*exact, *recursion, votes, 0, 0);
      check_near(exact->phi0(), recursion->phi0(), 1e-13, "phi0");
    }
}

// lambda = 1: a factor of the product vanishes on the circle.
void a_zero_on_the_circle() {
  const auto exact = make_potential(Kind::exact, 10, 10, 0.0), recursion = make_potential(Kind::recursion, 10, 10, 0.0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) compare(*exact, *recursion, 5, random_votes(10, 4, seed));
  check_near(exact->phi0(), recursion->phi0(), 1e-13, "phi0");
}

void large_ensembles() {
  for (int k : {3, 8, 26}) {
    const auto exact = make_potential(Kind::exact, k, 100, 0.1), pairwise = make_potential(Kind::pairwise, k, 100, 0.1);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const int cast = static_cast<int>(seed * 97 / 40), n = 99 - cast;
      Votes votes = random_votes(k, cast, seed);
      const int r = static_cast<int>(seed) % k;
      const double here = exact->phi(n + 1, votes.data(), r), w = exact->weight(n, votes.data(), r);
      check(here >= 0 && here <= 1 && w >= 0 && w <= k - 1, "range");
      check(pairwise->phi(n + 1, votes.data(), r) >= here - 1e-12, "union bound");
      for (const auto* p : {exact.get(), pairwise.get()}) {  // the recursion, and the weight from two potentials
        double mean = 0, own = 0;
        for (int l = 0; l < k; ++l) {
          ++votes[static_cast<std::size_t>(l)];
          const double cost = p->phi(n, votes.data(), r);
          mean += (0.9 / k + (l == r ? 0.1 : 0.0)) * cost;
          if (l == r) own = cost;
          --votes[static_cast<std::size_t>(l)];
        }
        check_near(mean, p->phi(n + 1, votes.data(), r), 1e-11, "recursion");
        check_near(k / 0.9 * (mean - own), p->weight(n, votes.data(), r), 1e-9, "weight");
      }
    }
  }
}

void draws_are_a_function() {
  const auto one = make_potential(Kind::mc, 4, 20, 0.2, 7, 400), two = make_potential(Kind::mc, 4, 20, 0.2, 7, 400);
  const auto exact = make_potential(Kind::exact, 4, 20, 0.2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Votes votes = random_votes(4, 8, seed);
    check_bits(one->phi(11, votes.data(), 1), two->phi(11, votes.data(), 1), "same key, same draw");
    check_near(one->phi(11, votes.data(), 1), exact->phi(11, votes.data(), 1), 5 / std::sqrt(400.0), "near the truth");
  }
}

}  // namespace

int main() {
  small_ensembles();
  a_zero_on_the_circle();
  large_ensembles();
  draws_are_a_function();
  check_throws<std::invalid_argument>([] { make_potential(Kind::exact, 3, 100, 1.0); }, "edge 1");
  check_throws<std::invalid_argument>([] { make_potential(Kind::exact, 1, 100, 0.1); }, "one label");
  return finish();
}
