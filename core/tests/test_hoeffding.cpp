// Hoeffding trees: laws in C++, an answer after learning is the answer asked again, one lane is reset alone, costs rule a leaf.
#include "streamboost/learners/hoeffding.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

Values eager(std::initializer_list<std::pair<const char*, const char*>> options = {}) {
  Values config = words(options);
  config["grace_period"] = 5.0;
  config["delta"] = 0.3;
  config["tie_threshold"] = 0.5;
  return config;
}

struct Setup : BankSetup<HoeffdingBank> {
  Setup(const Values& changed, const Stream& s, int lanes = 3) : BankSetup(config_of("hoeffding", changed), s, lanes) {}
};

SavedState state_of(HoeffdingBank& bank) {
  Saver saver;
  saver.n_lanes_all = bank.lanes().size();
  saver.lanes = bank.lanes();
  bank.visit(saver);
  return saver.state;
}

double number(std::uint64_t example, std::uint32_t at) { return uniform(Key{11, example, at, Purpose::tie}); }

// Side by side classes give what each of them gives alone, written down plainly; cells beyond the columns change nothing.
void kernels_as_written(std::size_t classes, std::size_t columns) {
  constexpr std::size_t width = 24;
  const std::size_t used = (columns + 3) / 4 * 4;
  std::vector<std::vector<double>> blocks(classes, std::vector<double>(2 * width));
  std::vector<const double*> at;
  std::vector<double> row(width, 0.0), out(classes), whole(classes);
  std::vector<std::int32_t> weight_at, count_at;
  std::vector<double> smoothing;
  for (std::uint32_t j = 0; j < columns; ++j) {
    row[j] = 4 * number(1, j) - 2;
    weight_at.push_back(static_cast<std::int32_t>(2 * j));
    count_at.push_back(static_cast<std::int32_t>(2 * j + 1));
    smoothing.push_back(0.01 * (1 + j % 4));
  }
  for (std::uint32_t c = 0; c < classes; ++c) {
    for (std::uint32_t j = 0; j < columns; ++j)
      for (const std::size_t cell : {std::size_t{j}, width + j}) blocks[c][cell] = 9 * number(2 + c, static_cast<std::uint32_t>(cell));
    at.push_back(blocks[c].data());
  }
  cells_quadratics(row.data(), at.data(), classes, width, used, out.data());
  cells_quadratics(row.data(), at.data(), classes, width, width, whole.data());
  for (std::size_t c = 0; c < classes; ++c) {
    double part[8] = {};
    for (std::size_t j = 0; j < width; ++j) part[j % 8] += (row[j] - at[c][j]) * (row[j] - at[c][j]) * at[c][width + j];
    const double sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    checking::check_bits(out[c], sum, "quadratic");
    checking::check_bits(whole[c], sum, "quadratic of all cells");
  }
  value_logs(at.data(), classes, {weight_at.data(), count_at.data(), smoothing.data(), columns}, 0.01, out.data());
  for (std::size_t c = 0; c < classes; ++c) {
    double product = 1, above = 1, below = 1, exponent = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      above *= at[c][2 * j + 1] + 0.01;
      below *= at[c][2 * j] + smoothing[j];
      if (j % 4 != 3 && j + 1 != columns) continue;
      int power = 0;
      product = 2 * std::frexp(product * (above / below), &power);
      exponent += power - 1;
      above = below = 1;
    }
    checking::check_bits(out[c], streamboost::log(product) + exponent * 0.693147180559945309417, "sum of logs");
  }
}

void answer_after_learning(const Values& config, const Stream& s) {
  Setup one(config, s), two(config, s);
  for (int r = 0; r < s.n; ++r) {
    const Example e = example_of(s, r);
    const double amount = r % 5 == 4 ? 0 : 1 + r % 3;
    one.bank.ask(e, Request::votes, one.answers);
    Answer said[3];
    for (int lane = 0; lane < 3; ++lane)
      said[lane] = one.bank.learn_then_answer(lane, e, amount, Amount::copies, Request::votes, one.answers);
    one.bank.finish_example(e);
    two.learn(e, amount);
    check(equal(state_of(one.bank), state_of(two.bank)), "learn_then_answer learns as learn does");
    two.bank.ask(e, Request::votes, two.answers);
    for (int lane = 0; lane < 3; ++lane) check(said[lane].label == two.answers.vote[static_cast<std::size_t>(lane)], "the answer after");
    if (s.n_classes != 2) continue;
    const Answer again = one.bank.learn_then_answer(0, e, 0, Amount::weight, Request::margins, one.answers);
    two.bank.ask(e, Request::margins, two.answers);
    checking::check_bits(again.margin, two.answers.margin[0], "the margin after");
  }
  check(one.bank.show(0).size() > 3, "the tree has grown");
}

