#include <algorithm>
#include <bit>
#include <cmath>

#include "streamboost/math/math.hpp"
#include "streamboost/math/potential_exact.hpp"
#include "streamboost/math/potential_kernels.hpp"
#include "streamboost/math/potential_pairwise.hpp"
#include "streamboost/math/potential_recursion.hpp"
#include "streamboost/math/rng.hpp"

namespace streamboost {

double Potential::excess(int n, const std::int32_t* votes, int r, int l) const {
  if (l == r) return 0;
  std::vector<std::int32_t> next(votes, votes + k_);
  ++next[static_cast<std::size_t>(l)];
  const double cost = phi(n, next.data(), r);
  --next[static_cast<std::size_t>(l)];
  ++next[static_cast<std::size_t>(r)];
  return cost - phi(n, next.data(), r);
}

void Potential::row(int n, const std::int32_t* votes, int r, double* excess) const {
  std::vector<std::int32_t> next(votes, votes + k_);
  const auto cost = [&](int l) {
    ++next[static_cast<std::size_t>(l)];
    const double value = phi(n, next.data(), r);
    --next[static_cast<std::size_t>(l)];
    return value;
  };
  const double own = cost(r);
  for (int l = 0; l < k_; ++l) {
    excess[l] = 0;
    if (l == r) continue;
    int same = 0;
    while (same < l && (same == r || votes[same] != votes[l])) ++same;
    excess[l] = same < l ? excess[same] : cost(l) - own;
  }
}

void Potential::matrix(int n, const std::int32_t* votes, double* excess) const {
  const auto k = static_cast<std::size_t>(k_);
  for (int r = 0; r < k_; ++r) {
    double* mine = excess + static_cast<std::size_t>(r) * k;
    int same = 0;
    while (same < r && votes[same] != votes[r]) ++same;
    if (same == r) {
      row(n, votes, r, mine);
      continue;
    }
    const double* other = excess + static_cast<std::size_t>(same) * k;
    std::copy_n(other, k, mine);
    mine[same] = other[r];  // the two labels change places
    mine[r] = 0;
  }
}

void Potential::along(const std::int32_t* label, int r, bool costs, double* weight) const {
  std::vector<std::int32_t> votes(static_cast<std::size_t>(k_), 0);
  double seen = 0;
  for (int i = 0; i < votes_; ++i) {
    weight[i] = this->weight(votes_ - 1 - i, votes.data(), r);
    ++votes[static_cast<std::size_t>(label[i])];
    if (costs && label[i] != r) seen += phi(votes_ - 1 - i, votes.data(), r);
  }
  if (seen < 0) weight[0] = seen;  // never: potentials are not negative; it keeps the look from being dropped
}

// --- exact

namespace {

double log_binomial(int n, int m, double log_p, double log_not) {
  return log_factorial(n) - log_factorial(m) - log_factorial(n - m) + m * log_p + (n - m) * log_not;
}
double log_poisson(double rate, int j) { return j * log(rate) - rate - log_factorial(j); }

}  // namespace

// The distinct gaps of label r with their numbers.
struct ExactPotential::Groups {
  static constexpr int most = 64;  // d distinct vote counts take at least d (d - 1) / 2 votes
  std::int32_t room[most], power[most];
  int n = 0, least;

