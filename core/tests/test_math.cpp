// Errors of math.hpp against 80-bit long double, edge cases, and lanes = scalar bit for bit.
#include "streamboost/math/math.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"

namespace sb = streamboost;
using checking::check;
using checking::check_bits;

namespace {

const double inf = sb::detail::infinity;
const double nan = sb::detail::not_a_number;

// Error in units of the last place of the exact value (the spacing of doubles there, subnormals included).
double ulps(double got, long double exact) {
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0.0 : 1e30;
  if (std::isinf(got)) return static_cast<double>(exact) == got ? 0.0 : 1e30;
  int exponent = -1022;
  if (exact != 0) std::frexp(exact, &exponent), exponent -= 1;
  if (exponent < -1022) exponent = -1022;
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(1.0L, exponent - 52));
}

struct Sampler {
  std::mt19937_64 generator{12345};
  double flat(double low, double high) { return low + (high - low) * (generator() >> 11) * 0x1p-53; }
  double any_scale(double low_exponent, double high_exponent) {
    return std::ldexp(flat(1, 2), static_cast<int>(flat(low_exponent, high_exponent)));
  }
  double sign() { return generator() & 1 ? 1.0 : -1.0; }
};

template <class F, class G, class S>
void measure(const std::string& name, double bound, F ours, G exact, S sample) {
  Sampler sampler;
  double worst = 0, at = 0;
  for (int i = 0; i < 400000; ++i) {
    const double x = sample(sampler, i);
    const double error = ulps(ours(x), exact(static_cast<long double>(x)));
    if (!(error <= worst)) worst = error, at = x;
  }
  std::printf("%-18s %6.3f ulp at %.17g\n", name.c_str(), worst, at);
  check(worst <= bound, name + " is less accurate than stated");
}

auto flat(double low, double high) {
  return [=](Sampler& s, int) { return s.flat(low, high); };
}
auto scales(double low, double high) {
  return [=](Sampler& s, int) { return s.sign() * s.any_scale(low, high); };
}
auto positive_scales(double low, double high) {
  return [=](Sampler& s, int) { return s.any_scale(low, high); };
}

long double exact_sigmoid(long double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
long double exact_softplus(long double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }

// Newton steps from our answer on the distribution function in long double.
long double exact_quantile(long double p) {
  const long double lower = p < 0.5L ? p : 1 - p;
  long double z = sb::normal_quantile(static_cast<double>(lower));
  for (int i = 0; i < 3; ++i) {
    const long double cdf = 0.5L * std::erfc(-z / std::sqrt(2.0L));
    const long double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.141592653589793238462643L);
    z -= (cdf - lower) / density;
  }
  return p < 0.5L ? z : -z;
}

// digamma and trigamma by their recurrences up to 60, where few terms of the asymptotic series are plenty.
long double exact_digamma(long double x) {
  long double sum = 0;
  for (; x < 60; x += 1) sum -= 1 / x;
  const long double s = 1 / (x * x);
  return sum + std::log(x) - 0.5L / x - s * (1 / 12.0L - s * (1 / 120.0L - s * (1 / 252.0L - s * (1 / 240.0L - s / 132.0L))));
}
long double exact_trigamma(long double x) {
  long double sum = 0;
  for (; x < 60; x += 1) sum += 1 / (x * x);
  const long double s = 1 / (x * x);
  return sum + 1 / x + s / 2 + s / x * (1 / 6.0L - s * (1 / 30.0L - s * (1 / 42.0L - s * (1 / 30.0L - s * 5 / 66.0L))));
}

// The largest |ours - exact| / max(1, |exact|), or / |exact|.
template <class F, class G>
void measure_error(const std::string& name, double bound, bool relative, F ours, G exact, double low, double high) {
  Sampler sampler;
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = i % 2 ? sampler.any_scale(low, high) : sampler.flat(1e-3, 30);
    const long double truth = exact(static_cast<long double>(x));
    const long double size = relative || std::fabs(truth) > 1 ? std::fabs(truth) : 1;
    worst = std::fmax(worst, static_cast<double>(std::fabs(ours(x) - truth) / size));
  }
  std::printf("%-18s %6.3g\n", name.c_str(), worst);
  check(worst <= bound, name + " is less accurate than stated");
}

