// Hot loops over lanes: free functions, so that gcc can clone them for AVX2 and AVX-512. Plain arithmetic in a fixed order,
// no contraction, sums along features left to right: every clone gives the same bits.
//
// `cells` counts doubles of one table row (columns x padded lanes) and is a multiple of 16; pointers are 64-byte aligned.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace streamboost {

// A row as kernels take it: x[i] belongs to table row index[i], or i if index is null.
struct Entries {
  const double* x;
  const std::int32_t* index;
  int n;
};

// --- the row stage (kernels_intake.cpp); any n, no alignment needed
// Statistics of columns as Scale::automatic keeps them; `keep` is where they go with the row counted in (null: nowhere), which may
// be where they came from.
struct ColumnMoments {
  const double *count, *mean, *spread, *first, *many;
  struct Kept {
    double *count = nullptr, *mean, *spread, *first, *many;
  } keep;
};
// out = the columns' values by the statistics that include them, NaN (missing) as 0
void standardise(const ColumnMoments& columns, const double* x, double clip, double* out, std::size_t n);
// size += t^2, q = slope size; u = t max(1 / (1 + q), pace / sqrt(q)), 0 where the size is 0
void rate_columns(const double* t, double slope, double pace, double* size, double* u, std::size_t n);

// --- linear banks (kernels_linear.cpp); tables of doubles, or of floats, which are multiplied and added as floats
// out[cell] = sum_i x_i table[row_i][cell]
void linear_ask(const double* table, std::size_t cells, Entries row, double* out);
void linear_ask(const float* table, std::size_t cells, Entries row, double* out);
// table[row_i][cell] += x_i step[cell]; runs of 16 cells whose steps are all 0 are not touched
void linear_teach(double* table, std::size_t cells, Entries row, const double* step);
void linear_teach(float* table, std::size_t cells, Entries row, const double* step);
// the same with a 0/1 mask of the same layout
void linear_teach_masked(double* table, const double* mask, std::size_t cells, Entries row, const double* step);
void linear_teach_masked(float* table, const double* mask, std::size_t cells, Entries row, const double* step);
// out[cell] = sum_i x_i other_i mask[row_i][cell]
void linear_masked_norm(const double* mask, std::size_t cells, Entries row, const double* other, double* out);
// out[cell] = sum_r table[r][cell]^2
void linear_squared_norms(const double* table, std::size_t rows, std::size_t cells, double* out);
void linear_squared_norms(const float* table, std::size_t rows, std::size_t cells, double* out);
// trained = 1 where amount > 0; y and xx filled with one value each
void begin_lesson(const double* amount, double label, double squared_norm, double* trained, double* y, double* xx, std::size_t n);
// h = clip(raw / max(1, |v|), -1, 1)
void perceptron_hypothesis(const double* raw, const double* squared_norm, double* h, std::size_t n);
// vote = 1 where raw > 0, else 0, -1 where untrained; false if some raw is exactly 0
bool sign_votes(const double* raw, const double* trained, std::int32_t* vote, std::size_t n);
void clip_hypothesis(const double* raw, double* h, std::size_t n);
// step = what the weights move by (times x), for lanes with y raw <= 0; squared_norm follows
void perceptron_weight_steps(const double* raw, const double* y, const double* amount, const double* xx, double* squared_norm, double* step,
                             std::size_t n);
// k copies are tried one by one until the margin is positive: the first count that makes it so, or all of them.
[[gnu::always_inline]] inline double perceptron_move(double raw, double y, double copies, double xx) {
  const double behind = -(y * raw);
  const double enough = xx > 0.0 ? std::floor(behind / xx) + 1.0 : copies;
  const double taken = copies < enough ? copies : enough;
  return behind >= 0.0 ? taken * y : 0.0;
}
void perceptron_copy_steps(const double* raw, const double* y, const double* amount, const double* xx, double* squared_norm, double* step,
                           std::size_t n);
// one projected step of the sum-of-squares rule; scale * stored = weights, the step is for the stored ones
void ogd_steps(const double* raw, const double* y, const double* amount, const double* xx, const double* sum_squares, double* squared_norm,
               double* scale, double* step, std::size_t n);
