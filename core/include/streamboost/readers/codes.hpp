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

  // Eight bytes a step, the last ones by loads of a fixed size that may overlap; both halves of each product count.
  static std::uint64_t hash_of(std::string_view text) {
    constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio
    const auto mix = [](std::uint64_t hash, std::uint64_t word) {
      const auto product = static_cast<unsigned __int128>(hash ^ word) * multiplier;
      return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    const char* p = text.data();
    std::size_t n = text.size();
    std::uint64_t hash = (n + 1) * multiplier;
    for (; n > 8; n -= 8, p += 8) hash = mix(hash, load<std::uint64_t>(p));
    std::uint64_t last = 0;
    if (n >= 4)
      last = load<std::uint32_t>(p) | std::uint64_t{load<std::uint32_t>(p + n - 4)} << 32;
    else if (n > 0)
      last =
          load<unsigned char>(p) | std::uint64_t{load<unsigned char>(p + n / 2)} << 8 | std::uint64_t{load<unsigned char>(p + n - 1)} << 16;
    return mix(hash, last);
  }
  template <class Word>
  static Word load(const char* p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;
};

}  // namespace streamboost::text
