// Bytes with a kind, a version and a checksum, little endian: what travels between processes, or waits in a store.
//
// Every size is compared with what is there before it is used: bad bytes are an error, never a crash.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace streamboost {

using Bytes = std::span<const unsigned char>;

static_assert(std::endian::native == std::endian::little, "messages are little endian");

constexpr std::int64_t message_version = 1;
constexpr std::int64_t most_of_any = std::int64_t{1} << 40;  // of any count: products of two stay within 64 bits where they are checked
constexpr std::size_t message_head = 24;                     // kind, version, checksum

// Eight bytes at a time; the ends of messages are multiples of eight. Four strands, so that no step waits for the one before: every word
// has a place of its own in one of them, and they are joined in order.
inline std::uint64_t checksum(Bytes bytes) {
  constexpr std::uint64_t factor = 0xd6e8feb86659fd93u;
  const auto stir = [](std::uint64_t& sum, std::uint64_t word) {
    sum = (sum ^ word) * factor;
    sum ^= sum >> 32;
  };
  const auto word_at = [&](std::size_t i) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    return word;
  };
  std::uint64_t sum = 0x9e3779b97f4a7c15u ^ bytes.size();
  std::size_t i = 0;
  std::uint64_t strand[] = {sum, sum + 1, sum + 2, sum + 3};
  for (; i + 32 <= bytes.size(); i += 32)
    for (std::size_t s = 0; s < 4; ++s) stir(strand[s], word_at(i + 8 * s));
  for (std::uint64_t s : strand) stir(sum, s);
  for (; i + 8 <= bytes.size(); i += 8) stir(sum, word_at(i));
  return sum;
}

constexpr std::size_t padded_to_words(std::size_t n) { return n + (8 - n % 8) % 8; }

// What a message consists of, whoever takes it.
template <class Self>
class MessageParts {
 public:
  void whole(std::int64_t x) { self().add(&x, 8); }
  void real(double x) { self().add(&x, 8); }
  void text(std::string_view s) {
    whole(static_cast<std::int64_t>(s.size()));
    self().add(s.data(), s.size());
  }
  template <class T>
  void array(const T* p, std::size_t n) {
    if (n > 0) self().add(p, n * sizeof(T));
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

inline void write_message_head(unsigned char* place, std::size_t size, const char* kind) {
  std::memset(place, 0, 8);
  std::memcpy(place, kind, std::min<std::size_t>(std::strlen(kind), 8));
  std::memcpy(place + 8, &message_version, 8);
  const std::uint64_t sum = checksum({place + message_head, size - message_head});
  std::memcpy(place + 16, &sum, 8);
}

class MessageWriter : public MessageParts<MessageWriter> {
 public:
  explicit MessageWriter(const char* kind) : kind_(kind), out_(message_head, '\0') {}
  void expect(std::size_t bytes) { out_.reserve(out_.size() + bytes); }  // large messages are not to be copied while they grow
  void add(const void* p, std::size_t n) {
    out_.append(static_cast<const char*>(p), n);
    out_.append(padded_to_words(n) - n, '\0');
  }
  std::string finish() {
    write_message_head(reinterpret_cast<unsigned char*>(out_.data()), out_.size(), kind_);
    return std::move(out_);
  }

 private:
  const char* kind_;
  std::string out_;
};

// Large messages are measured first and then written where they are wanted.
class MessageSize : public MessageParts<MessageSize> {
 public:
  std::size_t bytes = message_head;
  void add(const void*, std::size_t n) { bytes += padded_to_words(n); }
};
class MessageInPlace : public MessageParts<MessageInPlace> {
 public:
  explicit MessageInPlace(unsigned char* place) : begin_(place), at_(place + message_head) {}
  void add(const void* p, std::size_t n) {
    std::memcpy(at_, p, n);
    std::memset(at_ + n, 0, padded_to_words(n) - n);
    at_ += padded_to_words(n);
  }
  void finish(const char* kind) { write_message_head(begin_, static_cast<std::size_t>(at_ - begin_), kind); }

 private:
  unsigned char *begin_, *at_;
};

class MessageReader {
 public:
  MessageReader(Bytes bytes, const char* kind) : bytes_(bytes), kind_(kind) {
    require(bytes.size() >= message_head && bytes.size() % 8 == 0, "is cut short");
    char name[8] = {};
    std::memcpy(name, kind, std::min<std::size_t>(std::strlen(kind), 8));
    require(std::memcmp(bytes.data(), name, 8) == 0, "is something else");
    std::int64_t found;
    std::memcpy(&found, bytes.data() + 8, 8);
    if (found != message_version)
      throw std::invalid_argument("this " + kind_ + " has version " + std::to_string(found) + ", known is " +
                                  std::to_string(message_version) + ": all processes need the same streamboost");
    std::uint64_t sum;
    std::memcpy(&sum, bytes.data() + 16, 8);
    require(sum == checksum(bytes.subspan(message_head)), "has the wrong checksum");
    at_ = message_head;
  }
  void require(bool holds, const char* what) const {
    if (!holds) throw std::invalid_argument("this " + kind_ + " " + what);
  }
  std::int64_t whole(std::int64_t low = 0, std::int64_t high = most_of_any) {
    std::int64_t x;
    std::memcpy(&x, take(8), 8);
    require(x >= low && x <= high, "holds a number out of range");
    return x;
  }
  int count(std::int64_t low = 0) { return static_cast<int>(whole(low, std::numeric_limits<std::int32_t>::max())); }
  bool flag() { return whole(0, 1) == 1; }
  double real() {
    double x;
    std::memcpy(&x, take(8), 8);
    return x;
  }
  std::string text(std::int64_t longest = 64) { return std::string(text_here(longest)); }
  std::string_view text_here(std::int64_t longest) {
    const auto n = static_cast<std::size_t>(whole(0, longest));
    return {reinterpret_cast<const char*>(take(n)), n};
  }
  // In place: the bytes outlive the message.
  template <class T>
  const T* array(std::int64_t n) {
    require(n >= 0 && n <= static_cast<std::int64_t>((bytes_.size() - at_) / sizeof(T)), "is cut short");
    return reinterpret_cast<const T*>(take(static_cast<std::size_t>(n) * sizeof(T)));
  }
  bool done() const { return at_ == bytes_.size(); }
  void finish() const { require(at_ == bytes_.size(), "goes on after its end"); }

 private:
  const unsigned char* take(std::size_t n) {
    const std::size_t padded = padded_to_words(n);
    require(padded <= bytes_.size() - at_, "is cut short");
    const unsigned char* p = bytes_.data() + at_;
    at_ += padded;
    return p;
  }
  Bytes bytes_;
  std::string kind_;
  std::size_t at_ = 0;
};

// Messages are read in place, as numbers of eight bytes.
struct Aligned {
  std::vector<std::uint64_t> copy;
  Bytes bytes;
  explicit Aligned(Bytes b) : bytes(b) {
    if (reinterpret_cast<std::uintptr_t>(b.data()) % 8 == 0) return;
    copy.resize(b.size() / 8 + 1);
    std::memcpy(copy.data(), b.data(), b.size());
    bytes = {reinterpret_cast<const unsigned char*>(copy.data()), b.size()};
  }
};

}  // namespace streamboost