// p = sigmoid(raw) is given; step = rate * amount * ([y = 1] - p)
void logistic_steps(const double* p, const double* y, const double* amount, const double* sum_squares, double* step, std::size_t n);

// --- logistic bank (kernels_logistic.cpp); n a multiple of 16
// power = e^-|z| and large = 1 / (1 + power), which a lesson needs too;  h = 2 p - 1 = tanh(z / 2), to the bit odd in z;
// p0 = 1 / (1 + e^z), p1 = 1 / (1 + e^-z)
void logistic_margins(const double* z, double* power, double* large, double* h, std::size_t n);
void logistic_pair(const double* z, double* power, double* large, double* p0, double* p1, std::size_t n);
// Columns [column][lane], k of them: vote = that of the highest z, the lowest of equals; power = e^(z - highest), sum = their sum
void softmax_votes(const double* z, std::size_t k, std::size_t n, std::int32_t* vote, double* highest);
void softmax_powers(const double* z, std::size_t k, std::size_t n, double* power, double* sum);
// others = sum of the powers of the other columns
void softmax_others(const double* power, std::size_t k, std::size_t n, double* others);
// What a lane needs for an importance-invariant step (learners/logistic.hpp)
struct LogisticLanes {
  const double *y, *product;    // +-1, Q
  bool alike;                   // all lanes have the first y and Q
  const double *amount, *pace;  // w, kappa
  double per_row;               // 1 / (v n)
  double *squares, *trained;    // B; 1 once a lane has learned
};
// step = y D / Q, of the margin y z; B grows. power and large as above, or null where they are not known.
void logistic_margin_steps(const double* z, const double* power, const double* large, const LogisticLanes& lanes, double* step,
                           std::size_t n);
// the same of the margin y ln(power / others)
void logistic_odds_steps(const double* power, const double* others, const LogisticLanes& lanes, double* step, std::size_t n);

// --- linear regression (kernels_linear_regression.cpp): running statistics of every lane's targets, and a step of the squared loss
struct TargetLanes {
  double *count, *mean, *spread, *low, *high;  // spread: sum of squared deviations from the mean; low, high: the range seen
};
struct ConstTargetLanes {
  const double *count, *mean, *spread, *low, *high;
};
struct SquaredLanes {
  const double *target, *amount, *product, *pace;  // y, w, Q, kappa
  double rows, clip;                               // v n
  double* squares;                                 // B
};
// answer = mean + deviation z, within the range; the deviation is kept for the lesson
void target_answers(const double* z, const ConstTargetLanes& targets, double* deviation, double* answer, std::size_t n);
// step = D / Q; statistics and B grow
void squared_steps(const double* z, const double* deviation, const SquaredLanes& lanes, const TargetLanes& targets, double* step,
                   std::size_t n);

// --- naive Bayes (kernels_naive_bayes.cpp); tables [row][lane], `lanes` padded; a product is mantissa * 2^exponent
// quadratic[lane] = sum_i (x_i - mean)^2 precision; product = prod_i precision; with gaps a precision of 0 (no data) counts as 1
void gaussian_ask(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                  double* exponent);
// the same of the first four lanes only
void gaussian_ask_few(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                      double* exponent);
void gaussian_ask_gaps(const double* mean, const double* precision, std::size_t lanes, Entries row, double* quadratic, double* mantissa,
                       double* exponent);
// weighted Welford and the new precision of every listed table row; sum = weight of the class including the amount
struct TeachingShares {  // room for what all attributes share, [lane]
  double *ratio, *kept, *inverse, *live;
};
void gaussian_teach(double* mean, double* spread, double* precision, std::size_t lanes, Entries row, const double* amount,
                    const double* sum, double floor, TeachingShares shares);
// log joint of a class = log(square) / 2 + power, to be finished by log_lanes and halve_and_add; ratio null: no nominal attributes
void square_joints(const double* class_weight, double prior_alpha, const double* ratio, const double* ratio_exponent,
                   const double* mantissa, const double* exponent, const double* quadratic, std::size_t lanes, double* square,
                   double* power);
