// Models over hashed tokens, without lanes.
#include "streamboost/run/hashed_model.hpp"
#include "streamboost/run/model_table.hpp"
#include "streamboost/run/shares_model.hpp"

namespace streamboost {
namespace {

template <bool numbers>
std::unique_ptr<Model> make_hashed(const Config& config, const Ensemble& ensemble, const BankFactory&, const std::vector<int>&) {
  return std::make_unique<HashedModel>(HashedModel::Params::read(config, numbers), ensemble);
}

std::unique_ptr<Model> make_shares(const Config& config, const Ensemble& ensemble, const BankFactory&, const std::vector<int>&) {
  return std::make_unique<SharesModel>(SharesModel::Params::read(config), ensemble);
}

}  // namespace

ModelTable models_hashed() {
  return {{"hashed", make_hashed<false>}, {"hashed_regressor", make_hashed<true>}, {"hashed_shares", make_shares}};
}

}  // namespace streamboost
