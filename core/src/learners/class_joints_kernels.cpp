#include "streamboost/learners/class_joints_kernels.hpp"

#include "streamboost/math/levels.hpp"

namespace streamboost::STREAMBOOST_LEVEL {

bool all_positive(const double* value, std::size_t n) {
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < n; ++i) others |= value[i] > 0.0 ? std::uint64_t{0} : std::uint64_t{1};
  return others == 0;
}

void best_class(const double* __restrict joint, const double* __restrict class_weight, std::size_t n_classes, std::size_t lanes,
                std::int32_t* __restrict vote, double* __restrict highest) {
  constexpr double below_all = -1.7976931348623157e308;
  for (std::size_t l = 0; l < lanes; ++l) {
    vote[l] = -1;
    highest[l] = below_all;
  }
  for (std::size_t c = 0; c < n_classes; ++c) {
    const double* __restrict mine = joint + c * lanes;
    const double* __restrict weight = class_weight + c * lanes;
    const auto code = static_cast<std::int32_t>(c);
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool better = (weight[l] > 0.0) & (mine[l] > highest[l]);
      vote[l] = better ? code : vote[l];
      highest[l] = better ? mine[l] : highest[l];
    }
  }
}

void joint_gaps(const double* __restrict joint, const double* __restrict class_weight, const double* __restrict highest,
                std::size_t n_classes, std::size_t n, std::size_t lanes, double* __restrict gap) {
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::size_t row = c * lanes;
    for (std::size_t l = 0; l < n; ++l) {
      const double mine = joint[row + l] - highest[l];
      gap[row + l] = class_weight[row + l] > 0.0 ? mine : 0.0;
    }
  }
}

void joint_shares(const double* __restrict class_weight, double alpha, std::size_t n_classes, std::size_t n, std::size_t lanes,
                  double* __restrict share) {
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = n - begin < block ? n - begin : block;
    double joint[block], sum[block], empty[block];
    for (std::size_t l = 0; l < size; ++l) joint[l] = sum[l] = empty[l] = 0.0;
    for (std::size_t c = 0; c < n_classes; ++c) {
      const double* __restrict weight = class_weight + c * lanes + begin, * __restrict mine = share + c * lanes + begin;
      for (std::size_t l = 0; l < size; ++l) {
        const double heard = mine[l];
        sum[l] += weight[l];
        joint[l] += weight[l] > 0.0 ? heard : 0.0;
        empty[l] += weight[l] > 0.0 ? 0.0 : 1.0;
      }
    }
    double part[block], rest[block];
    for (std::size_t l = 0; l < size; ++l) {
      const double of_one = alpha / (sum[l] + static_cast<double>(n_classes) * alpha);
      part[l] = sum[l] > 0.0 ? of_one : 0.0;
      rest[l] = 1.0 - empty[l] * part[l];
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      const double* __restrict weight = class_weight + c * lanes + begin;
      double* __restrict mine = share + c * lanes + begin;
      for (std::size_t l = 0; l < size; ++l) {
        const double present = mine[l] / joint[l] * rest[l];
        mine[l] = weight[l] > 0.0 ? present : part[l];
      }
    }
  }
}

}  // namespace streamboost::STREAMBOOST_LEVEL