void labels_per_lane(const Stream& s) {
  Setup each(eager(), s), own(eager(), s, 1);
  for (int r = 0; r < s.n; ++r) {
    Example e = example_of(s, r);
    const std::int32_t labels[3] = {0, e.label, 1};
    const AlignedVector<double> amounts = {0.5, 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    each.bank.ask(e, Request::votes, each.answers);
    each.bank.learn(e, {-1, labels}, amounts.data(), Amount::weight, each.answers);
    each.bank.finish_example(e);
    own.learn(e, 1.0);
  }
  check(each.bank.show(0).size() == 1, "one class only: no split");
  check(!each.bank.trained(2) && each.bank.trained(0), "an amount of 0 teaches nothing");
  const auto a = each.bank.show(1), b = own.bank.show(0);
  check(a.size() == b.size() && a.back().mass == b.back().mass, "a lane learns its own label");
}

void reset_one_lane(const Stream& s) {
  Setup setup(eager(), s), fresh(eager(), s);
  for (int r = 0; r < s.n; ++r) setup.learn(example_of(s, r), 1.0);
  const auto before = setup.bank.show(0);
  setup.bank.reset(1, 0);
  setup.bank.check();
  check(setup.bank.show(1).size() == 1 && !setup.bank.trained(1), "a new-born tree");
  check(setup.bank.show(0).size() == before.size() && setup.bank.trained(2), "the others stay");
}

void costs_rule(const Stream& s) {
  Setup setup(eager({{"leaf_prediction", "costs"}}), s);
  check(setup.bank.abilities().costs != nullptr, "costs are learned");
  for (int r = 0; r < s.n; ++r) {
    const Example e = example_of(s, r);
    setup.learn(e, 1.0);
    std::vector<double> cost(static_cast<std::size_t>(s.n_classes) * setup.answers.stride, 0.0);
    for (int c = 0; c < s.n_classes; ++c)
      for (std::size_t i = 0; i < 3; ++i) cost[static_cast<std::size_t>(c) * setup.answers.stride + i] = c == 2 ? 0.1 : 1.0;
    setup.bank.learn_costs(e, cost.data(), setup.answers);
    setup.bank.check();
  }
  setup.bank.ask(example_of(s, 0), Request::votes, setup.answers);
  check(setup.answers.vote[0] == 2, "the cheapest class");
  check(setup.bank.show(0).size() > 1, "the tree has grown");
}

void laws(const std::string& booster, const Values& config, const Stream& s) {
  auto whole = make(booster, "hoeffding", config, s), cut = make(booster, "hoeffding", config, s, {1, 5, 22});
  const auto a = run(*whole, s, 0, s.n);
  std::vector<double> b;
  for (int first = 0; first < s.n;) {
    const int count = std::min(1 + first % 50, s.n - first);
    const auto part = run(*cut, s, first, count);
    b.insert(b.end(), part.begin(), part.end());
    first += count;
    if (first > s.n / 2 && first < s.n / 2 + 50) {
      auto resumed = make(booster, "hoeffding", config, s, {3});
      resumed->load(cut->save());
      cut = std::move(resumed);
    }
  }
  for (std::size_t i = 0; i < a.size(); ++i) checking::check_bits(a[i], b[i], "chunks, cuts and a file");
  check(equal(whole->save(), cut->save()), "the same state");
}

}  // namespace

int main() {
  for (std::size_t classes = 1; classes <= 9; ++classes)
    for (std::size_t columns : {0, 1, 3, 4, 5, 10, 17, 20}) kernels_as_written(classes, columns);
  const Stream two = make_stream(200, 6, 2, true), three = make_stream(200, 5, 3, true), numbers = make_stream(200, 9, 2, false);
  for (const Stream* s : {&two, &three, &numbers}) {
    answer_after_learning(eager(), *s);
    answer_after_learning(eager({{"leaf_prediction", "naive_bayes"}, {"criterion", "gini"}}), *s);
    answer_after_learning(eager({{"leaf_prediction", "majority"}, {"nominal_split", "binary"}}), *s);
    Values capped = eager();
    capped["max_bytes"] = 4000.0;
    answer_after_learning(capped, *s);
    Values wide_floor = eager();
    wide_floor["var_floor"] = 5.0;
    answer_after_learning(wide_floor, *s);
    labels_per_lane(*s);
    reset_one_lane(*s);
    for (const char* nominal : {"both", "grouped"}) {
      Values second_thoughts = eager({{"nominal_split", nominal}});
      second_thoughts["reevaluate"] = 15.0;
      answer_after_learning(second_thoughts, *s);
      second_thoughts["max_bytes"] = 6000.0;
      answer_after_learning(second_thoughts, *s);
    }
  }
  costs_rule(three);
  Values subset = eager();
  subset["feature_fraction"] = 0.5;
  subset["grace_period"] = std::vector<double>{3, 30};
  for (const char* booster : {"single", "bagging", "oza"}) {
    laws(booster, eager(), three);
    laws(booster, subset, two);
  }
  Values second_thoughts = eager({{"nominal_split", "grouped"}});
  second_thoughts["reevaluate"] = 15.0;
  laws("bagging", second_thoughts, three);
  second_thoughts["max_features"] = 0.5;
  second_thoughts["max_bytes"] = 6000.0;
  laws("oza", second_thoughts, two);
  laws("osboost", eager({{"count_mode", "effective"}}), numbers);
  return checking::finish();
}
