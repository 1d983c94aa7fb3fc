// The laws of the core for every booster x bank: cuts, chunks, save and load, weight 0, pure prediction.
#include <atomic>

#include "streamboost/run/flow.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

void laws_on(const Stream& s, const std::string& booster, const std::string& learner, const Values& config, const Values& options = {}) {
  const int n_classes = s.n_classes;
  const std::string what = booster + " " + learner;
  const auto make = [&](const std::string&, const std::string&, const Values&, const Stream&, const std::vector<int>& cuts = {}) {
    return testing::make(booster, learner, config, s, cuts, 38, options);
  };
  auto whole = make(booster, learner, config, s);
  const auto answers = run(*whole, s, 0, s.n);
  const SavedState state = whole->save();

  auto cut = make(booster, learner, config, s, {2, 16, 20});
  check(run(*cut, s, 0, s.n) == answers, what + ": lanes cut into blocks answer alike");
  check(equal(cut->save(), state), what + ": lanes cut into blocks learn alike");

  auto threaded = testing::make(booster, learner, config, s, {2, 16, 20}, 38, options);
  Team team(team_of(3));
  check(run(*threaded, s, 0, s.n, Output::score, &team) == answers, what + ": threads answer alike");
  check(equal(threaded->save(), state), what + ": threads learn alike");

  auto rows = make(booster, learner, config, s);
  std::vector<double> one_by_one;
  for (int r = 0; r < s.n; ++r)
    for (double v : run(*rows, s, r, 1)) one_by_one.push_back(v);
  check(one_by_one == answers, what + ": row by row answers alike");
  check(equal(rows->save(), state), what + ": row by row learns alike");

  auto first = make(booster, learner, config, s);
  run(*first, s, 0, 70);
  auto second = make(booster, learner, config, s, {6});
  second->load(first->save());
  run(*second, s, 70, s.n - 70);
  check(equal(second->save(), state), what + ": saved, loaded, gone on");

  std::vector<double> value(static_cast<std::size_t>(s.n * n_classes)), again(value.size());
  whole->predict(s.block(0, s.n), {Output::score, nullptr, value.data()});
  whole->predict(s.block(0, s.n), {Output::score, nullptr, again.data()});
  check(value == again, what + ": predict answers the same twice");
  team.predict(*threaded, s.block(0, s.n), {Output::score, nullptr, again.data()});
  check(value == again, what + ": threads predict alike");
  check(equal(whole->save(), state), what + ": predict changes nothing");
}

void laws(const std::string& booster, const std::string& learner, const Values& config, int n_classes, bool mixed,
          const Values& options = {}) {
  laws_on(make_stream(150, 6, n_classes, mixed), booster, learner, config, options);
}

// Whoever fails, all workers end and the caller hears of it.
void failing_worker() {
  for (int failing = 0; failing < 3; ++failing) {
    Flow flow(500, 10, 4);
    int last = flow.add(
        [&](int c) {
          if (failing == 0 && c == 20) throw std::runtime_error("station");
        },
        {});
    for (int s = 1; s < 3; ++s)
      last = flow.add(
          [&, s](int c) {
            if (failing == s && c == 20) throw std::runtime_error("station");
          },
          {last});
    flow.deal(3, {});
    checking::check_throws<std::runtime_error>([&] { flow.run(); }, "station " + std::to_string(failing) + " fails");
  }
}

