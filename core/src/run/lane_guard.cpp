#include "streamboost/run/lane_guard.hpp"

namespace streamboost {
namespace {

void forget(LaneBlock& block, std::size_t lane) { block.forget(lane, block.guard.params().on_drift == GuardParams::OnDrift::lane); }

void teach_spares(const Example& example, LaneBlock& block, Scratch& scratch) {
  const GuardParams& params = block.guard.params();
  if (block.guard.any_spare()) {
    const bool numbers = block.spares.can().numbers;
    block.guard.spare_amounts(scratch.amount.data(), example.weight, scratch.spare_amount.data(), scratch.spare_amount.size());
    const Amount kind = params.spare_amount == GuardParams::SpareAmount::lane ? scratch.kind : Amount::weight;
    block.spares->ask(example, numbers ? Request::numbers : Request::votes, scratch.spare_answers);
    block.spares->learn(example, {.common = example.label, .target = scratch.target.data()}, scratch.spare_amount.data(), kind,
                        scratch.spare_answers);
  }
  block.spares->finish_example(example);
}

}  // namespace

bool guard_lanes(const Example& example, LaneBlock& block, Scratch& scratch) {
  if (block.spares) teach_spares(example, block, scratch);
  const double* wrong = block.events.wrong();
  if (block.guard.params().after && !block.bank.can().numbers) {
    Example again = example;
    again.n_classes = example.n_classes_after;
    block.bank->ask(again, Request::votes, scratch.answers);
    for (std::size_t i = 0; i < scratch.extra.size(); ++i) scratch.extra[i] = scratch.answers.vote[i] == example.label ? 0.0 : 1.0;
    wrong = scratch.extra.data();
  }
  return block.guard.judge(example.number, wrong, scratch.amount.data(), *block.bank, block.spares.get(),
                           [&](std::size_t lane) { forget(block, lane); });
}

WorstLane find_worst(const LaneBlocks& blocks) {
  WorstLane worst;
  for (const auto& block : blocks) {
    std::size_t lane = 0;
    const double error = block->guard.worst_error(lane);
    if (error > worst.error) worst = {block->lanes().begin + static_cast<int>(lane), error};
  }
  return worst;
}

void restart_lane(const LaneBlocks& blocks, int lane, std::int64_t number) {
  for (const auto& block : blocks) {
    if (lane < block->lanes().begin || lane >= block->lanes().end) continue;
    const auto i = static_cast<std::size_t>(lane - block->lanes().begin);
    if (block->guard.restart(i, number, *block->bank)) forget(*block, i);
  }
}

}  // namespace streamboost
