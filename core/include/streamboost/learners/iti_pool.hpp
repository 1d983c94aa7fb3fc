// Where ITI trees keep their tables: entries (column, value, class) -> weight in blocks of 1, 2, 4, ... entries out of flat arrays,
// with one list of free blocks per size, last freed first used. What lies where depends on the order of the examples alone.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "streamboost/data/fields.hpp"
#include "streamboost/learners/iti_score.hpp"

namespace streamboost {

struct ItiBlock {
  std::int32_t at = -1, length = 0, size = -1;  // 2^size entries from `at` on, `length` of them in use; size -1: none
};

struct ItiEntry {
  std::int32_t column, label;
  double value, weight;
  bool before(const ItiEntry& other) const {
    if (column != other.column) return column < other.column;
    if (value != other.value) return value < other.value;
    return label < other.label;
  }
  bool same_key(const ItiEntry& other) const { return column == other.column && value == other.value && label == other.label; }
};

class ItiPool {
 public:
  std::vector<std::int32_t> column, label;
  std::vector<double> value, weight;
  std::vector<std::int32_t> free = std::vector<std::int32_t>(n_sizes, 0);  // first free block of each size, plus 1; its column links on

  ItiTable table(const ItiBlock& b) const {
    const auto at = static_cast<std::size_t>(std::max(b.at, 0));
    return {column.data() + at, label.data() + at, value.data() + at, weight.data() + at, static_cast<std::size_t>(b.length)};
  }
  ItiEntry entry(std::size_t e) const { return {column[e], label[e], value[e], weight[e]}; }

  void store(ItiBlock& block, const std::vector<ItiEntry>& entries) {
    release(block);
    block = take(entries.size());
    for (std::size_t e = 0; e < entries.size(); ++e) put(static_cast<std::size_t>(block.at) + e, entries[e]);
  }

  void release(ItiBlock& block) {
    if (block.size >= 0) {
      column[static_cast<std::size_t>(block.at)] = free[static_cast<std::size_t>(block.size)];
      free[static_cast<std::size_t>(block.size)] = block.at + 1;
    }
    block = {};
  }

  // Nothing but one block of class counts, which are all 0; `expect` has made room for it.
  ItiBlock start_again(std::size_t n_classes) {
    resize(0);
    std::fill(free.begin(), free.end(), 0);
    return n_classes == 0 ? ItiBlock() : take(n_classes);
  }
  void expect(std::size_t n_classes) {
    for (auto* ints : {&column, &label}) ints->reserve(std::bit_ceil(n_classes));
    for (auto* doubles : {&value, &weight}) doubles->reserve(std::bit_ceil(n_classes));
  }

  // The same tables without the blocks that are free; `blocks` are all that are in use, and get their new places.
  void compact(const std::vector<ItiBlock*>& blocks) {
    ItiPool now;
    std::size_t n = 0;
    for (const ItiBlock* b : blocks) n += b->size < 0 ? 0 : std::size_t{1} << b->size;
    for (auto* ints : {&now.column, &now.label}) ints->reserve(n);
    for (auto* doubles : {&now.value, &now.weight}) doubles->reserve(n);
    for (ItiBlock* b : blocks) {
      if (b->size < 0) continue;
      const ItiBlock old = *b;
      *b = now.take(static_cast<std::size_t>(old.length));
      for (std::int32_t e = 0; e < old.length; ++e)
        now.put(static_cast<std::size_t>(b->at + e), entry(static_cast<std::size_t>(old.at + e)));
    }
    *this = std::move(now);
  }

