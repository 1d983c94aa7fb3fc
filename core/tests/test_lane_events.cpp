// What listeners are told of an example: who was wrong before learning, and what was then learned.
#include "streamboost/run/lane_events.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

struct Listener final : LaneListener {
  std::vector<double> wrong, amount;
  void taught(const Example&, Bank& bank, const double* w, const double* a, Amount) override {
    wrong.assign(w, w + bank.lanes().size());
    amount.assign(a, a + bank.lanes().size());
  }
};

using Numbers = std::vector<double>;

}  // namespace

int main() {
  const auto bank = make_bank("naive_bayes", {}, {0, 4}, Ensemble{4, 1});
  const Stream s = make_stream(1, 2, 2, false);
  bank->reserve(s.schema());
  Answers answers;
  bank->prepare(2, answers);
  const Example example = example_of(s, 0);
  const AlignedVector<double> offered(16, 0.5), amount(16, 2.0);
  for (const bool monitor : {true, false}) {
    LaneEvents events;
    events.stats.on = monitor;
    events.reserve(4);
    check(events.heard() == monitor, "somebody listens where the monitor does");
    Listener listener;
    events.listener = &listener;
    check(events.heard(), "a listener listens");

    const std::int32_t vote[16] = {1, 0, -1, 1};
    events.votes(vote, offered.data(), 1);
    events.taught(example, *bank, amount.data(), Amount::weight);
    check(listener.wrong == Numbers({0, 1, 1, 0}) && listener.amount == Numbers(4, 2.0), "votes: an untrained lane is wrong");
    events.votes(vote, offered.data(), 0, 2);
    events.taught(example, *bank, amount.data(), Amount::weight);
    check(listener.wrong == Numbers({1, 0, 0, 0}), "lanes that take no part are not wrong");

    answers.margin.assign(16, 0.0);
    answers.margin[0] = 0.25;
    answers.margin[1] = -0.5;
    events.margins(*bank, answers, false, offered.data(), -1);
    events.taught(example, *bank, amount.data(), Amount::weight);
    check(listener.wrong == Numbers({1, 0, 1, 1}), "margins: 0 is class 0, but an untrained lane is wrong");

    const double sign[16] = {1, -1, 0, 0.5};
    events.signs(sign, 1, 0.5);
    events.taught(example, *bank, amount.data(), Amount::weight);
    check(listener.wrong == Numbers({0, 1, 1, 0}), "signs");
    if (monitor) {
      const double* mistakes = events.stats.mistakes[0];
      check(mistakes[0] == 2 && mistakes[1] == 2 && mistakes[2] == 3, "the sums of the monitor count the same");
    }
  }
  return checking::finish();
}
