// What a booster declares and what it has must agree: every mistake here is one that does not compile.
#include "check.hpp"
#include "streamboost/ensembles/adaptive_bagging.hpp"
#include "streamboost/ensembles/booster.hpp"
#include "streamboost/ensembles/gradient_boosting.hpp"
#include "streamboost/ensembles/ogboost.hpp"
#include "streamboost/ensembles/primed.hpp"
#include "streamboost/ensembles/single.hpp"

namespace {

using namespace streamboost;

// A booster that has everything it needs and nothing else.
struct Plain : BoosterDefaults {
  struct Params {
    static Params read(const Config&) { return {}; }
  };
  using LaneState = NoLaneState;
  struct Passage : PassageBase {};
  static constexpr BoosterTraits traits{.votes = true};
  Plain(Params, const Ensemble&) {}
  void reserve(int) {}
  void score(const Example&, const Block<LaneState>&, Scratch&, Passage&) const {}
  void learn(const Example&, Block<LaneState>&, Scratch&, Passage&) const {}
  void answer(const Example&, const Passage&, Verdict&) const {}
  void conclude(const Example&, const Passage&) {}
  void fields(FieldVisitor&) {}
  void check() const {}
};
static_assert(Booster<Plain>);
static_assert(Booster<Single> && Booster<OGBoost> && Booster<PrimedBoost> && Booster<AdaptiveBagging> && Booster<GradientBoosting>);

struct NotABooster {};
static_assert(!Booster<NotABooster>);

// An optional function without its declaration, and the other way round.
struct GrainUndeclared : Plain {
  using Plain::Plain;
  int grain() const { return 2; }
};
static_assert(!Booster<GrainUndeclared>);

struct GrainMisspelt : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.grain = true};
  int grian() const { return 2; }
};
static_assert(!Booster<GrainMisspelt>);

struct GrainOfAnotherType : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.grain = true};
  long grain() const { return 2; }
};
static_assert(!Booster<GrainOfAnotherType>);

struct GrainDeclared : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.grain = true};
  int grain() const { return 2; }
};
static_assert(Booster<GrainDeclared>);

struct BeginUndeclared : Plain {
  using Plain::Plain;
  void begin(LaneState&) const {}
};
static_assert(!Booster<BeginUndeclared>);

struct RowsPromised : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.keeps_rows = true};
};
static_assert(!Booster<RowsPromised>);

template <bool kept>
struct Rows : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.keeps_rows = kept};
  bool remembers(std::int64_t) const { return false; }
  bool batch_phase_due(std::int64_t) const { return false; }
  void batch_phase(BatchPhase&, Block<LaneState>&, Scratch&) const {}
};
static_assert(Booster<Rows<true>> && !Booster<Rows<false>>);

struct RegressorWithoutNumber : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.numbers = true};
};
static_assert(!Booster<RegressorWithoutNumber>);

// A lane that is to forget its learner, and a passage that carries a number without saying so.
template <bool declared>
struct Reborn : Plain {
  using Plain::Plain;
  static constexpr BoosterTraits traits{.reborn = declared};
  struct LaneState : NoLaneState {
    void reborn(std::size_t) {}
  };
  void score(const Example&, const Block<LaneState>&, Scratch&, Passage&) const {}
  void learn(const Example&, Block<LaneState>&, Scratch&, Passage&) const {}
};
static_assert(Booster<Reborn<true>> && !Booster<Reborn<false>>);

struct Carried : PassageBase {
  double weight = 0;
};
struct Listed : Carried {
  auto scan() { return std::tie(weight); }
  bool sound(int, int) const { return weight >= 0; }
};
template <class P>
struct Carries : Plain {
  using Plain::Plain;
  using Passage = P;
  void score(const Example&, const Block<LaneState>&, Scratch&, Passage&) const {}
  void learn(const Example&, Block<LaneState>&, Scratch&, Passage&) const {}
  void answer(const Example&, const Passage&, Verdict&) const {}
  void conclude(const Example&, const Passage&) {}
};
static_assert(Booster<Carries<Listed>> && !Booster<Carries<Carried>>);

}  // namespace

int main() { return 0; }
