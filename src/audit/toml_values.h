#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A large header: this one is for .cc files alone.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

#include "store/result.h"

namespace spoor::audit {

/// What a person writes in a file of rules, read by its types. Whatever is wrong is Code::invalid,
/// with the file, the line, and where to read on.
class TomlValues {
 public:
  TomlValues(std::string_view file_name, std::string_view hint) : file_(file_name), hint_(hint) {}

  /// A whole file, of at most `most` bytes.
  store::Result<toml::table> parse(std::string_view text, std::size_t most) const;

  store::Error wrong(const toml::node& node, std::string_view problem) const;
  store::Error unknown(const toml::node& node, std::string_view name) const;

  store::Result<bool> truth(const toml::node& node, std::string_view name) const;
  store::Result<std::int64_t> whole(const toml::node& node, std::string_view name,
                                    std::int64_t least, std::int64_t most) const;
  store::Result<std::string> text(const toml::node& node, std::string_view name) const;
  /// A list of texts, none of them empty.
  store::Result<std::vector<std::string>> texts(const toml::node& node,
                                                std::string_view name) const;

 private:
  const std::string_view file_;
  const std::string_view hint_;
};

}  // namespace spoor::audit
