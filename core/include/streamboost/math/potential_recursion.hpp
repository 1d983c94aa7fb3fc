// Two potentials for checking and comparison: the definition itself, and an average of random futures.
//
// recursion   phi_n(a) = p phi_{n-1}(a + 1) + q sum_l phi_{n-1}(a - e_l) on sorted gaps; 1 if some gap <= -n, 0 if all gaps > n.
//             Every state that votes can reach is computed once; the number of states grows like the partitions of N.
// mc          the mean loss over `draws` futures. As in the published runs a state's value is drawn once and for all: the draws are
//             keyed by the state (n and the sorted gaps), so errors stay, rows need not be ordered, weights may be negative.
#pragma once
#include <unordered_map>

#include "streamboost/math/potential.hpp"

namespace streamboost {

class RecursionPotential final : public Potential {
 public:
  RecursionPotential(int n_classes, int n_votes, double edge);
  double phi(int n, const std::int32_t* votes, int r) const override;
  double weight(int n, const std::int32_t* votes, int r) const override;
  // Of each state its gaps and value, the links of the map and its share of the buckets.
  std::size_t bytes() const override {
    const std::size_t state = static_cast<std::size_t>(k_) * sizeof(std::int32_t) + sizeof(std::pair<const State, double>);
    return memo_.size() * (state + 2 * sizeof(void*)) + memo_.bucket_count() * sizeof(void*);
  }
  static constexpr std::size_t most_states = 250000;
  static constexpr int most_votes = 1000;  // how deep the definition is followed; two labels have half a million states there

 private:
  using State = std::vector<std::int32_t>;  // sorted gaps, then n
  struct Hash {
    std::size_t operator()(const State& state) const;
  };
  double value(State& state);
  double look(State& state) const;
  bool settled(const State& state, double& value) const;
  std::unordered_map<State, double, Hash> memo_;
};

class DrawnPotential final : public Potential {
 public:
  DrawnPotential(int n_classes, int n_votes, double edge, std::uint64_t seed, int draws)
      : Potential(n_classes, n_votes, edge), seed_(seed), draws_(draws) {}
  double phi(int n, const std::int32_t* votes, int r) const override;
  double weight(int n, const std::int32_t* votes, int r) const override;
  bool ends_early() const override { return false; }

 private:
  std::uint64_t seed_;
  int draws_;
};

}  // namespace streamboost
