// ITI trees: after every example the tree is the batch tree of the examples so far, in any order; proportional without pruning;
// k copies are weight k; late classes, values and columns; a state with one number changed is refused or harmless.
#include <limits>
#include "streamboost/learners/iti.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;
using checking::check_throws;

namespace {

Schema schema_of(const Stream& s) {
  Schema schema;
  schema.first_width = s.d;
  schema.n_values = s.n_values;
  schema.n_classes = s.n_classes;
  schema.declared = true;
  return schema;
}

// Few distinct values, so that ties, merged instances and impure leaves abound; weights 1 to 3.
Stream coarse_stream(int n, int d, int n_classes, std::uint64_t seed) {
  Stream s = make_stream(n, d, n_classes, true, seed);
  for (double& x : s.x)
    if (!std::isnan(x)) x = std::floor(x * 3);
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (s.n_values[i % static_cast<std::size_t>(d)] > 0 && !std::isnan(s.x[i])) s.x[i] = static_cast<double>(static_cast<int>(s.x[i] / 3));
  for (std::size_t r = 0; r < s.weight.size(); ++r) s.weight[r] = static_cast<double>(1 + r % 3);
  return s;
}

std::vector<double> row_of(const Stream& s, std::size_t r) {
  std::vector<double> x(s.x.begin() + static_cast<std::ptrdiff_t>(r) * s.d, s.x.begin() + static_cast<std::ptrdiff_t>(r + 1) * s.d);
  for (double& v : x) v = std::isnan(v) ? ItiColumns::missing : v;
  return x;
}

struct Lone {
  ItiColumns columns;
  ItiParams params;
  ItiTree tree;
  ItiWork work;
  Lone(const Stream& s, ItiParams p) : columns(schema_of(s)), params(p) {}
  void learn(const Stream& s, std::size_t r, double weight) {
    if (weight > 0) tree.learn(columns, params, row_of(s, r).data(), s.y[r], weight, work);
  }
  void keep(const Stream& s, std::size_t r, double weight) {
    if (weight > 0) tree.keep(columns, row_of(s, r).data(), s.y[r], weight);
  }
};

// Same tests, tables and pruning, whatever the numbers of nodes and instances. factor: weights of b over those of a.
bool same(const ItiTree& a, std::int32_t n, const ItiTree& b, std::int32_t m, double factor = 1, bool pruning = true) {
  if (a.test(n) != b.test(m) || (pruning && a.part(n, ItiTree::pruned) != b.part(m, ItiTree::pruned))) return false;
  const ItiTable s = a.table(n), t = b.table(m);
  if (s.size != t.size) return false;
  for (std::size_t e = 0; e < s.size; ++e)
    if (s.column[e] != t.column[e] || s.label[e] != t.label[e] || s.value[e] != t.value[e] || s.weight[e] * factor != t.weight[e])
      return false;
  if (a.part(n, ItiTree::column) < 0) return true;
  if (pruning && a.real(n, ItiTree::bits) != b.real(m, ItiTree::bits)) return false;
  return same(a, a.part(n, ItiTree::yes), b, b.part(m, ItiTree::yes), factor, pruning) &&
         same(a, a.part(n, ItiTree::no), b, b.part(m, ItiTree::no), factor, pruning);
}

void online_is_batch(const Stream& s, ItiParams params) {
  Lone online(s, params);
  std::size_t splits = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(s.n); ++r) {
    online.learn(s, r, s.weight[r]);
    Lone batch(s, params);
    for (std::size_t q = r + 1; q-- > 0;) batch.keep(s, q, s.weight[q]);  // the other way round
    batch.tree.rebuild(batch.columns, params, batch.work);
    check(same(online.tree, 0, batch.tree, 0), "online tree is the batch tree");
    online.tree.check(online.columns, params, online.work);
    splits = std::max(splits, online.tree.n_nodes());
  }
  check(splits > 10, "trees grow");
}

void order_copies_proportion(const Stream& s, ItiParams params) {
  Lone straight(s, params), turned(s, params), copies(s, params), thrice(s, params);
  for (std::size_t r = 0; r < static_cast<std::size_t>(s.n); ++r) {
    straight.learn(s, r, s.weight[r]);
    turned.learn(s, (r * 17 + 5) % static_cast<std::size_t>(s.n), s.weight[(r * 17 + 5) % static_cast<std::size_t>(s.n)]);
    for (double k = 0; k < s.weight[r]; ++k) copies.learn(s, r, 1);
    thrice.learn(s, r, 3e6 * s.weight[r]);
  }
  check(same(straight.tree, 0, turned.tree, 0), "order does not matter");
  check(same(straight.tree, 0, copies.tree, 0), "k copies are weight k");
  check(same(straight.tree, 0, thrice.tree, 0, 3e6, false), "proportional but for pruning");
}

