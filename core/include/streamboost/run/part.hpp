// How the passages of a booster become a carry and come out of one (carry.hpp): what a pipeline does at both ends of its lanes.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "streamboost/data/carry.hpp"
#include "streamboost/ensembles/booster.hpp"

namespace streamboost {

template <class Number, class Visit>
void visit_member(Number& number, Visit visit) {
  visit(number);
}
template <class Number, std::size_t size, class Visit>
void visit_member(std::array<Number, size>& numbers, Visit visit) {
  for (Number& number : numbers) visit(number);
}

// The numbers of a passage, in the order in which `scan` lists them.
template <class Passage, class Visit>
void visit_scan(Passage& passage, Visit visit) {
  std::apply([&](auto&... member) { (visit_member(member, visit), ...); }, passage.scan());
}

template <Booster B>
std::size_t carry_stride(int lanes, int n_classes) {
  typename B::Passage passage;
  std::size_t scan = 0;
  visit_scan(passage, [&](auto&) { ++scan; });
  return scan + (B::traits.votes ? static_cast<std::size_t>(n_classes) : 0) + (B::traits.column ? static_cast<std::size_t>(lanes) : 0);
}

// The passages that earlier lanes have left take the places of fresh ones. Work is the pipeline's chunk of rows.
template <Booster B, class Work>
void read_carry(const Part& part, Work& work) {
  const int before = part.lanes.begin;
  for (int r = 0; r < work.size; ++r) {
    auto& passage = work.passage[static_cast<std::size_t>(r)];
    if (B::traits.column) std::fill_n(passage.column, work.n_lanes, 0.0);
    if (before == 0) continue;
    const double* at = part.in.cell.data() + static_cast<std::size_t>(part.row + r) * part.in.stride;
    visit_scan(passage, [&]<class T>(T& x) { x = static_cast<T>(*at++); });
    if (B::traits.votes) {
      std::copy_n(at, work.n_classes, passage.votes);
      at += work.n_classes;
    }
    if (B::traits.column) std::copy_n(at, before, passage.column);
  }
  if (before > 0 && !work.batch_phase.example.empty()) {
    work.batch_phase.share.assign(part.in.share.begin(), part.in.share.end());
    work.batch_phase.stopped = part.in.stopped;
  }
}

template <Booster B, class Work>
void write_carry(Part& part, Work& work) {
  part.row += work.size;
  if (part.last) return;
  Carry& out = part.out;
  out.stride = carry_stride<B>(part.lanes.end, static_cast<int>(work.n_classes));
  for (int r = 0; r < work.size; ++r) {
    auto& passage = work.passage[static_cast<std::size_t>(r)];
    visit_scan(passage, [&](auto& x) { out.cell.push_back(static_cast<double>(x)); });
    if (B::traits.votes) out.cell.insert(out.cell.end(), passage.votes, passage.votes + work.n_classes);
    if (B::traits.column) out.cell.insert(out.cell.end(), passage.column, passage.column + part.lanes.end);
  }
  if (!work.batch_phase.example.empty()) {
    out.phase = true;
    out.stopped = work.batch_phase.stopped;
    out.share.assign(work.batch_phase.share.begin(), work.batch_phase.share.end());
  }
}

// A number from outside as a member of a passage.
template <class T>
void check_member(double x) {
  if constexpr (std::is_same_v<T, double>)
    require_carry(!std::isnan(x), "a number is missing");
  else if constexpr (std::is_same_v<T, bool>)
    require_carry(x == 0 || x == 1, "a flag is neither 0 nor 1");
  else
    require_carry(std::fabs(x) < 2147483648.0 && x == std::floor(x), "a whole number is out of range");
}

// Of votes and answers: targets and weights are smaller by far, and squares of such sums are still finite.
inline constexpr double largest_carried = 1e120;

// Whatever comes from another process is looked at before anything is touched. The chunk begins with example `number`.
template <Booster B>
void check_carry(const B& booster, const Part& part, const Carry& carry, std::int64_t number, std::int64_t n_learning) {
  const int lanes = part.lanes.begin, k = std::max(carry.n_classes, 2);
  if (lanes == 0) return;
  require_carry(carry.lanes == lanes, "it has passed other lanes");
  require_carry(carry.n_rows == 0 || carry.stride == carry_stride<B>(lanes, k), "its rows are not this model's");
  for (int r = 0; r < carry.n_rows; ++r) {
    const double* at = carry.cell.data() + static_cast<std::size_t>(r) * carry.stride;
    const double* end = at + carry.stride;
    typename B::Passage passage;
    visit_scan(passage, [&]<class T>(T& x) {
      check_member<T>(*at);
      if constexpr (std::is_same_v<T, double>)
        require_carry(std::fabs(*at) <= largest_carried || (!B::traits.numbers && std::isinf(*at)), "a sum is out of range");
      x = static_cast<T>(*at++);
    });
    require_carry(passage.sound(lanes, k), "a number is out of range");
    for (; at < end; ++at) require_carry(std::fabs(*at) <= largest_carried, "a vote or an answer is out of range");
    if constexpr (B::traits.column_labels.has_value())
      for (const double* x = end - lanes; x < end; ++x) {
        check_member<int>(*x);
        require_carry(*x >= *B::traits.column_labels && *x < k, "a class code is out of range");
      }
  }
  require_carry(carry.worst_lane >= -1 && carry.worst_lane < lanes && !std::isnan(carry.worst_error), "the worst lane");
  bool phase = false;
  if constexpr (B::traits.keeps_rows)
    for (std::int64_t due = number; due < number + n_learning; ++due)
      if (booster.batch_phase_due(due)) {
        phase = true;
        require_carry(static_cast<std::int64_t>(carry.share.size()) == (B::traits.shares_rows ? due + 1 : 0), "rows of the batch phase");
        for (double share : carry.share) require_carry(std::isfinite(share) && share >= 0, "a share of the batch phase");
      }
  require_carry(carry.phase == phase && (phase || carry.share.empty()), "the batch phase");
}

}  // namespace streamboost
