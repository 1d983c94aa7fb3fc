// Loops of the boosters over lanes; any n, no alignment needed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "streamboost/math/levels.hpp"

namespace streamboost {

// what lane_stats.hpp keeps; true if a margin is 0
STREAMBOOST_KERNEL(bool, watch_margins,
                   (const double* margin, const double* weight, double y, double* sum_weight, double* sum_edge, double* mistakes,
                    double* sum_margin, std::size_t n));
STREAMBOOST_KERNEL(void, watch_votes,
                   (const std::int32_t* vote, const double* weight, int label, double* sum_weight, double* sum_edge, double* mistakes,
                    double* sum_margin, std::size_t n));
STREAMBOOST_KERNEL(void, watch_prefixes,
                   (const double* prefix, const double* weight, double sample_weight, double y, double theta, int first, double* low,
                    double* wrong, double* reduced, std::size_t n));
// hinge losses of the single hypotheses and of the means of the first 1, 2, ... of them (prefix times share), added up
STREAMBOOST_KERNEL(void, watch_hinges,
                   (const double* margin, const double* prefix, const double* share, double sample_weight, double y, double theta,
                    double* single, double* mean, std::size_t n));
// prefix[i] = x[0] + ... + x[i], each eight first by itself: no addition waits for more than a few
STREAMBOOST_KERNEL(void, prefixes_by_eights, (const double* x, double* prefix, std::size_t n));
// loss[i] += s where the sign of the prefix is not y (sign(0) = -1); out = -eta (loss - least loss)
STREAMBOOST_KERNEL(void, hedge_losses, (const double* prefix, double y, double sample_weight, double* loss, std::size_t n));
STREAMBOOST_KERNEL(void, hedge_exponents, (const double* loss, double eta, double* out, std::size_t n));
// the part of the sum of p that belongs to positive prefixes, over the whole sum
STREAMBOOST_KERNEL(double, hedge_share, (const double* prefix, const double* p, std::size_t n));
STREAMBOOST_KERNEL(std::size_t, count_positive, (const double* x, std::size_t n));
// slope[i] = 1 / (1 + e^(y score_i)), of the logistic loss
STREAMBOOST_KERNEL(void, loss_slopes, (const double* score, double y, double* slope, std::size_t n));
// alpha += rate z next, kept within [-2, 2]; z = y h
STREAMBOOST_KERNEL(void, logistic_alphas, (const double* margin, const double* next, double y, double rate, double* alpha, std::size_t n));
// margin = +-1 of the votes; out = ln of the weights of boost-by-majority (ensembles/bbm.hpp), -1000 for 0. ahead: votes for minus
// against the label y before the first of these lanes; rest: lanes after it. base: minus the largest term, by lane
struct MajorityTable {
  const double *base, *log_factorial;
  double log_odds;
};
STREAMBOOST_KERNEL(void, majority_exponents,
                   (const std::int32_t* vote, int y, int ahead, int rest, const MajorityTable& table, double* margin, double* out,
                    std::size_t n));
// the weights themselves from a table: those of k = 0 .. rest, then 0; the next lane's follow
STREAMBOOST_KERNEL(void, majority_weights,
                   (const std::int32_t* vote, int y, int ahead, int rest, const double* table, double* margin, double* weight,
                    std::size_t n));
// Sums that run through the lanes one after another. Here, and not in the boosters, because in a large function gcc keeps them in
// memory, which costs three times as much.
// prefix[i] = start + alpha_0 margin_0 + ... + alpha_i margin_i; the last of them
STREAMBOOST_KERNEL(double, weighted_prefixes, (const double* alpha, const double* margin, double start, double* prefix, std::size_t n));
// prefix[i] = vote += margin_i; exponent[i] = fall max(z, 0), which is minus the log of OSBoost's weight, then z += y margin_i - theta
struct SmoothRule {
  double y, theta, fall;
};
STREAMBOOST_KERNEL(void, smooth_sums,
                   (const double* margin, SmoothRule rule, double& vote, double& z, double* prefix, double* exponent, std::size_t n));
// v += step h
STREAMBOOST_KERNEL(void, add_scaled, (const double* h, double step, double* v, std::size_t n));
// sum of a b, in the order of the kernel
STREAMBOOST_KERNEL(double, dot_product, (const double* a, const double* b, std::size_t n));
// votes[0], votes[1] += the weights of the lanes that vote so
STREAMBOOST_KERNEL(void, add_two_votes, (const std::int32_t* vote, const double* weight, std::size_t n, double* votes));
// amount = min(drawn, most) where it is negative: left open
STREAMBOOST_KERNEL(void, fill_open, (const double* drawn, double most, double* amount, std::size_t n));
// out = (1 - e) / e, e = wrong / (correct + wrong) kept within [least, 1 - least]; 1/2 where both are 0
STREAMBOOST_KERNEL(void, error_odds, (const double* correct, const double* wrong, double least, double* out, std::size_t n));

}  // namespace streamboost