void halve_and_add(double* square, const double* power, std::size_t n);
// two classes: tanh of half the difference of the joints, before they are finished
void odds_margins(const double* square, const double* power, std::size_t lanes, double* margin);
bool all_positive(const double* value, std::size_t n);
// the class with data whose joint is highest, -1 if none has data; ties to the lowest
void best_class(const double* joint, const double* class_weight, std::size_t n_classes, std::size_t lanes, std::int32_t* vote,
                double* highest);
// of the first n lanes, of classes with weight: joint - highest, of others 0
void joint_gaps(const double* joint, const double* class_weight, const double* highest, std::size_t n_classes, std::size_t n,
                std::size_t lanes, double* gap);
// A class with weight gets its part of share, [class][lane], less what those without hold: alpha / (n + K alpha) each. No weight: all 0.
void joint_shares(const double* class_weight, double alpha, std::size_t n_classes, std::size_t n, std::size_t lanes, double* share);
// product over attributes of P(value | class); inverse: room for one over the weight of the attribute at hand.
// count_row[i]: table row of the value; weight[i]: lanes of the attribute's class weight; spread_alpha[i] = alpha * number of values
struct NominalTerms {
  const std::int32_t* count_row;
  const double* const* weight;
  const double* spread_alpha;
  int n;
};
void nominal_ask(const double* count, std::size_t lanes, NominalTerms terms, double alpha, double* mantissa, double* exponent,
                 double* inverse);
// the same where all attributes share one weight and nothing is added to the counts; false if some product is 0: ask again, the long way
bool nominal_ask_plain(const double* count, std::size_t lanes, const std::int32_t* count_row, int n, const double* weight, double* mantissa,
                       double* exponent);
void add_lanes(double* to, const double* amount, std::size_t lanes);

// --- naive Bayes on sparse rows (kernels_zero_score.cpp; learners/zero_score.hpp says what is computed); lanes a multiple of 8
inline constexpr int zero_nodes = 12;
inline constexpr std::size_t zero_together = 16;  // columns that share a division
struct SparseCells {                              // of one column and class, [lane]: weight, mean and sum of squares of what is not zero
  double *weight, *mean, *spread;
};
struct SparseView {
  const double *weight, *mean, *spread;
};
// What a lesson did to a cell: a and b over the floor before and after (0 where it does not count; b null where it always is), whether
// it turned heavy.
struct CellChange {
  static constexpr std::size_t rows = 5;
  double *a0, *b0, *a1, *b1, *heavier;
};
struct NodeSums {  // [node][lane], or [lane] where there is one of each
  double *mantissa, *exponent, *quadratic;
};
struct Marked {  // columns, one bit each
  const std::uint64_t* words;
  std::size_t n_words;
};
void sparse_moments_teach(const SparseCells& cells, double x, const double* amount, const double* from, double per_floor,
                          const CellChange& change, std::size_t lanes);
void presence_teach(double* weight, const double* amount, const double* from, const CellChange& change, std::size_t lanes);
// first: of n columns, CellChange::rows rows apart; per = 1 / from
void zero_nodes_move(const CellChange& first, std::size_t n, const double* per, const NodeSums& sums, std::size_t lanes);
// score: [coefficient][high, low], rows `pitch` apart
void zero_score_add(const NodeSums& sums, double log_factor, double* score, std::size_t pitch, std::size_t lanes);
void zero_score_ask(const double* score, std::size_t pitch, const double* from, const double* n, double* out, std::size_t lanes);
double zero_score_of(const double* score, std::size_t pitch, double from, double n);
// Eights of lanes from their first cells on; value [coefficient][lane]; room: zero_room numbers for each eight.
inline constexpr std::size_t zero_room = 8 * (3 * zero_nodes + 3);
void zero_score_afresh(const SparseView& table, std::size_t cell_pitch, Marked columns, const double* from, std::size_t eights,
                       double per_floor, double log_factor, double* room, double* value);
