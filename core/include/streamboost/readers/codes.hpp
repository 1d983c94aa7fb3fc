// Texts get codes 0, 1, 2 ... in order of first appearance; the newest ones can be taken back.
//
// A table of open addresses over the hashes. Taking back in reverse order is safe without tombstones: no older text can have
// been placed behind a slot that was still empty when it came.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace streamboost::text {

class TextCodes {
 public:
  std::size_t size() const { return texts_.size(); }
  const std::string& text(std::size_t code) const { return texts_[code]; }

  // The code of a text, or -1.
  std::int64_t find(std::string_view text) const {
    if (texts_.empty()) return -1;
    const std::uint64_t hash = hash_of(text);
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      if (slots_[slot].code < 0) return -1;
      if (slots_[slot].hash == hash && texts_[static_cast<std::size_t>(slots_[slot].code)] == text) return slots_[slot].code;
    }
  }

  // Adds a text that is not there yet.
  std::int64_t add(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    place(hash_of(text), static_cast<std::int64_t>(texts_.size()));
    texts_.emplace_back(text);
    return static_cast<std::int64_t>(texts_.size()) - 1;
  }

  void take_back() {
    const std::uint64_t hash = hash_of(texts_.back());
    const auto code = static_cast<std::int64_t>(texts_.size()) - 1;
    std::size_t slot = hash & mask();
    while (slots_[slot].code != code) slot = (slot + 1) & mask();
    slots_[slot].code = -1;
    texts_.pop_back();
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t code = -1;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void place(std::uint64_t hash, std::int64_t code) {
    std::size_t slot = hash & mask();
    while (slots_[slot].code >= 0) slot = (slot + 1) & mask();
    slots_[slot] = {hash, code};
  }

  void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot{});
    for (std::size_t code = 0; code < texts_.size(); ++code) place(hash_of(texts_[code]), static_cast<std::int64_t>(code));
  }

  // Eight bytes a step; the multiplier is 2^64 over the golden ratio.
  static std::uint64_t hash_of(std::string_view text) {
    constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = text.size() * multiplier;
    while (!text.empty()) {
      std::uint64_t word = 0;
      const std::size_t n = text.size() < 8 ? text.size() : 8;
      std::memcpy(&word, text.data(), n);
      hash = (hash ^ word) * multiplier;
      hash ^= hash >> 32;
      text.remove_prefix(n);
    }
    return hash;
  }

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;
};

}  // namespace streamboost::text