void gamma_family() {
  using L = long double;
  measure_error(
      "lgamma_positive", 2e-14, false, [](double x) { return sb::lgamma_positive(x); }, [](L x) { return std::lgamma(x); }, -100, 100);
  measure_error("digamma", 4e-15, false, [](double x) { return sb::digamma(x); }, exact_digamma, -100, 100);
  measure_error("trigamma", 2e-15, true, [](double x) { return sb::trigamma(x); }, exact_trigamma, -100, 100);
  checking::check_near(sb::digamma(1), -0.57721566490153286, 1e-15);
  checking::check_near(sb::trigamma(1), 1.6449340668482264, 1e-15);
}

void accuracy() {
  using L = long double;
  auto e = [](double x) { return sb::exp(x); };
  auto exact_exp = [](L x) { return std::exp(x); };
  measure("exp", 1, e, exact_exp, flat(-708, 709.7));
  measure("exp subnormal", 1, e, exact_exp, flat(-746, -708));
  measure("exp_down", 1, [](double x) { return sb::exp_down(x); }, [](L x) { return std::exp(-x); }, flat(0, 708));
  measure("exp near 0", 1, e, exact_exp, scales(-60, 2));
  auto l = [](double x) { return sb::log(x); };
  auto exact_log = [](L x) { return std::log(x); };
  measure("log", 1, l, exact_log, positive_scales(-1022, 1023));
  measure("log near 1", 1, l, exact_log, flat(0.5, 2));
  measure("log at 1", 1, l, exact_log, [](Sampler& s, int) { return 1.0 + s.sign() * s.any_scale(-52, -5); });
  measure("log subnormal", 1, l, exact_log, [](Sampler& s, int) { return s.any_scale(-1073, -1022); });
  measure("expm1", 2.5, [](double x) { return sb::expm1(x); }, [](L x) { return std::expm1(x); }, scales(-60, 10));
  measure("expm1 middle", 2.5, [](double x) { return sb::expm1(x); }, [](L x) { return std::expm1(x); }, flat(-3, 3));
  measure(
      "log1p", 2, [](double x) { return sb::log1p(x); }, [](L x) { return std::log1p(x); },
      [](Sampler& s, int i) { return i % 2 ? s.any_scale(-1000, 1000) : -s.any_scale(-1000, -1); });
  measure("log1p middle", 2, [](double x) { return sb::log1p(x); }, [](L x) { return std::log1p(x); }, flat(-1, 4));
  auto t = [](double x) { return sb::tanh(x); };
  measure("tanh", 3, t, [](L x) { return std::tanh(x); }, scales(-60, 6));
  measure("tanh middle", 3, t, [](L x) { return std::tanh(x); }, flat(-3, 3));
  measure("sigmoid", 2.5, [](double x) { return sb::sigmoid(x); }, exact_sigmoid, flat(-700, 50));
  measure("sigmoid middle", 2.5, [](double x) { return sb::sigmoid(x); }, exact_sigmoid, flat(-5, 5));
  measure("log1p_exp", 2.5, [](double x) { return sb::log1p_exp(x); }, exact_softplus, flat(-700, 700));
  measure("log1p_exp middle", 2.5, [](double x) { return sb::log1p_exp(x); }, exact_softplus, flat(-5, 5));
#ifndef _WIN32  // whose long double functions are less accurate than ours; kernel_bits compares the bits
  measure("sin", 2.5, [](double x) { return sb::sin(x); }, [](L x) { return std::sin(x); }, flat(-1e6, 1e6));
  measure("sin small", 2.5, [](double x) { return sb::sin(x); }, [](L x) { return std::sin(x); }, scales(-100, 5));
  measure("cos", 2.5, [](double x) { return sb::cos(x); }, [](L x) { return std::cos(x); }, flat(-1e6, 1e6));
  measure("cos small", 2.5, [](double x) { return sb::cos(x); }, [](L x) { return std::cos(x); }, scales(-100, 5));
  measure("erf", 2, [](double x) { return sb::erf(x); }, [](L x) { return std::erf(x); }, flat(-7, 7));
  measure("erf small", 2, [](double x) { return sb::erf(x); }, [](L x) { return std::erf(x); }, scales(-300, 1));
  auto g = [](double x) { return sb::lgamma(x); };
  auto exact_gamma = [](L x) { return std::lgamma(x); };
  measure("lgamma 0..8", 4, g, exact_gamma, flat(0, 8));
  measure("lgamma at 1, 2", 4, g, exact_gamma, [](Sampler& s, int i) { return 1.0 + i % 2 + s.sign() * s.any_scale(-52, -3); });
  measure("lgamma large", 4, g, exact_gamma, positive_scales(3, 1000));
  measure("lgamma small", 4, g, exact_gamma, positive_scales(-1000, 0));
#endif
  measure(
      "log_factorial", 4, [](double k) { return sb::log_factorial(k); }, [](L k) { return std::lgamma(k + 1); },
      [](Sampler&, int i) { return static_cast<double>(i / 40); });
  measure("normal_quantile", 8, [](double p) { return sb::normal_quantile(p); }, exact_quantile, flat(0, 0.4999));
  measure("quantile tail", 8, [](double p) { return sb::normal_quantile(p); }, exact_quantile, positive_scales(-1000, -1));
}