// Whoever works at a station, it takes the chunks in order, after the stations before it: helpers change nothing. They come where one is slow.
void stations_keep_order() {
  constexpr int stations = 6, chunks = 200;
  std::vector<std::vector<int>> seen(stations);
  std::vector<std::atomic<int>> done(stations);
  std::atomic<int> early{0};
  Flow flow(10 * chunks, 10, 8);
  for (int s = 0; s < stations; ++s)
    flow.add(
        [&, s](int c) {
          const auto at = static_cast<std::size_t>(s);
          if (s > 0 && done[at - 1] <= c) ++early;
          seen[at].push_back(c);
          volatile double idle = 0;
          for (int i = 0; i < (s == 3 ? 20'000 : 100); ++i) idle = idle + 1;
          done[at] = c + 1;
        },
        s > 0 ? std::vector<int>{s - 1} : std::vector<int>{});
  flow.deal(2, {});
  flow.run();
  bool in_order = early == 0;
  for (const auto& taken : seen) {
    in_order = in_order && taken.size() == chunks;
    for (std::size_t c = 0; c < taken.size(); ++c) in_order = in_order && taken[c] == static_cast<int>(c);
  }
  check(in_order, "stations take chunks in order");
}

// The core has no defaults: what is missing, misspelt, superfluous or of the wrong kind is refused.
void parameters() {
  const Stream s = make_stream(4, 2, 2, false);
  const Ensemble ensemble{3, 1, false, true, 1, 0, {}};
  const auto build = [&](const Config& booster, const Config& learner) {
    return make_model("osboost", booster, ensemble, [&](Lanes lanes) { return make_bank("naive_bayes", learner, lanes, ensemble); }, {});
  };
  const Config good = config_of("osboost"), bayes = config_of("naive_bayes");
  build(good, bayes);
  const auto refused = [&](const Config& booster, const Config& learner, const char* what) {
    checking::check_throws<std::invalid_argument>([&] { build(booster, learner); }, what);
  };
  const auto without = [](Config config, const char* name) {
    config.values.erase(name);
    return config;
  };
  refused(without(good, "gamma"), bayes, "a missing parameter of a booster");
  refused(good, without(bayes, "alpha"), "a missing parameter of a learner");
  refused(config_of("osboost", {{"gama", 0.1}}), bayes, "a misspelt parameter of a booster");
  refused(good, config_of("naive_bayes", {{"aplha", 1.0}}), "a misspelt parameter of a learner");
  refused(config_of("osboost", {{"gamma", word("small")}}), bayes, "a word for a number");
  refused(config_of("osboost", {{"gamma", none}}), bayes, "nothing for a number");
  refused(config_of("osboost", {{"hypothesis", word("guess")}}), bayes, "a word that is no choice");
  refused(good, config_of("naive_bayes", {{"divisor", 1.0}}), "a number for a word");
}

// Files whose numbers contradict each other.
void refuses(const std::string& learner, const Values& config, const Stream& s,
             const std::vector<std::pair<const char*, std::function<void(SavedState&)>>>& damages) {
  auto model = make("oza", learner, config, s);
  run(*model, s, 0, s.n);
  const SavedState state = model->save();
  for (const auto& [what, damage] : damages) {
    SavedState broken = state;
    damage(broken);
    auto fresh = make("oza", learner, config, s);
    checking::check_throws<std::invalid_argument>([&] { fresh->load(broken); }, learner + ": " + what);
  }
}

void network_files() {
  Stream s = make_stream(150, 4, 2, true);
  for (int j = 0; j < 4; ++j) s.n_values[static_cast<std::size_t>(j)] = 3;
  for (double& x : s.x) x = std::isnan(x) ? x : static_cast<double>(static_cast<int>(x < 0 ? -x : x) % 3);
  Values two;
  two["n_parents"] = count(2);
  two["smoothing"] = 0.0;
  two["relearn"] = count(0);
  for (const char* booster : {"single", "bagging", "oza", "osboost"}) {
    laws_on(s, booster, "tan", {});
    laws_on(s, booster, "ban", two);
  }
  refuses("tan", {}, s,
          {{"a parent that is not there", [](SavedState& b) { b["bank/parent"].real[0] = 4; }},
           {"half a parent", [](SavedState& b) { b["bank/parent"].real[0] = 0.5; }},
           {"its own parent", [](SavedState& b) { b["bank/parent"].real[0] = 0; }},
           {"a second parent of a tree", [](SavedState& b) { b["bank/parent"].real[37] = 1; }},
           {"a negative count", [](SavedState& b) { b["bank/count"].real[3] = -1; }}});
}

void stump_files() {
  const auto resize = [](SavedState& b, const char* name, std::size_t n) {
    b[name].real.resize(n);
    b[name].shape[0] = static_cast<std::int64_t>(n);
  };
  refuses("stump", {}, make_stream(40, 4, 2, true),
          {{"a chosen column that is not there", [](SavedState& b) { b["bank/best"].real[0] = 4; }},
           {"half a column", [](SavedState& b) { b["bank/best"].real[0] = 0.5; }},
           {"a negative count", [](SavedState& b) { b["bank/count"].real[5] = -1; }},
           {"rows that the counts do not have", [](SavedState& b) { b["bank/n_rows"].integer[0] += 1; }},
           {"rows below zero", [](SavedState& b) { b["bank/n_rows"].integer[0] = -1; }},
           {"rows beyond all", [](SavedState& b) { b["bank/n_rows"].integer[2] = std::int64_t{1} << 61; }},
           {"values of another column",
            [](SavedState& b) {
              b["bank/n_rows"].integer[0] -= 1;
              b["bank/n_rows"].integer[2] += 1;
              b["bank/n_rows"].integer[1] += 1;
            }},
           {"intervals too few", [=](SavedState& b) { resize(b, "bank/low", b["bank/low"].real.size() - 1); }},
           {"intervals too many", [=](SavedState& b) { resize(b, "bank/seen", b["bank/seen"].real.size() + 1); }},
           {"an interval upside down", [](SavedState& b) { b["bank/high"].real[0] = b["bank/low"].real[0] - 1; }},
           {"overlapping intervals", [](SavedState& b) { b["bank/high"].real[0] = 1e9; }},
           {"a broken flag", [](SavedState& b) { b["bank/gap"].integer[1] = 7; }}});
}

}  // namespace

int main() {
  failing_worker();
  stations_keep_order();
  parameters();
  for (const char* booster :
       {"single", "bagging", "oza", "osboost", "osboost_ocp", "osboost_exp", "ogboost", "online_bbm", "adaboost_ol"}) {
    const std::string name = booster;
    const bool binary = name != "single" && name != "bagging" && name != "oza";
    for (int n_classes : {2, 3}) {
      if (binary && n_classes > 2) continue;
      for (bool mixed : {false, true}) {
        for (const char* kind : {"perceptron", "ogd", "logistic"})
          laws(booster, "linear", words({{"kind", kind}, {"scale", mixed ? "standard" : "none"}}), n_classes, mixed);
        Values half = words({{"kind", "perceptron"}, {"scale", "maxabs"}});
        half["feature_fraction"] = 0.5;
        laws(booster, "linear", half, n_classes, mixed);
        laws(booster, "stump", {}, n_classes, mixed);
        laws(booster, "mlp", {}, n_classes, mixed);
        laws(booster, "nearest_neighbors", {}, n_classes, mixed);
        Values bins = words({{"numeric", "bins"}});
        bins["max_bins"] = count(8);
        laws(booster, "stump", bins, n_classes, mixed);
        laws(booster, "naive_bayes", {}, n_classes, mixed);
        Values laplace;
        laplace["alpha"] = 1.0;
        laplace["feature_fraction"] = 0.5;
        laws(booster, "naive_bayes", laplace, n_classes, mixed);
      }
    }
  }
  const Values perceptron = words({{"kind", "perceptron"}});
  laws("osboost", "linear", perceptron, 2, true, words({{"hypothesis", "sign"}}));
  for (const char* step : {"1/sqrt(t)", "sqrt(2/(Nt))"})
    laws("osboost_ocp", "linear", perceptron, 2, false, words({{"projection", "pivot"}, {"step", step}}));
  for (const char* mode : {"sample", "best", "full"}) {
    laws("osboost_exp", "linear", perceptron, 2, false, words({{"hedge", mode}}));
    laws("adaboost_ol", "naive_bayes", {}, 2, false, words({{"hedge", mode}, {"weighting", "importance"}}));
  }
  laws("online_bbm", "naive_bayes", {}, 2, true, words({{"weighting", "sampling"}}));
  for (const char* loss : {"exponential", "hinge", "doom", "savage"}) {
    Values pairs = words({{"loss", loss}});
    pairs["n_candidates"] = count(2);
    pairs["shrinkage"] = 0.5;
    laws("ogboost", "linear", perceptron, 2, true, pairs);
    laws("ogboost", "naive_bayes", {}, 2, true, pairs);
  }
  Values triples;
  triples["n_candidates"] = count(3);
  const Stream t = make_stream(10, 4, 2, false);
  checking::check_throws<std::invalid_argument>([&] { testing::make("ogboost", "linear", perceptron, t, {4}, 36, triples); },
                                                "a cut through a selector is refused");
  const Stream s = make_stream(40, 4, 2, false);
  auto model = make("oza", "naive_bayes", {}, s);
  run(*model, s, 0, s.n);
  SavedState state = model->save();
  const auto refused = [&](auto damage, const char* what) {
    SavedState broken = state;
    damage(broken);
    auto fresh = make("oza", "naive_bayes", {}, s);
    checking::check_throws<std::invalid_argument>([&] { fresh->load(broken); }, what);
  };
  refused([](SavedState& b) { b.erase("bank/mean"); }, "a missing field");
  refused([](SavedState& b) { b["bank/extra"] = {}; }, "an unknown field");
  refused([](SavedState& b) { b["bank/mean"].shape[0] += 1; }, "a wrong shape");
  refused([](SavedState& b) { b["bank/class_weight"].real[0] = -1; }, "a negative count");
  refused([](SavedState& b) { b["bank/mean"].real[3] = std::numeric_limits<double>::infinity(); }, "an infinite mean");
  refused([](SavedState& b) { b["lane/sum_wrong"].real[0] = std::numeric_limits<double>::quiet_NaN(); }, "a NaN sum");
  refused([](SavedState& b) { b["intake/n_classes_known"].integer[0] = 9; }, "more classes than reserved");
  refused([](SavedState& b) { b["bank/values_known"].integer[0] = 5; }, "values of a numeric column");
  refused([](SavedState& b) { b["bank/own_weight"].integer[0] = 2; }, "a broken flag");
  stump_files();
  network_files();
  return checking::finish();
}
