// What is known of an example when the lanes have learned it: who was wrong before.
#include "streamboost/ensembles/lane_events.hpp"
#include "test_model.hpp"

using namespace testing;
using checking::check;

namespace {

using Numbers = std::vector<double>;

Numbers wrong(const LaneEvents& events) { return {events.wrong(), events.wrong() + 4}; }

}  // namespace

int main() {
  const auto bank = make_bank("naive_bayes", config_of("naive_bayes"), {0, 4}, ensemble_of(4, 1));
  const Stream s = make_stream(1, 2, 2, false);
  bank->reserve(s.schema());
  Answers answers;
  bank->prepare(2, answers);
  const AlignedVector<double> offered(16, 0.5);
  for (const bool monitor : {true, false}) {
    LaneEvents events;
    events.stats.on = monitor;
    events.reserve(4);
    check(events.heard() == monitor, "somebody listens where the monitor does");
    events.kept = true;
    check(events.heard(), "a guard listens");

    const std::int32_t vote[16] = {1, 0, -1, 1};
    events.votes(vote, offered.data(), 1);
    check(wrong(events) == Numbers({0, 1, 1, 0}), "votes: an untrained lane is wrong");
    events.votes(vote, offered.data(), 0, 2);
    check(wrong(events) == Numbers({1, 0, 0, 0}), "lanes that take no part are not wrong");

    answers.margin.assign(16, 0.0);
    answers.margin[0] = 0.25;
    answers.margin[1] = -0.5;
    events.margins(*bank, answers, false, offered.data(), -1);
    check(wrong(events) == Numbers({1, 0, 1, 1}), "margins: 0 is class 0, but an untrained lane is wrong");

    const double sign[16] = {1, -1, 0, 0.5};
    events.signs(sign, 1, 0.5);
    check(wrong(events) == Numbers({0, 1, 1, 0}), "signs");
    if (monitor) {
      const double* mistakes = events.stats.mistakes[0];
      check(mistakes[0] == 2 && mistakes[1] == 2 && mistakes[2] == 3, "the sums of the monitor count the same");
    }
  }
  return checking::finish();
}