void edges() {
  check_bits(sb::exp(0), 1);
  check_bits(sb::exp(710), inf);
  check_bits(sb::exp_down(0), 1);
  check_bits(sb::exp_down(inf), sb::exp_down(708));
  check(sb::exp_down(1e300) > 0);
  check_bits(sb::exp(inf), inf);
  check(sb::exp(0x1.62e42fefa39efp+9) < inf);  // the largest double below log(DBL_MAX)
  check_bits(sb::exp(0x1.62e42fefa39f0p+9), inf);
  check_bits(sb::exp(-745.2), 0);
  check_bits(sb::exp(-745.1), 0x1p-1074);
  check_bits(sb::exp(-1e300), 0);
  check_bits(sb::exp(-inf), 0);
  check(std::isnan(sb::exp(nan)));
  check_bits(sb::log(1), 0);
  check_bits(sb::log(0), -inf);
  check_bits(sb::log(-0.0), -inf);
  check(std::isnan(sb::log(-1)) && std::isnan(sb::log(-inf)) && std::isnan(sb::log(nan)) && std::isnan(sb::log(-0x1p-1074)));
  check_bits(sb::log(inf), inf);
  check_bits(sb::log(0x1p-1074), static_cast<double>(std::log(0x1p-1074L)));
  check_bits(sb::expm1(-0.0), -0.0);
  check_bits(sb::expm1(-inf), -1);
  check_bits(sb::expm1(inf), inf);
  check_bits(sb::expm1(709.5), static_cast<double>(std::expm1(709.5L)));
  check_bits(sb::expm1(0x1p-1074), 0x1p-1074);
  check(std::isnan(sb::expm1(nan)));
  check_bits(sb::log1p(-0.0), -0.0);
  check_bits(sb::log1p(-1), -inf);
  check_bits(sb::log1p(inf), inf);
  check_bits(sb::log1p(1e308), static_cast<double>(std::log1p(static_cast<long double>(1e308))));
  check_bits(sb::log1p(0x1p-1074), 0x1p-1074);
  check(std::isnan(sb::log1p(-1.5)) && std::isnan(sb::log1p(nan)));
  check_bits(sb::tanh(-0.0), -0.0);
  check_bits(sb::tanh(inf), 1);
  check_bits(sb::tanh(-30), -1);
  check_bits(sb::tanh(-1e-310), -1e-310);
  check(std::isnan(sb::tanh(nan)));
  check_bits(sb::sigmoid(0), 0.5);
  check_bits(sb::sigmoid(inf), 1);
  check_bits(sb::sigmoid(-inf), 0);
  check(std::isnan(sb::sigmoid(nan)));
  check_bits(sb::log1p_exp(-inf), 0);
  check_bits(sb::log1p_exp(inf), inf);
  check(std::isnan(sb::log1p_exp(nan)));
  check_bits(sb::sin(-0.0), -0.0);
  check_bits(sb::cos(0), 1);
  check(std::isnan(sb::sin(inf)) && std::isnan(sb::cos(nan)) && std::isnan(sb::sin(1e7)));
  check_bits(sb::erf(-0.0), -0.0);
  check_bits(sb::erf(-inf), -1);
  check_bits(sb::erf(6.5), 1);
  check(std::isnan(sb::erf(nan)));
  check_bits(sb::lgamma(1), 0);
  check_bits(sb::lgamma(2), 0);
  check_bits(sb::lgamma(0), inf);
  check_bits(sb::lgamma(-3), inf);
  check_bits(sb::lgamma(inf), inf);
  check(std::isnan(sb::lgamma(nan)));
  for (double x = -20.3; x < 0; x += 0.37)
    checking::check_near(sb::lgamma(x), static_cast<double>(std::lgamma(static_cast<long double>(x))), 1e-13);
  check_bits(sb::log_factorial(0), 0);
  check_bits(sb::log_factorial(1), 0);
  check_bits(sb::normal_quantile(0.5), 0);
  check_bits(sb::normal_quantile(0), -inf);
  check_bits(sb::normal_quantile(1), inf);
  check(std::isnan(sb::normal_quantile(-0.1)) && std::isnan(sb::normal_quantile(1.1)) && std::isnan(sb::normal_quantile(nan)));
}

