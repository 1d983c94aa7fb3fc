// UTF-8 as code points, and capital letters as small ones: what the tokenizer sees of a text.
//
// Folding is one code point to one, without a table: ASCII, Latin with accents, Greek, Cyrillic, Armenian and full-width Latin. Other
// scripts either have no capitals or keep them. A byte that is not part of UTF-8 stands for itself.
#pragma once
#include <string_view>

namespace streamboost::words {

// The next code point; `text` is not empty and loses its bytes.
inline char32_t next_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  char32_t point = size == 1 ? first : first & (0xFFu >> (size + 1));
  std::size_t read = 1;
  while (read < size && read < text.size() && (byte(read) & 0xC0) == 0x80) point = point << 6 | (byte(read++) & 0x3F);
  if (read < size) {
    point = first;
    read = 1;
  }
  text.remove_prefix(read);
  return point;
}

inline char32_t fold_case(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (c < 0x80) return in('A', 'Z') ? c + 32 : c;
  if (in(0xC0, 0xDE)) return c == 0xD7 ? c : c + 32;
  if (in(0x100, 0x17F)) {  // pairs, the capital first; it is the odd one in two ranges
    if (c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17F) return c;
    if (c == 0x178) return 0xFF;
    const bool odd = in(0x139, 0x148) || in(0x179, 0x17E);
    return (c & 1) == (odd ? 1 : 0) ? c + 1 : c;
  }
  if (in(0x370, 0x3FF)) {
    if (in(0x391, 0x3AB)) return c + 32;
    if (c == 0x386) return 0x3AC;
    if (in(0x388, 0x38A)) return c + 37;
    if (c == 0x38C) return 0x3CC;
    if (in(0x38E, 0x38F)) return c + 63;
    return c == 0x3C2 ? 0x3C3 : c;  // a sigma at the end of a word
  }
  if (in(0x400, 0x40F)) return c + 80;
  if (in(0x410, 0x42F)) return c + 32;
  if (in(0x460, 0x481) || in(0x48A, 0x4BF) || in(0x4D0, 0x52F) || in(0x1E00, 0x1E95) || in(0x1EA0, 0x1EFF)) return c | 1;
  if (in(0x4C1, 0x4CE)) return c & 1 ? c + 1 : c;
  if (in(0x531, 0x556)) return c + 48;
  if (in(0xFF21, 0xFF3A)) return c + 32;
  return c;
}

inline bool is_space(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

// Letters, digits and the underscore; beyond ASCII all that is neither space nor in a block of punctuation.
inline bool is_word(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  if (is_space(c) || (c >= 0xA1 && c <= 0xBF)) return c == 0xAA || c == 0xB5 || c == 0xBA;
  return !(c == 0xD7 || c == 0xF7 || (c >= 0x2010 && c <= 0x206F) || (c >= 0x20A0 && c <= 0x2BFF) || (c >= 0x3001 && c <= 0x303F) ||
           (c >= 0xFE10 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20));
}

// Scripts that are written without spaces: Han, Hiragana, and Thai, Lao, Burmese and Khmer. Each character is a word, and a pair is two of them.
inline bool stands_alone(char32_t c) {
  if (c < 0xE00) return false;
  return c <= 0xEFF || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3041 && c <= 0x309F) ||
         (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace streamboost::words
