#include "trace/bytes.h"

namespace spoor::trace {

Result<std::vector<Bytes>> bytes_of(const store::Reader& reader,
                                    const std::vector<store::Oid>& oids) {
  using Code = Error::Code;
  const auto is_absence = [](const Error& error) {
    return error.code == Code::not_found || error.code == Code::unavailable;
  };
  auto found = reader.contents(oids);
  if (found || !is_absence(found.error())) return found;
  std::vector<Bytes> all;
  for (const store::Oid& oid : oids) {
    auto one = reader.content(oid);
    if (!one && !is_absence(one.error())) return one.error();
    all.push_back(one ? std::move(one).value() : nullptr);
  }
  return all;
}

}  // namespace spoor::trace