// out += log density of x less that of 0, where the cell is light; per = 1 / n
void sparse_moments_ask(const SparseView& cells, double x, const double* per, const double* from, double floor, const double* mask,
                        double* out, std::size_t lanes);
// the whole of it, where the cell is heavy
void heavy_moments_ask(const SparseView& cells, double x, const double* n, const double* from, double floor, const NodeSums& sums,
                       std::size_t lanes);
// Bernoulli: a column that the row holds, or not; in light cells relative to not
void presence_ask(const double* weight, const double* n, const double* from, double alpha, double least, bool present, const double* mask,
                  const NodeSums& sums, std::size_t lanes);
// out += x log of the share (count + alpha) / total, at least `least`; nothing where the total is 0 or the mask is; share: room
void count_ask(const double* count, const double* total, double alpha, double least, double x, const double* mask, double* share,
               double* out, std::size_t lanes);
void heavy_score_add(const NodeSums& sums, double log_factor, double* out, std::size_t lanes);

// --- neural networks (kernels_mlp.cpp); weights [1 + hidden][classes][lane], row 0: biases; the first n_outputs classes take part
// out[c] = bias + sum_h hidden_h w_hc
void mlp_output(const double* hidden, const double* weights, std::size_t n_hidden, std::size_t n_outputs, std::size_t classes,
                std::size_t lanes, double* out);
// step_h = a_h (1 - a_h) sum_c delta_c w_hc with the weights of before; then w_hc += delta_c a_h
void mlp_backward(const double* hidden, const double* delta, double* weights, std::size_t n_hidden, std::size_t n_outputs,
                  std::size_t classes, std::size_t lanes, double* step);

// --- nearest neighbours (kernels_neighbors.cpp); no alignment needed
// Of n <= window_block kept rows, columns `stride` apart: the sum over columns of (cell - x)^2, of 2 where a nominal cell holds another
// value.
inline constexpr std::size_t window_block = 32;
void window_distances(const double* cell, std::size_t stride, const double* query, const unsigned char* nominal, std::size_t columns,
                      double* out, std::size_t n);
// a bit for each of them that is below the limit; n <= 64
std::uint64_t those_below(const double* x, double limit, std::size_t n);

// --- regressors (kernels_regressors.cpp); any n, no alignment needed. vote: -1 for a lane that is untrained
struct ResidualLanes {
  double *miss, *seen, *weight, *absolute, *squared;  // ensembles/residuals.hpp
};
// wrong = 1 where |target - answer| is above miss / seen, or the lane untrained; then the sums grow, the first two fading
void judge_numbers(const std::int32_t* vote, const double* answer, const double* target, double fading, double weight,
                   const ResidualLanes& lanes, double* wrong, std::size_t n);
// The slope of a loss of the answer z of a target y (ensembles/gradient_boosting.hpp), and what lanes make of it.
struct SlopeRule {
  double y, low, high;  // z - y between low and high; with `steps` low below y, high above it and 0 between
  bool steps, hull;
  double most, range, rate, weight;  // L_B, the range of targets, the step of sigma, the example's weight
};
// share = slope / L_B, target and amount of each lane, and its sigma after; before: y^{i-1}
void descend_losses(const double* before, const SlopeRule& rule, double* target, double* amount, double* share, double* shrink,
                    std::size_t n);
// sum += weight share, answer_sum += weight share answer
void watch_slopes(const double* share, const std::int32_t* vote, const double* answer, double weight, double* sum, double* answer_sum,
                  std::size_t n);

// --- drift (kernels_boosters.cpp, drift/adwin.hpp)
// Where a window is divided into an older part and a newer one: inputs and sums of both.
struct WindowBorders {
  static constexpr std::size_t most = 200;
  double n0[most], n1[most], u0[most], u1[most];
  std::size_t n = 0;
  void add(double older, double newer, double older_sum, double newer_sum) {
    n0[n] = older;
    n1[n] = newer;
    u0[n] = older_sum;
    u1[n++] = newer_sum;
  }
};
// whether at some border |u0 / n0 - u1 / n1| > sqrt(2 m q D) + 2/3 D m, m = 1 / (n0 - 4) + 1 / (n1 - 4)
bool any_border_differs(const WindowBorders& borders, double q, double D);

