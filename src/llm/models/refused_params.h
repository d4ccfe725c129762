#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/failure.h"

namespace spoor::llm {

/// A change that lets a server take a request that it refused.
struct Correction {
  std::string patch;       ///< to the request's parameters, as corrected() reads it
  std::string told;        ///< what is changed, for people
  bool is_lasting = true;  ///< further requests to the model are refused without it, too

  bool operator==(const Correction&) const = default;
};

/// Returns the change to `params` (a JSON object) that answers a refusal of the request itself:
/// without the parameter that the server names, under its new name, or with the largest number that
/// the server allows. Nullopt if the refusal names no parameter that may be left out, as one of the
/// history does not.
std::optional<Correction> correction_for(const Failure& failure, std::string_view params);

/// Applies a patch to an object; both may be empty: null removes a member, an object changes the
/// one of its name, and a number is the most that the member may be. Returns canonical JSON.
/// Code::invalid if one of them is not an object.
Result<std::string> corrected(std::string_view params, std::string_view patch);

/// Returns a patch with the changes of both; `more` wins. Code::invalid if one is not an object.
Result<std::string> joined_patches(std::string_view patch, std::string_view more);

/// The parameters that servers refused, by the model's full name. A port. Calls come from the
/// thread of generate().
class LearnedParams {
 public:
  virtual ~LearnedParams() = default;

  /// Returns the patch for requests to `model` (`provider/model`); empty: none.
  virtual std::string patch_for(const std::string& model) = 0;

  /// Adds to the patch. A memory that cannot be written forgets; the call continues.
  virtual void learn(const std::string& model, const std::string& patch) = 0;

  /// Returns true for a patch to a model's requests the first time: people are told of it once.
  bool is_news(const std::string& model, const std::string& patch) {
    return told_.insert(model + patch).second;
  }

 private:
  std::set<std::string> told_;
};

}  // namespace spoor::llm