  Groups(const std::int32_t* votes, int r, int k, int clip) : least(clip) {
    for (int l = 0; l < k; ++l) {
      if (l == r) continue;
      const std::int32_t gap = std::clamp(votes[r] - votes[l], -clip, clip);
      least = std::min(least, gap);
      int g = 0;
      while (g < n && room[g] != gap - 1) ++g;
      if (g == n) {
        if (n == most) throw std::logic_error("more distinct gaps than votes allow");
        room[n] = gap - 1;
        power[n++] = 0;
      }
      ++power[g];
    }
  }
};

ExactPotential::ExactPotential(int n_classes, int n_votes, double edge) : Potential(n_classes, n_votes, edge) {
  if (n_votes > most_votes) throw std::invalid_argument("too many learners for the exact potential: use potential='pairwise'");
  tables_.resize(static_cast<std::size_t>(n_votes) + 1);
  std::size_t cells = 0;
  for (int n = 1; n <= n_votes; ++n) {
    build(n);
    const Table& t = tables_[static_cast<std::size_t>(n)];
    cells += 2 * t.re.size() + 2 * t.phase_re.size();
    if (cells > most_cells)
      throw std::invalid_argument("the tables of the exact potential would take more than a gigabyte: use potential='pairwise'");
  }
}

void ExactPotential::build(int n) {
  Table& t = tables_[static_cast<std::size_t>(n)];
  const double rest = 1 - p_, total = n * rest, rate = n * q_;
  const double log_p = log(p_), log_not = log(rest);
  constexpr double negligible = 1e-17, wrapped = 1e-14;

  // Coefficients for all m, then the range where they matter.
  std::vector<double> chance(static_cast<std::size_t>(n) + 1), slope(chance), ratio(chance);
  t.first = n;
  t.last = 0;
  for (int m = 0; m <= n; ++m) {
    const auto i = static_cast<std::size_t>(m);
    chance[i] = exp(log_binomial(n, m, log_p, log_not));
    const double up = m > 0 ? exp(log_binomial(n - 1, m - 1, log_p, log_not)) : 0.0;
    const double here = m < n ? exp(log_binomial(n - 1, m, log_p, log_not)) : 0.0;
    slope[i] = (k_ - 1) * (up - here);
    const double size = std::max({chance[i], up, here});
    if (size < negligible) continue;
    t.first = std::min(t.first, m);
    t.last = std::max(t.last, m);
    ratio[i] = size * exp(-log_poisson(total, n - m));
  }
  const auto count = static_cast<std::size_t>(t.last - t.first + 1);
  t.chance.assign(chance.begin() + t.first, chance.begin() + t.last + 1);
  t.slope.assign(slope.begin() + t.first, slope.begin() + t.last + 1);

  // The smallest number of nodes: what wraps around comes from Poisson masses M, 2 M, ... away from J.
  const auto wraps = [&](int points) {
    double worst = 0;
    for (int m = t.first; m <= t.last; ++m) {
      double mass = 0;
      for (int j = (n - m) % points; j < n + 20 * points; j += points) {
        if (j == n - m) continue;
        const double term = log_poisson(total, j);
        mass += term > -700 ? exp(term) : 0.0;
        if (j > total && term < -700) break;
      }
      worst = std::max(worst, mass * ratio[static_cast<std::size_t>(m)]);
    }
    return worst;
  };
  t.nodes = 8;
  while (t.nodes < 1024 && wraps(2 * static_cast<int>(t.nodes) - 2) > wrapped) t.nodes += 8;
  const auto points = static_cast<double>(2 * t.nodes - 2);

  t.cap = n;
  for (int c = 0; c < n; ++c)
    if (c > rate && log_poisson(rate, c) < -46.0) {
      t.cap = c;
      break;
    }
  const double circle = 6.283185307179586;
  // cos and sin of whole multiples of the step, from one table: index (j h) mod M.
  const auto period = 2 * t.nodes - 2;
  std::vector<double> cosine(period), sine(period);
  for (std::size_t i = 0; i < period; ++i) {
    cosine[i] = cos(circle * static_cast<double>(i) / points);
    sine[i] = sin(circle * static_cast<double>(i) / points);
  }
  const auto rows = static_cast<std::size_t>(t.cap) + 1;
  t.re.resize(rows * t.nodes);
  t.im.resize(rows * t.nodes);
  for (std::size_t h = 0; h < t.nodes; ++h) {
    double re = 0, im = 0;
    for (std::size_t c = 0; c < rows; ++c) {
      const double mass = exp(log_poisson(rate, static_cast<int>(c)));
      re += mass * cosine[c * h % period];
      im += mass * sine[c * h % period];
      t.re[c * t.nodes + h] = re;
      t.im[c * t.nodes + h] = im;
    }
  }
  t.phase_re.resize(count * t.nodes);
  t.phase_im.resize(count * t.nodes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto others = static_cast<std::size_t>(n - t.first) - i;
    const double scale = exp(-log_poisson(total, static_cast<int>(others))) / points;
    for (std::size_t h = 0; h < t.nodes; ++h) {
      const double times = (h == 0 || h + 1 == t.nodes ? 1.0 : 2.0) * scale;
      t.phase_re[i * t.nodes + h] = times * cosine[others * h % period];
      t.phase_im[i * t.nodes + h] = -times * sine[others * h % period];
    }
  }
}

// sum over m of coefficient[m] B_m.
double ExactPotential::sum(int n, const Groups& groups, const AlignedVector<double>& coefficient) const {
  const Table& t = tables_[static_cast<std::size_t>(n)];
  // Below `begin` some label has no room left; from `end` on nobody's room is below J = n - m.
  const int begin = std::max(t.first, 1 - groups.least);
  const int end = std::max(begin, (n - groups.least + 2) / 2);
  double sum = 0;
  for (int m = std::max(end, t.first); m <= t.last; ++m) sum += coefficient[static_cast<std::size_t>(m - t.first)];
  const int last = std::min(end - 1, t.last);
  if (begin > last) return sum;
  std::int32_t room[Groups::most];
  for (int g = 0; g < groups.n; ++g) room[g] = groups.room[g] + t.first;
  return sum + circle_sum({t.re.data(), t.im.data(), t.phase_re.data(), t.phase_im.data(), t.nodes}, {room, groups.power, groups.n, t.cap},
                          coefficient.data(), begin - t.first, last - t.first);
}

double ExactPotential::phi(int n, const std::int32_t* votes, int r) const {
  const Groups groups(votes, r, k_, votes_ + 2);
  if (groups.least <= -n) return 1;
  if (groups.least > n) return 0;
  return std::clamp(1 - sum(n, groups, tables_[static_cast<std::size_t>(n)].chance), 0.0, 1.0);
}

double ExactPotential::weight(int n, const std::int32_t* votes, int r) const {
  const Groups groups(votes, r, k_, votes_ + 2);
  // Decided either way, whatever the next vote is: all columns cost the same.
  if (groups.least <= -n - 1 || groups.least > n + 1) return 0;
  const double w = sum(n + 1, groups, tables_[static_cast<std::size_t>(n) + 1].slope);
  return w < 1e-12 ? 0.0 : std::min(w, k_ - 1.0);
}

// --- recursion

std::size_t RecursionPotential::Hash::operator()(const State& state) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (auto x : state) hash = (hash ^ static_cast<std::uint32_t>(x)) * 0x100000001b3u;
  return static_cast<std::size_t>(hash);
}