// --- boosters (kernels_boosters.cpp); any n, no alignment needed
// what lane_stats.hpp keeps; true if a margin is 0
bool watch_margins(const double* margin, const double* weight, double y, double* sum_weight, double* sum_edge, double* mistakes,
                   double* sum_margin, std::size_t n);
void watch_votes(const std::int32_t* vote, const double* weight, int label, double* sum_weight, double* sum_edge, double* mistakes,
                 double* sum_margin, std::size_t n);
void watch_prefixes(const double* prefix, const double* weight, double sample_weight, double y, double theta, int first, double* low,
                    double* wrong, double* reduced, std::size_t n);
// hinge losses of the single hypotheses and of the means of the first 1, 2, ... of them (prefix times share), added up
void watch_hinges(const double* margin, const double* prefix, const double* share, double sample_weight, double y, double theta,
                  double* single, double* mean, std::size_t n);
// prefix[i] = x[0] + ... + x[i], each eight first by itself: no addition waits for more than a few
void prefixes_by_eights(const double* x, double* prefix, std::size_t n);
// loss[i] += s where the sign of the prefix is not y (sign(0) = -1); out = -eta (loss - least loss)
void hedge_losses(const double* prefix, double y, double sample_weight, double* loss, std::size_t n);
void hedge_exponents(const double* loss, double eta, double* out, std::size_t n);
// the part of the sum of p that belongs to positive prefixes, over the whole sum
double hedge_share(const double* prefix, const double* p, std::size_t n);
std::size_t count_positive(const double* x, std::size_t n);
// slope[i] = 1 / (1 + e^(y score_i)), of the logistic loss
void loss_slopes(const double* score, double y, double* slope, std::size_t n);
// alpha += rate z next, kept within [-2, 2]; z = y h
void logistic_alphas(const double* margin, const double* next, double y, double rate, double* alpha, std::size_t n);
// margin = +-1 of the votes; out = ln of the weights of boost-by-majority (ensembles/bbm.hpp), -1000 for 0. ahead: votes for minus
// against the label y before the first of these lanes; rest: lanes after it. base: minus the largest term, by lane
struct MajorityTable {
  const double *base, *log_factorial;
  double log_odds;
};
void majority_exponents(const std::int32_t* vote, int y, int ahead, int rest, const MajorityTable& table, double* margin, double* out,
                        std::size_t n);
// the weights themselves from a table: those of k = 0 .. rest, then 0; the next lane's follow
void majority_weights(const std::int32_t* vote, int y, int ahead, int rest, const double* table, double* margin, double* weight,
                      std::size_t n);
// Sums that run through the lanes one after another. Here, and not in the boosters, because in a large function gcc keeps them in
// memory, which costs three times as much.
// prefix[i] = start + alpha_0 margin_0 + ... + alpha_i margin_i; the last of them
double weighted_prefixes(const double* alpha, const double* margin, double start, double* prefix, std::size_t n);
// prefix[i] = vote += margin_i; exponent[i] = fall max(z, 0), which is minus the log of OSBoost's weight, then z += y margin_i - theta
struct SmoothRule {
  double y, theta, fall;
};
void smooth_sums(const double* margin, SmoothRule rule, double& vote, double& z, double* prefix, double* exponent, std::size_t n);
// v += step h
void add_scaled(const double* h, double step, double* v, std::size_t n);
// sum of a b, in the order of the kernel
double dot_product(const double* a, const double* b, std::size_t n);
// votes[0], votes[1] += the weights of the lanes that vote so
void add_two_votes(const std::int32_t* vote, const double* weight, std::size_t n, double* votes);
// amount = min(drawn, most) where it is negative: left open
void fill_open(const double* drawn, double most, double* amount, std::size_t n);
// out = (1 - e) / e, e = wrong / (correct + wrong) kept within [least, 1 - least]; 1/2 where both are 0
void error_odds(const double* correct, const double* wrong, double least, double* out, std::size_t n);
// --- potentials (kernels_potential.cpp); tables of complex numbers [row][node] as two planes, `nodes` a multiple of 8, at most 1024
struct CircleTables {
  const double *re, *im;              // [room][node]
  const double *phase_re, *phase_im;  // [m][node]
  std::size_t nodes;
};
// room[g] + m is the row of factor g for that m, kept at `cap` if beyond; power[g] >= 1
struct CircleFactors {
  const std::int32_t *room, *power;
  int n, cap;
};
// sum over m in [first, last] of coefficient[m] Re(phase[m] prod_g table[room_g + m]^power_g), nodes left to right
double circle_sum(const CircleTables& tables, const CircleFactors& factors, const double* coefficient, int first, int last);