  // Adds sorted entries to a sorted block; `places` is scratch.
  void add(ItiBlock& block, const std::vector<ItiEntry>& entries, std::vector<std::size_t>& places) {
    const auto at = static_cast<std::size_t>(std::max(block.at, 0)), length = static_cast<std::size_t>(block.length);
    places.clear();
    std::size_t e = 0, fresh = 0;
    for (const ItiEntry& added : entries) {
      e = lower_bound(at, e, length, added);
      const bool known = e < length && entry(at + e).same_key(added);
      if (known) weight[at + e] += added.weight;
      places.push_back(known ? none : e);
      fresh += !known;
    }
    if (fresh == 0) return;
    if (block.size < 0 || length + fresh > (std::size_t{1} << block.size)) move(block, length + fresh);
    const auto to = static_cast<std::size_t>(block.at);
    block.length = static_cast<std::int32_t>(length + fresh);
    std::size_t end = length;  // entries from here on have their final places
    for (std::size_t i = entries.size(); i-- > 0;) {
      if (places[i] == none) continue;
      for (std::size_t from = end; from-- > places[i];) put(to + from + fresh, entry(to + from));
      --fresh;
      put(to + places[i] + fresh, entries[i]);
      end = places[i];
    }
  }

  // After loading: blocks in use and free blocks must tile the arrays.
  void check(std::vector<ItiBlock> blocks) const {
    const std::size_t n = column.size();
    require(label.size() == n && value.size() == n && weight.size() == n && free.size() == n_sizes, "tables of a tree");
    require(n < largest, "size of a tree");
    for (std::size_t size = 0; size < n_sizes; ++size)
      for (std::int32_t link = free[size]; link != 0; link = column[static_cast<std::size_t>(link) - 1]) {
        require(link > 0 && static_cast<std::size_t>(link) <= n && blocks.size() <= n, "free table of a tree");
        blocks.push_back({link - 1, 0, static_cast<std::int32_t>(size)});
      }
    std::sort(blocks.begin(), blocks.end(), [](const ItiBlock& a, const ItiBlock& b) { return a.at < b.at; });
    std::size_t end = 0;
    for (const ItiBlock& b : blocks) {
      require(b.at >= 0 && b.size >= 0 && b.size < static_cast<std::int32_t>(n_sizes) && static_cast<std::size_t>(b.at) == end &&
                  b.length >= 0 && static_cast<std::size_t>(b.length) <= (std::size_t{1} << b.size),
              "tables of a tree overlap");
      end += std::size_t{1} << b.size;
    }
    require(end == n, "tables of a tree");
  }

  void put(std::size_t to, const ItiEntry& e) {
    column[to] = e.column;
    label[to] = e.label;
    value[to] = e.value;
    weight[to] = e.weight;
  }

 private:
  static constexpr std::size_t n_sizes = 31, none = static_cast<std::size_t>(-1), largest = std::size_t{1} << 31;

  std::size_t lower_bound(std::size_t at, std::size_t from, std::size_t length, const ItiEntry& key) const {
    std::size_t end = length;
    while (from < end) {
      const std::size_t middle = from + (end - from) / 2;
      if (entry(at + middle).before(key))
        from = middle + 1;
      else
        end = middle;
    }
    return from;
  }

  ItiBlock take(std::size_t length) {
    ItiBlock block;
    block.length = static_cast<std::int32_t>(length);
    block.size = static_cast<std::int32_t>(std::bit_width(std::max<std::size_t>(length, 1) - 1));
    auto& head = free[static_cast<std::size_t>(block.size)];
    if (head > 0) {
      block.at = head - 1;
      head = column[static_cast<std::size_t>(block.at)];
      return block;
    }
    const std::size_t end = column.size() + (std::size_t{1} << block.size);
    if (end >= largest) throw std::length_error("an IncrementalTree has outgrown its arrays of 2^31 entries");
    block.at = static_cast<std::int32_t>(column.size());
    resize(end);
    return block;
  }

  void resize(std::size_t end) {
    column.resize(end);
    label.resize(end);
    value.resize(end);
    weight.resize(end);
  }

  void move(ItiBlock& block, std::size_t length) {
    const ItiBlock old = block;
    block = take(length);
    for (std::int32_t e = 0; e < old.length; ++e) put(static_cast<std::size_t>(block.at + e), entry(static_cast<std::size_t>(old.at + e)));
    ItiBlock freed = old;
    release(freed);
  }
};

}  // namespace streamboost
