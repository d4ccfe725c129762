#pragma once

#include <zstd.h>

#include <string>
#include <string_view>
#include <vector>

#include "store/object.h"
#include "store/sha256.h"

namespace spoor::store::sample {

/// An archive of format 3, taken apart with none of the code under test.
struct ArchiveText {
  std::string head;                 ///< without its first line
  std::vector<std::string> pieces;  ///< the parts and the last line, as they are in the archive
  std::vector<std::string> texts;   ///< of the parts, unpacked
};

inline ArchiveText take_apart(std::string_view bytes) {
  ArchiveText apart;
  bytes.remove_prefix(bytes.find('\n') + 1);
  while (!bytes.empty()) {
    const std::string line(bytes.substr(0, bytes.find('\n') + 1));
    if (line.starts_with("part ")) {
      const std::size_t size = std::stoull(line.substr(5));
      const std::string_view frame = bytes.substr(line.size(), size);
      std::string text(ZSTD_getFrameContentSize(frame.data(), frame.size()), '\0');
      ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
      apart.texts.push_back(text);
      apart.pieces.emplace_back(bytes.substr(0, line.size() + size + 1));
      bytes.remove_prefix(line.size() + size + 1);
      continue;
    }
    if (line.starts_with("end ")) {
      apart.pieces.push_back(line);
    } else {
      apart.head += line;
    }
    bytes.remove_prefix(line.size());
  }
  return apart;
}

/// Returns the same archive as an earlier spoor wrote it: in one stream, with a hash of its lines.
inline std::string in_earlier_format(std::string_view bytes, int format) {
  const ArchiveText apart = take_apart(bytes);
  std::string out;
  Oid hash;
  const auto add = [&](std::string_view line) {
    hash = sha256(hash.view(), line);
    out += line;
  };
  add("spoor archive " + std::to_string(format) + "\n");
  for (std::size_t at = 0; at < apart.head.size(); at = apart.head.find('\n', at) + 1) {
    add(apart.head.substr(at, apart.head.find('\n', at) + 1 - at));
  }
  for (const std::string& text : apart.texts) {
    for (std::size_t at = 0; at < text.size();) {
      const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
      const std::size_t size = std::stoull(line.substr(line.find(' ', 7) + 1));
      add(line);
      out += text.substr(at + line.size(), size + 1);
      at += line.size() + size + 1;
    }
  }
  return out + "end " + hash.hex() + "\n";
}

}  // namespace spoor::store::sample
