// The boosters of Oza's thesis and its batch relatives: one line each.
#include "streamboost/ensembles/arcx4.hpp"
#include "streamboost/ensembles/bagging.hpp"
#include "streamboost/ensembles/batch_bagging.hpp"
#include "streamboost/ensembles/blocked.hpp"
#include "streamboost/ensembles/cost_boosting.hpp"
#include "streamboost/ensembles/oza.hpp"
#include "streamboost/ensembles/primed.hpp"
#include "streamboost/ensembles/reordered.hpp"
#include "streamboost/run/model_table.hpp"

namespace streamboost {

ModelTable models_oza() {
  return {
      {"bagging", make<Bagging>},
      {"oza", make<OzaBoost>},
      {"arcx4", make<ArcX4>},
      {"cost_boosting", make<CostBoosting>},
      {"blocked", make<BlockedBoost>},
      {"reordered", make<Reordered>},
      {"primed", make_narrow<PrimedBoost>},
      {"batch_bagging", make<BatchBagging>},
  };
}

}  // namespace streamboost
