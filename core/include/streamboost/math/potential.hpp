// Potentials of boosting by majority with k labels: what a vote count is worth to the truth.
//
// Paper     Jung, Goetz, Tewari: Online multiclass boosting (NIPS 2017), sections 3.2 and 3.3.
//
//   paper            here              meaning
//   s                votes[k]          votes so far;  a_l = s[r] - s[l] are the gaps, and all that matters beside n
//   n                n                 votes still to come, each drawn from u_gamma^r:
//   gamma, p, q      edge, p, q        q = (1 - gamma) / k for every label and gamma more for r: p = q + gamma
//   phi_n^r(s)       phi(n, s, r)      phi_0^r = loss,  phi_{n+1}^r(s) = E phi_n^r(s + e_l)
//   C[r, l]          row               phi_n^r(s + e_l); here less C[r, r], so that a row is >= 0 and 0 at r
//   w_r              weight            sum_l C[r, l] - k C[r, r] >= 0, from one look and no matrix
//
// The loss is 1 if some other label ties with r or beats it (pairwise: the number of such labels). Kinds:
//   exact      potential_exact.hpp       the 0-1 potential to 1e-13, any k and N; two labels: the closed form
//   pairwise   potential_pairwise.hpp    the union over rivals: an upper bound with the same theorem, k table look-ups
//   recursion  potential_recursion.hpp   the 0-1 potential by its definition; small N or k only
//   mc         potential_recursion.hpp   the average of keyed draws, for comparison with published runs only
//
// A potential is a pure function of (kind, k, N, edge): tables are made once, never saved. Const verbs keep no scratch.
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace streamboost {

class Potential {
 public:
  enum class Kind { exact, pairwise, recursion, mc };

  Potential(int n_classes, int n_votes, double edge)
      : k_(n_classes), votes_(n_votes), edge_(edge), q_((1 - edge) / n_classes), p_((1 - edge) / n_classes + edge) {
    if (k_ < 2 || votes_ < 1 || !(edge >= 0 && edge < 1))
      throw std::invalid_argument("a potential needs k >= 2, votes >= 1, edge in [0, 1)");
  }
  virtual ~Potential() = default;

  // n in [0, n_votes()]; the votes may be any whole numbers.
  virtual double phi(int n, const std::int32_t* votes, int r) const = 0;
  // n in [0, n_votes() - 1]: there is one vote, the learner's own, before the n.
  virtual double weight(int n, const std::int32_t* votes, int r) const = 0;
  // C[r, l] - C[r, r] for every l.
  virtual void row(int n, const std::int32_t* votes, int r, double* excess) const;
  // C[r, l] - C[r, r] of one l.
  virtual double excess(int n, const std::int32_t* votes, int r, int l) const;
  // Whether all weights are 0 once the leader cannot be caught.
  virtual bool ends_early() const { return true; }
  // Memory of the tables.
  virtual std::size_t bytes() const { return 0; }
  // The largest weight there can be.
  virtual double weight_limit() const { return k_ - 1; }

  // All rows, [r][l]; rows and columns of equal votes are equal.
  void matrix(int n, const std::int32_t* votes, double* excess) const;
  // The weights of N = n_votes() learners that vote label[0 .. N), and with `costs` the look at every wrong vote that a monitor takes.
  void along(const std::int32_t* label, int r, bool costs, double* weight) const;
  double phi0() const {
    const std::vector<std::int32_t> none(static_cast<std::size_t>(k_), 0);
    return phi(votes_, none.data(), 0);
  }

  int n_classes() const { return k_; }
  int n_votes() const { return votes_; }
  double edge() const { return edge_; }

 protected:
  int k_, votes_;
  double edge_, q_, p_;
};

// n_votes: the most votes that can still be to come. seed and draws: for mc.
std::unique_ptr<Potential> make_potential(Potential::Kind kind, int n_classes, int n_votes, double edge, std::uint64_t seed = 0,
                                          int draws = 100);

}  // namespace streamboost
