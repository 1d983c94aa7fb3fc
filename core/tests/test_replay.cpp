// Replayed boosting: rows are shared until somebody writes, a fit in slices is the fit in one piece, broken state is refused.
#include "streamboost/replay/boosting_fit.hpp"
#include "test_model.hpp"

using namespace streamboost;
using checking::check;
using checking::check_equal;
using checking::check_throws;

namespace {

BoostingParams boosting(bool shared = true) { return {6, 7, 15, shared, 0.1, BoostingParams::Loss::classes, 5, 1 << 30}; }

RowRing ring_of(const testing::Stream& s) {
  RowRing ring = RowRing().grown(s.d);
  for (int r = 0; r < s.n; ++r) {
    ring.expect(1);
    ring.add(s.block(r, 1).row(0), s.y[static_cast<std::size_t>(r)], 1.0 + r % 3);
  }
  return ring;
}

SavedState saved(BoostedForest forest) {
  Saver saver;
  forest.fields(saver);
  return saver.state;
}

bool same(const SavedState& a, const SavedState& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, field] : a) {
    const auto& other = b.at(name);
    if (field.shape != other.shape || field.integer != other.integer || field.real != other.real) return false;
  }
  return true;
}

void slices_do_not_matter() {
  for (int classes : {2, 3, 6})
    for (bool shared : {true, false}) {
      const auto s = testing::make_stream(700, 5, classes, true);
      const RowRing ring = ring_of(s);
      const std::vector<char> nominal{0, 1, 0, 1, 0};
      BoostingFit whole(boosting(shared), ring.rows(100, 700), nominal);
      const std::int64_t bound = whole.left();
      whole.finish();
      check(whole.done() <= bound, "there is never more to do than was said");
      check_equal(whole.left(), 0);
      const SavedState expected = saved(whole.take());
      BoostingFit slow(boosting(shared), ring.rows(100, 700), nominal);
      for (std::int64_t at = 0; !slow.finished(); at += 1000) slow.go_on_to(at);
      check(same(saved(slow.take()), expected), "a fit in slices");
    }
}

void copies_share_rows_until_one_goes_on() {
  const auto s = testing::make_stream(300, 4, 2, true);
  RowRing ring = ring_of(s);
  RowRing copy = ring;
  const RowRing::Rows before = copy.rows(0, 300);
  check(before.cells(10) == ring.rows(0, 300).cells(10), "shared");
  ring.expect(1);
  ring.add(s.block(0, 1).row(0), 0, 1);
  ring.forget(290);
  check_equal(copy.end(), std::int64_t{300});
  check_equal(ring.begin(), std::int64_t{290});
  check(before.cells(10) == copy.rows(0, 300).cells(10), "the copy has its rows");
  check_equal(ring.rows(290, 301).truth(9), copy.rows(290, 300).truth(9));
}

void broken_forests_are_refused() {
  const auto s = testing::make_stream(400, 4, 3, true);
  const RowRing ring = ring_of(s);
  BoostingFit fit(boosting(), ring.rows(0, 400), {0, 1, 0, 1});
  fit.finish();
  const SavedState good = saved(fit.take());
  const auto load = [](const SavedState& state) {
    BoostedForest forest;
    Loader loader(state);
    forest.fields(loader);
    forest.check(4, 3);
  };
  load(good);
  check(true);
  int refused = 0, tried = 0;
  for (const auto& [name, field] : good)
    for (std::size_t i = 0; i < std::min<std::size_t>(field.integer.size(), 60); ++i)
      for (std::int64_t wrong : {std::int64_t{-5}, std::int64_t{1} << 40, std::int64_t{99}}) {
        SavedState state = good;
        state.at(name).integer[i] = wrong;
        ++tried;
        try {
          load(state);
        } catch (const std::invalid_argument&) {
          ++refused;
        }
      }
  check(refused * 2 > tried, "most changes of structure are seen; the others are harmless");
  for (const char* name : {"forest_nodes", "forest_trees", "forest"}) {
    SavedState state = good;
    state.at(name).integer.pop_back();
    state.at(name).shape[0] -= 1;
    check_throws<std::invalid_argument>([&] { load(state); }, name);
  }
}

// A gain is kept as a float, and is a square of the targets.
void large_targets_leave_a_sound_forest() {
  const auto s = testing::make_stream(400, 4, 2, false);
  RowRing ring = RowRing().grown(s.d);
  for (int r = 0; r < s.n; ++r) {
    ring.expect(1);
    ring.add(s.block(r, 1).row(0), 1e100 * s.y[static_cast<std::size_t>(r)], 1.0);
  }
  BoostingParams params = boosting();
  params.loss = BoostingParams::Loss::squared;
  BoostingFit fit(params, ring.rows(0, s.n), {0, 0, 0, 0});
  fit.finish();
  const BoostedForest forest = fit.take();
  check(!forest.node.empty(), "there is something to split");
  forest.check(4, 1);
  for (double gain : forest.importances()) check(std::isfinite(gain), "importances are finite");
}

}  // namespace

int main() {
  large_targets_leave_a_sound_forest();
  slices_do_not_matter();
  copies_share_rows_until_one_goes_on();
  broken_forests_are_refused();
  return checking::finish();
}
