#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llm/provider.h"
#include "tests/llm/http/talk.h"

namespace spoor::testing {

/// What a provider on a stage does with each call.
enum class Scene {
  whole,    ///< says all of the talk
  refused,  ///< refuses, as too many requests
  broken,   ///< is cut off after the first half of its stream
  stuck,    ///< says the first half of its stream, and then nothing until the call is stopped
};

/// A provider that plays a scene, and all it stands on.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual llm::Provider& provider() = 0;
};

/// A kind of provider, to be held to the contract of llm::Provider.
struct Subject {
  std::string name;
  llm::Wire wire;
  bool streams;
  std::unique_ptr<Stage> (*make)(const Subject&, Scene, const Talk&);
};

/// A scripted provider, and for each wire one over recorded exchanges and one over a real server,
/// streaming and not.
std::vector<Subject> all_subjects();

}  // namespace spoor::testing