namespace {

std::vector<std::int32_t> sorted_gaps(const std::int32_t* votes, int r, int k, int n) {
  std::vector<std::int32_t> state;
  for (int l = 0; l < k; ++l)
    if (l != r) state.push_back(votes[r] - votes[l]);
  std::sort(state.begin(), state.end());
  state.push_back(n);
  return state;
}

double weight_by_definition(const Potential& potential, int n, const std::int32_t* votes, int r) {
  std::vector<double> excess(static_cast<std::size_t>(potential.n_classes()));
  potential.row(n, votes, r, excess.data());
  double sum = 0;
  for (double e : excess) sum += e;
  return sum;
}

}  // namespace

RecursionPotential::RecursionPotential(int n_classes, int n_votes, double edge) : Potential(n_classes, n_votes, edge) {
  if (n_votes > most_votes)
    throw std::invalid_argument("potential='recursion' takes at most " + std::to_string(most_votes) + " learners, got " +
                                std::to_string(n_votes) + ": use 'exact' or 'pairwise'");
  const std::vector<std::int32_t> none(static_cast<std::size_t>(n_classes), 0);
  State root = sorted_gaps(none.data(), 0, k_, n_votes);
  value(root);
}

bool RecursionPotential::settled(const State& state, double& value) const {
  const int n = state.back(), least = state.front();  // of the sorted gaps
  if (least <= -n) {
    value = 1;
    return true;
  }
  value = 0;
  return least > n;
}