// Symmetries and monotonicity that the banks rely on.
void shape() {
  Sampler s;
  for (int i = 0; i < 100000; ++i) {
    const double x = s.sign() * s.any_scale(-30, 9);
    check(checking::same_bits(sb::tanh(-x), -sb::tanh(x)) && std::fabs(sb::tanh(x)) <= 1, "tanh is odd and bounded");
    check(sb::sigmoid(x) >= 0 && sb::sigmoid(x) <= 1, "sigmoid is a probability");
    check(checking::same_bits(sb::erf(-x), -sb::erf(x)), "erf is odd");
  }
}

template <class Lanes, class Scalar>
void lanes_equal_scalar(const char* name, Lanes lanes, Scalar scalar) {
  Sampler s;
  std::vector<double> in = {0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 710, -745, -746, 1e308, -1e308};
  for (int i = 0; i < 3000; ++i) in.push_back(i % 3 ? s.flat(-40, 40) : s.sign() * s.any_scale(-1070, 1020));
  std::vector<double> out(in.size());
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{16}, in.size()}) {
    lanes(in.data(), out.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      check(checking::same_bits(out[i], scalar(in[i])) || (std::isnan(out[i]) && std::isnan(scalar(in[i]))), name);
  }
  out = in;
  lanes(out.data(), out.data(), out.size());
  for (std::size_t i = 0; i < in.size(); ++i) check(checking::same_bits(out[i], scalar(in[i])) || std::isnan(out[i]), name);
}

}  // namespace

int main() {
  accuracy();
  gamma_family();
  edges();
  shape();
  lanes_equal_scalar("exp_lanes", sb::exp_lanes, [](double x) { return sb::exp(x); });
  lanes_equal_scalar("exp_down_lanes", sb::exp_down_lanes, [](double x) { return sb::exp_down(x); });
  lanes_equal_scalar("log_lanes", sb::log_lanes, [](double x) { return sb::log(x); });
  lanes_equal_scalar("tanh_lanes", sb::tanh_lanes, [](double x) { return sb::tanh(x); });
  lanes_equal_scalar("sigmoid_lanes", sb::sigmoid_lanes, [](double x) { return sb::sigmoid(x); });
  return checking::finish();
}