// --- Bayesian ensemble (kernels_bayes.cpp)
enum class Loss { logistic, hinge, zero_one, squared };
// c = +1, -1 or, for an abstaining vote of -1, 0
void vote_signs(const std::int32_t* vote, double* c, std::size_t n);
// what lane_stats.hpp keeps, for answers +1, 0 (wrong) and -1 and one weight for all
void watch_signs(const double* c, double y, double weight, double* sum_weight, double* sum_edge, double* mistakes, double* sum_margin,
                 std::size_t n);
// sum += weight g^2
void add_squares(double* sum, const double* g, double weight, std::size_t n);
// log odds of margins h = 2 p - 1, at most `limit` in size; h and out may be the same array
void margin_log_odds(const double* h, double limit, double* out, std::size_t n);
// g = g(c, y)
void losses(Loss loss, const double* c, double y, double* g, std::size_t n);
// the same for answers that are +1, 0 or -1, from the three losses there are
void losses_of_signs(const double* c, double y, double right, double silent, double wrong, double* g, std::size_t n);
// d = g(c, -1) - g(c, +1), divided so that d(1) = 1
void loss_gaps(Loss loss, const double* c, double* d, std::size_t n);
// sum = keep sum + weight g, count = keep count + weight
void discount_add(double* sum, double* count, const double* g, double keep, double weight, std::size_t n);
// lambda = (alpha + count) / (beta + theta sum)
void exponential_means(const double* sum, const double* count, double alpha, double beta, double theta, double* lambda, std::size_t n);
// lambda = clip(lambda - step (theta g - 1 / lambda), 1e-3, 1e6)
void sgd_weights(const double* g, double step, double theta, double* lambda, std::size_t n);
// what the most likely losses say: (1 - shape) (ln against - ln for) + rate (against - for), losses clipped to [1e-6, 50]
void gamma_gaps(const double* against, const double* in_favour, const double* shape, const double* rate, double* d, std::size_t n);
// g clipped to [1e-6, 50] and its logarithm
void clip_log(double* g, double* log_g, std::size_t n);
// at x = exp(centre + half_width node): density = exp(x slope - b lnGamma(x) + joint lnGamma(joint x + 1) [joint > 0] + ln x - peak)
struct GammaCurve {
  double slope, b, joint, peak;
};
void gamma_density(const GammaCurve& curve, double centre, double half_width, const double* node, double* x, double* density,
                   std::size_t n);

