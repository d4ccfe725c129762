#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/oid.h"

namespace spoor::store::postgres {

/// One statement with its parameters, in the binary format of PostgreSQL's types
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html; arrays: src/backend/utils/
/// adt/arrayfuncs.c). `text` must live as long as the program: it is prepared once a connection.
class Statement {
 public:
  explicit Statement(const char* text) : text_(text) {}

  struct Parameter {
    unsigned type = 0;  // Its number in pg_type.
    std::optional<std::string> bytes;
  };

  Statement& add(std::int64_t number);
  Statement& add(const std::optional<std::uint64_t>& number);
  Statement& add(std::string_view bytes);
  Statement& add(const Oid& oid) { return add(oid.view()); }
  Statement& add(const std::optional<Oid>& oid);
  Statement& add(std::span<const Oid> oids);
  Statement& add(const std::vector<std::string_view>& texts);
  Statement& add(const std::vector<std::optional<Oid>>& oids);
  Statement& add(const std::vector<std::int64_t>& numbers);

  const char* text() const { return text_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  const char* text_;
  std::vector<Parameter> parameters_;
};

}  // namespace spoor::store::postgres
