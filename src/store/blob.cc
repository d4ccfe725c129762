#include "store/blob.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::store {
namespace {

NewObject encode_blob(std::string_view bytes, const Salter& salter) {
  const Salt salt = salter.salt_for(bytes);
  std::string body;
  body.reserve(salt.size() + bytes.size());
  body.append(reinterpret_cast<const char*>(salt.data()), salt.size());
  body.append(bytes);
  return new_object(Kind::blob, std::move(body));
}

}  // namespace

Salt Salter::salt_for(std::string_view bytes) const {
  Salt salt{};
  if (is_private()) {
    const Oid mac = hmac_sha256(key_, sha256(bytes).view());
    std::copy_n(mac.bytes.begin(), salt.size(), salt.begin());
  }
  return salt;
}

Oid Salter::digest_of(std::string_view bytes) const {
  return is_private() ? hmac_sha256(key_, bytes) : sha256(bytes);
}

std::vector<NewObject> encode_content(std::string_view bytes, const Salter& salter) {
  std::vector<NewObject> objects;
  if (bytes.size() <= kMaxBlobContent) {
    objects.push_back(encode_blob(bytes, salter));
    return objects;
  }
  ChunkList list{.size = bytes.size(), .parts = {}};
  for (std::size_t at = 0; at < bytes.size(); at += kChunkPart) {
    objects.push_back(encode_blob(bytes.substr(at, kChunkPart), salter));
    list.parts.push_back(objects.back().oid);
  }
  objects.push_back(new_object(Kind::chunks, serialize(list)));
  return objects;
}

Result<std::string_view> blob_content(std::string_view body) {
  if (body.size() < sizeof(Salt)) {
    return corrupt("a blob is shorter than its salt", "run 'spoor store fsck'");
  }
  if (body.size() > sizeof(Salt) + kMaxBlobContent) {
    return corrupt("a blob is longer than a blob may be", "run 'spoor store fsck'");
  }
  return body.substr(sizeof(Salt));
}

std::string serialize(const ChunkList& list) {
  std::string body;
  append_line(body, "size", list.size);
  for (const Oid& part : list.parts) append_line(body, "part", part);
  return body;
}

Result<ChunkList> parse_chunks(std::string_view body) {
  const Error bad = corrupt("a 'chunks' object is malformed", "run 'spoor store fsck'");
  LineReader lines(body);
  ChunkList list;
  const auto size = lines.take("size");
  const auto number = size ? parse_integer(*size) : std::nullopt;
  if (!number || *number <= kMaxBlobContent) return bad;
  list.size = *number;
  while (const auto part = lines.take("part")) {
    const auto oid = Oid::from_hex(*part);
    if (!oid) return bad;
    list.parts.push_back(*oid);
  }
  if (!lines.finished() || list.parts.size() != (list.size + kChunkPart - 1) / kChunkPart) {
    return bad;
  }
  return list;
}

}  // namespace spoor::store