// --- trees (kernels_hoeffding.cpp): the statistics of one class in one leaf, one cell per numeric column.
// `width` is a multiple of 8, addresses need no alignment; cells beyond the columns hold 0, their x is NaN. `used`: a multiple of 4,
// cells beyond it are left out, with the same result.
struct TreeCells {
  double *mean, *precision, *weight, *spread, *low, *high;
};
// What a sum of squared deviations is divided by to give a variance: n - 1, but never less than half of a small weight n.
inline double degrees_of_freedom(double n) { return n - 1 > 0.5 * n ? n - 1 : 0.5 * n; }
struct CellDensity {
  double quadratic, mantissa, exponent;  // product of precisions / 2 pi (squared peaks of the densities) = mantissa * 2^exponent
};
// of each class sum_j (x_j - mean_j)^2 precision_j, no x missing and 0 beyond the columns; a block begins with its means and precisions
void cells_quadratics(const double* x, const double* const* block, std::size_t n, std::size_t width, std::size_t used, double* out);
// Where the nominal values of a row are counted in a block: the weight of their column, their count, and alpha times its values.
struct ValuePlaces {
  const std::int32_t *weight_at, *count_at;
  const double* smoothing;
  std::size_t n;
};
// of each class the sum over values of log((count + alpha) / (weight + smoothing)): one division for four values, one logarithm
void value_logs(const double* const* block, std::size_t n, const ValuePlaces& values, double alpha, double* out);
// the same, with the product of their squared peaks (precision 0: no data, counts as 1; 1e30: one value only, counts as 1)
void cells_density(const double* x, const double* mean, const double* precision, std::size_t width, CellDensity* out);
// weighted Welford, range and precision 1 / (spread / degrees of freedom + floor) of the cells whose x is not NaN, 1e30 while they
// have seen one value only; then the product of all squared peaks
void cells_observe(const TreeCells& cells, const double* x, std::size_t used, double amount, double floor, CellDensity* out);
// distribution function of the standard normal: (1 + erf(z / sqrt 2)) / 2
void normal_cdf_lanes(const double* z, double* out, std::size_t n);
// x log x, 0 for x <= 0
void x_log_x_lanes(const double* in, double* out, std::size_t n);
// One class on one column, as a leaf has seen it.
struct ClassSummary {
  double weight, mean, scale, low, high;  // scale = 1 / standard deviation
};
// Ascending thresholds among the values of a class: all of it lies right of the first `begin` and left of those from `end` on.
struct PointRange {
  std::int32_t begin, end;
};
// The range of each class, and where the thresholds inside of it lie in its distribution, in deviations of at most `far`: written one
// class after the other. Returns their number.
std::size_t split_positions(const ClassSummary* seen, std::size_t classes, const double* threshold, std::size_t points, double far,
                            PointRange* range, double* z);
// Inside of the ranges left *= weight, right = weight - left; both sides of all points are added to their sums.
void split_shares(const double* weight, const PointRange* range, std::size_t classes, std::size_t points, double* left, double* right,
                  double* left_sum, double* right_sum);
// inside[point] = sum over classes of left + right, which outside of a class's range is its `whole`
void split_insides(const double* whole, const PointRange* range, std::size_t classes, std::size_t points, const double* left,
                   const double* right, double* inside);
// the uniforms of keys (seed, node + 2^32 column, lane, node subset, birth), one for each column
void node_uniforms(std::uint64_t seed, std::uint32_t node, std::uint32_t lane, std::uint32_t birth, const std::int32_t* column, double* out,
                   std::size_t n);

// --- attempts to split with fewer digits (kernels_outlook.cpp, learners/hoeffding_outlook.hpp); any n, no alignment needed
// One class on several columns; `scale` holds the sums of squared deviations until outlook_scales makes 1 / standard deviation of them.
struct OutlookClass {
  double *weight, *mean, *scale, *low, *high;
  OutlookClass from(std::size_t q) const { return {weight + q, mean + q, scale + q, low + q, high + q}; }
};
// [point][column]: shares of the mass on either side, and the sum over classes of their x log2 x
struct OutlookMasses {
  const float *left, *right, *inside;
};
// share log2 share, 0 for 0
void outlook_logs(const float* share, float* out, std::size_t n);
void outlook_scales(const OutlookClass& c, std::size_t n);
// shares of the class; entropy -= share log2 share
void outlook_shares(const OutlookClass& c, const double* whole, float* share, float* entropy, std::size_t n);
// z[point][column]: where the thresholds low + span (point + 1) / (points + 1) lie in the distribution of a class
void outlook_positions(const OutlookClass& c, const double* low, const double* span, std::size_t points, std::size_t n, float* z);
// adds a class of these shares to the masses
void outlook_masses(const float* z, const float* share, float* left, float* right, float* inside, std::size_t n);
// The highest gain of the points with surely, or perhaps, more than `least` on both sides, give or take the doubt; they begin at -1.
void outlook_merits(const OutlookMasses& mass, const float* entropy, float least, float doubt, std::size_t points, std::size_t n,
                    float* lower, float* upper);

}  // namespace streamboost
