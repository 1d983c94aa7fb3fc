// One learner alone, and weighted votes of experts: one line each.
#include "streamboost/ensembles/expert_hedge.hpp"
#include "streamboost/ensembles/single.hpp"
#include "streamboost/ensembles/weighted_majority.hpp"
#include "streamboost/ensembles/winnow.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_experts() {
  return {
      {"single", make<Single>},
      {"weighted_majority", make<WeightedMajority>},
      {"hedge", make<ExpertHedge>},
      {"winnow", make<Winnow>},
  };
}

}  // namespace streamboost
