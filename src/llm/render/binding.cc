#include "llm/render/binding.h"

#include <algorithm>

namespace spoor::llm::render {
namespace {

using compile::Message;
using compile::Oid;
using compile::Part;
using compile::Prompt;
using store::Result;

bool is_same(const Part& a, const Part& b) {
  return a.commit == b.commit && a.content == b.content && a.is_edited == b.is_edited &&
         (a.fields == b.fields || (a.fields && b.fields && *a.fields == *b.fields));
}

bool is_same(const Message& a, const Message& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Part& x, const Part& y) { return is_same(x, y); });
}

// Where the answer that a reasoning led to stands, and its commit.
struct Place {
  std::size_t message = 0;
  const Part* answer = nullptr;  // Null: nowhere.
};

Place place_of(const Prompt& prompt, const Oid& reasoning) {
  for (std::size_t i = 0; i < prompt.messages.size(); ++i) {
    const Message& message = prompt.messages[i];
    for (const auto& thought : message.thoughts) {
      if (thought.part.commit != reasoning) continue;
      return {i, &message.parts.at(std::min(thought.before, message.parts.size() - 1))};
    }
  }
  return {};
}

}  // namespace

Result<void> check_bindings(const compile::Repository& repository, const Prompt& prompt,
                            const compile::CompileOptions& options,
                            std::vector<Treatment>& treatments) {
  for (Treatment& treatment : treatments) {
    if (treatment.kind != Treatment::Kind::replayed) continue;
    const Place place = place_of(prompt, treatment.commit);
    if (place.answer == nullptr) continue;
    const auto answer = TRY(repository.reader().commit(place.answer->commit));
    if (!answer->prompt) continue;
    const store::Bundle sent = TRY(repository.reader().bundle(*answer->prompt));
    const Prompt before = TRY(repository.compile(sent.commit, options));
    const bool is_bound =
        before.messages.size() == place.message &&
        std::equal(before.messages.begin(), before.messages.end(), prompt.messages.begin(),
                   [](const Message& a, const Message& b) { return is_same(a, b); });
    if (is_bound) continue;
    treatment.kind = Treatment::Kind::unbound;
    treatment.why = "what stands before it is not what it was sent with";
  }
  return {};
}

}  // namespace spoor::llm::render