void grows_with_the_schema(const Stream& s) {
  const ItiParams params = ItiParams::read(config_of("iti"));
  Lone known(s, params);
  Stream narrow = s;
  narrow.n_values.pop_back();
  narrow.d -= 1;
  Lone late(narrow, params);
  const std::size_t half = static_cast<std::size_t>(s.n) / 2;
  for (std::size_t r = 0; r < static_cast<std::size_t>(s.n); ++r) {
    auto x = row_of(s, r);
    if (r < half) x.back() = ItiColumns::missing;
    if (r == half) {
      const ItiColumns wide(schema_of(s));
      late.tree.widen(late.columns, wide, late.work);
      late.columns = wide;
    }
    const double amount = 0.1 * static_cast<double>(1 + r % 7);  // no sum of these is exact: who grows a tree again adds in another order
    known.tree.learn(known.columns, params, x.data(), s.y[r], amount, known.work);
    late.tree.learn(late.columns, params, x.data(), s.y[r], amount, late.work);
    if (r >= half) check(same(known.tree, 0, late.tree, 0), "a late column was always missing");
    late.tree.check(late.columns, params, late.work);
  }
}

struct Banked {
  ItiBank bank{ItiParams::read(config_of("iti")), Lanes{0, 2}};
  Answers answers;
  AlignedVector<double> amount = AlignedVector<double>(16, 1.0);
  explicit Banked(const Stream& s) {
    bank.reserve(schema_of(s));
    bank.prepare(static_cast<std::size_t>(s.n_classes), answers);
  }
  void run(const Stream& s, int n) {
    for (int r = 0; r < n; ++r) {
      Example e;
      e.row = s.block(r, 1).row(0);
      e.label = s.y[static_cast<std::size_t>(r)];
      e.n_classes = e.n_classes_after = s.n_classes;
      bank.ask(e, Request::distributions, answers);
      amount[1] = r % 2;
      bank.learn(e, {e.label}, amount.data(), Amount::copies, answers);
    }
  }
  void visit(FieldVisitor& v) {
    v.n_lanes_all = 2;
    v.lanes = bank.lanes();
    bank.visit(v);
  }
};

// Every number of a small state, changed in turn: refused, or the model goes on without harm (asan is watching).
void hostile(const Stream& s) {
  Banked first(s);
  first.run(s, s.n);
  Saver saver;
  first.visit(saver);
  const SavedState& good = saver.state;
  long refused = 0, taken = 0;
  for (const auto& [name, field] : good)
    for (std::size_t i = 0; i < field.size(); ++i)
      for (const double change : {-1e9, -3.0, -1.0, 1.0, 2.0, 1e9}) {
        SavedState bad = good;
        if (field.whole)
          bad[name].integer[i] += static_cast<std::int64_t>(change);
        else
          bad[name].real[i] += change;
        Banked other(s);
        try {
          Loader loader(bad);
          other.visit(loader);
          other.bank.check();
        } catch (const std::invalid_argument&) {
          ++refused;
          continue;
        }
        ++taken;
        other.run(s, std::min(s.n, 5));
      }
  std::printf("hostile: %ld refused, %ld taken\n", refused, taken);
  check(refused > taken, "most lies are refused");
  Banked again(s);
  Loader loader(good);
  again.visit(loader);
  again.bank.check();
  Saver second;
  again.visit(second);
  for (const auto& [name, field] : good)
    check(field.integer == second.state[name].integer && field.real == second.state[name].real, "load and save give the same state");
  first.run(s, 7);
  again.run(s, 7);
  check(same(first.bank.tree(0), 0, again.bank.tree(0), 0) && same(first.bank.tree(1), 0, again.bank.tree(1), 0), "loaded trees go on");
}

}  // namespace

int main() {
  using Metric = ItiParams::Metric;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const Metric metric : {Metric::gain_ratio, Metric::info_gain, Metric::ks})
      for (const bool prune : {false, true}) {
        online_is_batch(make_stream(60, 4, 3, true, seed), {metric, prune, std::numeric_limits<double>::infinity()});
        online_is_batch(coarse_stream(90, 5, 2 + static_cast<int>(seed % 3), seed),
                        {metric, prune, std::numeric_limits<double>::infinity()});
        order_copies_proportion(coarse_stream(90, 5, 3, seed + 10), {metric, prune, std::numeric_limits<double>::infinity()});
      }
  grows_with_the_schema(coarse_stream(80, 5, 3, 3));
  grows_with_the_schema(coarse_stream(80, 4, 2, 4));
  hostile(coarse_stream(24, 3, 3, 5));
  return checking::finish();
}