double RecursionPotential::value(State& state) {
  double known;
  if (settled(state, known)) return known;
  if (const auto it = memo_.find(state); it != memo_.end()) return it->second;
  if (memo_.size() >= most_states) throw std::invalid_argument("too many states for potential='recursion': use 'exact' or 'pairwise'");
  State next = state;
  --next.back();
  for (std::size_t j = 0; j + 1 < next.size(); ++j) ++next[j];
  double sum = p_ * value(next);
  for (std::size_t j = 0; j + 1 < state.size(); ++j) {
    next = state;
    --next.back();
    --next[j];
    std::sort(next.begin(), next.end() - 1);
    sum += q_ * value(next);
  }
  memo_[state] = sum;
  return sum;
}

// The same without writing: votes that the booster cannot reach (a caller's own) are worked out from what is there.
double RecursionPotential::look(State& state) const {
  double known;
  if (settled(state, known)) return known;
  if (const auto it = memo_.find(state); it != memo_.end()) return it->second;
  State next = state;
  --next.back();
  for (std::size_t j = 0; j + 1 < next.size(); ++j) ++next[j];
  double sum = p_ * look(next);
  for (std::size_t j = 0; j + 1 < state.size(); ++j) {
    next = state;
    --next.back();
    --next[j];
    std::sort(next.begin(), next.end() - 1);
    sum += q_ * look(next);
  }
  return sum;
}

double RecursionPotential::phi(int n, const std::int32_t* votes, int r) const {
  State state = sorted_gaps(votes, r, k_, n);
  return look(state);
}
double RecursionPotential::weight(int n, const std::int32_t* votes, int r) const {
  const double w = weight_by_definition(*this, n, votes, r);
  return w < 1e-12 ? 0.0 : w;
}

// --- mc

double DrawnPotential::phi(int n, const std::int32_t* votes, int r) const {
  const auto state = sorted_gaps(votes, r, k_, n);
  std::uint64_t example = 0x9E3779B97F4A7C15u;
  for (auto x : state) example = (std::rotl(example, 25) ^ static_cast<std::uint32_t>(x)) * 0xff51afd7ed558ccdu;
  // One uniform per label and draw: counts by inversion of binomials, label after label.
  const auto binomial = [&](int trials, double chance, std::uint32_t lane, std::uint32_t attempt) {
    if (trials <= 0 || chance >= 1) return std::max(trials, 0);
    const double u = uniform({seed_, example, lane, Purpose::tie, attempt});
    double term = exp(trials * log1p(-chance)), sum = term;
    int count = 0;
    while (u >= sum && count < trials) {
      term *= (trials - count) * chance / ((count + 1) * (1 - chance));
      sum += term;
      ++count;
    }
    return count;
  };
  int lost = 0;
  for (int draw = 0; draw < draws_; ++draw) {
    const auto lane = static_cast<std::uint32_t>(draw);
    const int own = binomial(n, p_, lane, 1);
    int left = n - own;
    bool beaten = false;
    for (int l = 0; l + 1 < k_; ++l) {
      const int others = k_ - 1 - l;
      const int count = binomial(left, 1.0 / others, lane, static_cast<std::uint32_t>(l) + 2);
      left -= count;
      beaten |= count - state[static_cast<std::size_t>(l)] >= own;
    }
    lost += beaten ? 1 : 0;
  }
  return static_cast<double>(lost) / draws_;
}
double DrawnPotential::weight(int n, const std::int32_t* votes, int r) const {
  return std::max(weight_by_definition(*this, n, votes, r), 0.0);
}

std::unique_ptr<Potential> make_potential(Potential::Kind kind, int n_classes, int n_votes, double edge, std::uint64_t seed, int draws) {
  switch (kind) {
    case Potential::Kind::exact:
      if (n_classes == 2) return std::make_unique<PairwisePotential>(n_classes, n_votes, edge);  // the same, in closed form
      return std::make_unique<ExactPotential>(n_classes, n_votes, edge);
    case Potential::Kind::pairwise:
      return std::make_unique<PairwisePotential>(n_classes, n_votes, edge);
    case Potential::Kind::recursion:
      return std::make_unique<RecursionPotential>(n_classes, n_votes, edge);
    case Potential::Kind::mc:
      return std::make_unique<DrawnPotential>(n_classes, n_votes, edge, seed, draws);
  }
  throw std::invalid_argument("unknown potential");
}

}  // namespace streamboost
