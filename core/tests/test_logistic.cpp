// The move of the margin against its equation, and logistic lanes against the textbook step of one lane at a time.
#include "streamboost/learners/logistic.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;
using checking::check_near;

namespace {

// The root of D + a (e^D - 1) = S by bisection, in long double.
long double solved(long double a, long double S) {
  long double low = 0, high = S / (1 + a);
  for (int step = 0; step < 200; ++step) {
    const long double D = (low + high) / 2;
    (D + a * expm1l(D) > S ? high : low) = D;
  }
  return (low + high) / 2;
}

void flow_solves_its_equation() {
  double worst_near = 0, worst_far = 0;
  for (int at = -120; at <= 120; ++at) {
    const double a = streamboost::exp(0.25 * at);
    const double power = power_of_score(0.25 * at);
    const Slopes slopes = slopes_of_power(power, 1 / (1 + power), at > 0), pair = slopes_of_odds(1, a, 1);
    check_near(slopes.g, pair.g, 1e-15, "the slope of a margin, by its power and by its odds");
    check_near(slopes.k, pair.k, 1e-15, "the slope of the opposite, by power and by odds");
    double last = 0;
    for (int k = -160; k <= 120; ++k) {
      const double S = streamboost::exp(k * (streamboost::log(10.0) / 20));
      const double D = flow(slopes, S * slopes.g, 1), exact = static_cast<double>(solved(a, S));
      double& worst = S > 1 + a ? worst_far : worst_near;
      worst = std::max(worst, std::fabs(D - exact) / exact);
      check(D > last, "a longer time moves further");
      check(D <= std::min(S / (1 + a), streamboost::log1p(S / a)) * (1 + 4e-6), "no further than the first and the last slope");
      check(std::fabs(D + a * static_cast<double>(expm1l(D)) - S) <= 4.4e-6 * S, "the move solves its equation");
      last = D;
    }
    check(flow(slopes, 0.0, 1) == 0 && flow(slopes, 0.0, logistic_drag(0, 1e-12)) == 0, "no time, no move");
    check(flow_near(slopes, 1, 1) > 0 && std::isfinite(flow(slopes, 1e30, 1)) && std::isfinite(flow(slopes, 1, 1e-150)),
          "every time has a move");
  }
  check(worst_near <= 3.1e-6, "stated error of the near form");
  check(worst_far <= 5e-10, "stated error of the far form");
}

// Far out it stands still, where probabilities are 1 and 0 long since.
void powers_of_scores() {
  for (const double z : {0.0, -0.3, 1.0, 36.0, -707.9}) check_near(power_of_score(z) * streamboost::exp(std::fabs(z)), 1, 1e-15, "e^-|z|");
  for (const double z : {708.0, -1e4, 1e300}) check(power_of_score(z) == power_of_score(708) && power_of_score(z) > 0, "the end of e^-|z|");
}

struct LabelledRow {
  std::vector<double> t, u;
  Example example;
  LabelledRow(std::vector<double> value, int label, double n_rows, int n_classes) : t(std::move(value)) {
    Row& row = example.row;
    for (std::size_t j = 0; j < t.size(); ++j) u.push_back(t[j] * (0.3 + 0.1 * static_cast<double>(j)));
    for (std::size_t j = 0; j < t.size(); ++j) row.squared_norm += t[j] * u[j];
    row.value = t.data();
    row.teach = u.data();
    row.size = static_cast<int>(t.size());
    row.n_rows = n_rows;
    example.label = label;
    example.n_classes = example.n_classes_after = n_classes;
  }
  LabelledRow(const LabelledRow&) = delete;
};

struct Setup {
  LogisticBank<double> bank;
  Answers answers;
  Schema schema;
  int lanes;
  Setup(const Values& changed, int d, int n_classes, bool declared = true, int n = 5)
      : bank(LogisticParams::read(config_of("logistic", changed)), {0, n}, n, 7), lanes(n) {
    schema.first_width = d;
    schema.n_values.assign(static_cast<std::size_t>(d), -1);
    widen(n_classes, declared);
  }
  void widen(int n_classes, bool declared) {
    schema.n_classes = n_classes;
    schema.declared = declared;
    bank.reserve(schema);
    bank.prepare(static_cast<std::size_t>(std::max(n_classes, 2)), answers);
  }
  double z(std::size_t column, std::size_t lane) const { return answers.notes[column * answers.stride + lane]; }
  void ask(const LabelledRow& lesson) { bank.ask(lesson.example, Request::distributions, answers); }
};

std::vector<double> point(int t) { return {1.0, 0.4 * (t % 7) - 1.1, 0.13 * (t % 17) - 1, t % 3 == 0 ? 1.5 : 0.0}; }

// z moves by y D of the lane's own numbers, and `after` is the answer after. Lane i learns the amount i.
void two_classes(const Values& changed) {
  Setup s(changed, 3, 2);
  double B[5] = {};
  const double kappa[5] = {1, 2, 0.5, 4, 0.25};
  for (int t = 0; t < 300; ++t) {
    LabelledRow lesson(point(t), t % 5 < 2, t + 1, 2);
    AlignedVector<double> amount(16, 0.0);
    for (std::size_t i = 0; i < 5; ++i) amount[i] = t % 11 == 0 ? 0.0 : t == 40 ? 1e6 * static_cast<double>(i) : static_cast<double>(i);
    s.ask(lesson);
    std::vector<double> expected, promised;
    s.bank.after_begin(lesson.example, s.answers);
    for (std::size_t i = 0; i < 5; ++i) {
      const double y = lesson.example.label == 1 ? 1 : -1, z = s.z(0, i), Q = lesson.example.row.squared_norm;
      const double a = streamboost::exp(std::min(std::max(y * z, -30.0), 30.0)), g = 1 / (1 + a);
      B[i] += amount[i] * g * g;
      const double S = amount[i] > 0 ? amount[i] * Q * kappa[i] * std::sqrt(0.1 * (t + 1) / B[i]) : 0;
      expected.push_back(z + y * static_cast<double>(solved(a, S)));
      promised.push_back(s.bank.after(static_cast<int>(i), lesson.example, amount[i], Amount::copies, s.answers).margin);
    }
    s.bank.learn(lesson.example, {lesson.example.label}, amount.data(), Amount::copies, s.answers);
    s.bank.ask(lesson.example, Request::margins, s.answers);
    for (std::size_t i = 0; i < 5; ++i) {
      check_near(s.z(0, i), expected[i], 1e-4, "the score moves by the root");
      check_near(s.answers.margin[i], promised[i], 1e-12, "after is the answer after");
    }
    s.ask(lesson);
    check(s.answers.vote[0] == -1 && s.answers.distribution[0] == 0, "a lane that learns nothing stays untrained");
  }
}

void several_classes(const Values& changed) {
  Setup s(changed, 3, 4);
  for (int t = 0; t < 300; ++t) {
    LabelledRow lesson(point(t), (t * t + t / 9) % 4, t + 1, 4);
    AlignedVector<double> amount(16, 0.7);
    amount[2] = 0;
    s.ask(lesson);
    s.bank.after_begin(lesson.example, s.answers);
    std::vector<int> promised;
    for (int i = 0; i < 5; ++i)
      promised.push_back(s.bank.after(i, lesson.example, amount[static_cast<std::size_t>(i)], Amount::weight, s.answers).label);
    s.bank.learn(lesson.example, {lesson.example.label}, amount.data(), Amount::weight, s.answers);
    s.ask(lesson);
    for (std::size_t i = 0; i < 5; ++i) {
      double sum = 0, best = -1;
      int label = -1;
      for (std::size_t c = 0; c < 4; ++c) {
        const double p = s.answers.distribution[c * s.answers.stride + i];
        sum += p;
        if (p > best) {
          best = p;
          label = static_cast<int>(c);
        }
      }
      if (i == 2) continue;
      check_near(sum, 1, 1e-12, "probabilities");
      check(s.answers.vote[i] == label && label == promised[i], "the vote, and the vote promised");
    }
  }
}

// A row so small that one over its Q overflows: nothing is learned from it, and nothing becomes infinite.
void a_row_of_next_to_nothing() {
  Setup s(Values{}, 3, 2);
  AlignedVector<double> amount(16, 1.0);
  amount[1] = 0;
  LabelledRow small({0, 1e-160, 0, 0}, 1, 1, 2), other(point(1), 0, 2, 2);
  check(small.example.row.squared_norm > 0 && small.example.row.squared_norm < 1e-308, "a Q that is not a normal number");
  s.ask(small);
  s.bank.learn(small.example, {1}, amount.data(), Amount::weight, s.answers);
  s.ask(other);
  for (std::size_t i = 0; i < 5; ++i) check(std::isfinite(s.z(0, i)), "scores stay finite");
}

// The third label turns one column into a pair with the same answers, whether its room was made early or late.
void a_label_met_late() {
  Setup early(Values{}, 3, 3, false), late(Values{}, 3, 2, false);
  AlignedVector<double> amount(16, 1.0);
  for (int t = 0; t < 60; ++t) {
    const bool third = t >= 40 && t % 4 == 0;
    LabelledRow lesson(point(t), third ? 2 : t % 5 < 2, t + 1, t <= 40 ? 2 : 3);
    if (third) lesson.example.n_classes_after = 3;
    if (t == 40) late.widen(3, false);
    for (Setup* s : {&early, &late}) s->ask(lesson);
    const double before = early.answers.distribution[early.answers.stride] / early.answers.distribution[0];
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t c = 0; c < (t <= 40 ? 2u : 3u); ++c) {
        const std::size_t at = c * early.answers.stride + i;
        check(early.answers.distribution[at] == late.answers.distribution[at], "room made early changes nothing");
      }
    if (t == 40) {
      early.bank.finish_example(lesson.example);  // splits without learning
      lesson.example.n_classes = 3;
      early.ask(lesson);
      check_near(early.answers.distribution[early.answers.stride] / early.answers.distribution[0], before, 1e-12,
                 "the pair answers the same");
      late.bank.finish_example(lesson.example);
      late.ask(lesson);
    }
    for (Setup* s : {&early, &late}) s->bank.learn(lesson.example, {lesson.example.label}, amount.data(), Amount::weight, s->answers);
  }
}

}  // namespace

int main() {
  flow_solves_its_equation();
  powers_of_scores();
  two_classes({{"learning_rate_spread", 1.0}});
  several_classes({});
  a_row_of_next_to_nothing();
  a_label_met_late();
  return checking::finish();
}
