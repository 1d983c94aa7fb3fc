// The 0-1 potential for any number of labels and votes, by Levin's identity and a discrete Fourier transform.
//
// Given m of the n votes for r, the other J = n - m fall uniformly on k - 1 labels, label l having room for c_l = a_l + m - 1:
//   1 - phi_n(a) = sum_m Bin(n, p)(m) B_m,        B_m = P(nobody passes its room) = [z^J] prod_l E_{c_l}(z) / Pois(Lambda)(J),
//   E_c(z) = sum_{j <= c} Pois(lambda)(j) z^j,    lambda = Lambda / (k - 1) = n q        (independent Poissons given their sum)
// The coefficient is read off at M points of the unit circle; by symmetry H = M / 2 + 1 of them will do. With the B of n + 1 votes
//   w_r = (k - 1) sum_m [ Bin(n, p)(m - 1) - Bin(n, p)(m) ] B_m                          (the sum over labels, by parts)
// so a weight costs what a potential costs.
//
//   B_m = 0 if some room is negative, 1 if no room is below J: no transform. Equal gaps are one factor with a power.
//   m with both coefficients below 1e-17 are left out; rooms where the Poisson tail is below 1e-20 are one room.
//   M is the smallest for which what wraps around, bounded by the untruncated Poisson, stays below 1e-14 for every state.
//
// Departure   A shorter form divides a product over all labels by the row's own factor; E_1 has a zero on the circle where lambda = 1, so we
//             never divide: a matrix is its distinct rows and columns, one potential each.
// Cost        tables O(N^2 H) once; then O(values of m x distinct gaps x H) per potential, about 5 microseconds at k = 26, N = 100.
#pragma once
#include "streamboost/data/lanes.hpp"
#include "streamboost/math/potential.hpp"

namespace streamboost {

class ExactPotential final : public Potential {
 public:
  ExactPotential(int n_classes, int n_votes, double edge);
  double phi(int n, const std::int32_t* votes, int r) const override;
  double weight(int n, const std::int32_t* votes, int r) const override;
  std::size_t bytes() const override {
    std::size_t sum = tables_.capacity() * sizeof(Table);
    for (const Table& t : tables_)
      for (const auto* v : {&t.re, &t.im, &t.phase_re, &t.phase_im, &t.chance, &t.slope}) sum += v->capacity() * sizeof(double);
    return sum;
  }

  static constexpr int most_votes = 2000;             // with these, at most 63 distinct gaps
  static constexpr std::size_t most_cells = 1 << 27;  // one gigabyte

 private:
  struct Table {
    int first = 0, last = 0;                   // values of m that matter
    int cap = 0;                               // rooms beyond this one are this one
    std::size_t nodes = 0;                     // H, a multiple of 8
    AlignedVector<double> re, im;              // E[c][h], c in [0, cap]
    AlignedVector<double> phase_re, phase_im;  // [m - first][h]: e^{-i J theta} / Pois(J), and how often node h counts
    AlignedVector<double> chance, slope;       // [m - first]: coefficients of B_m in 1 - phi_n, and in the weight with n - 1 votes after
  };
  struct Groups;
  double sum(int n, const Groups& groups, const AlignedVector<double>& coefficient) const;
  void build(int n);

  std::vector<Table> tables_;  // by n
};

}  // namespace streamboost
