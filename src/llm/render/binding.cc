#include "llm/render/binding.h"

#include <algorithm>

namespace spoor::llm::render {
namespace {

using compile::Message;
using compile::Oid;
using compile::Part;
using compile::Prompt;

bool is_same(const Part& a, const Part& b) {
  return a.commit == b.commit && a.content == b.content && a.is_edited == b.is_edited &&
         (a.fields == b.fields || (a.fields && b.fields && *a.fields == *b.fields));
}

bool is_same(const Message& a, const Message& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Part& x, const Part& y) { return is_same(x, y); });
}

// Returns the prompt that was sent for an answer; nullopt if it is not recorded.
Result<std::optional<Prompt>> prompt_before(const graph::Repository& repository,
                                            const Oid& answer) {
  const auto commit = TRY(repository.reader().commit(answer));
  if (!commit->prompt) return std::optional<Prompt>();
  const store::Bundle sent = TRY(repository.reader().bundle(*commit->prompt));
  Recipe recipe;
  if (sent.options) {
    const auto text = TRY(repository.reader().content(*sent.options));
    TRY(read_options(*text, repository.counter().name(), recipe));
  }
  return std::optional(TRY(repository.compile(sent.commit, recipe.options)));
}

bool is_absence(const Error& error) {
  return error.code == Error::Code::not_found || error.code == Error::Code::unavailable;
}

}  // namespace

Result<void> check_bindings(const graph::Repository& repository, const Prompt& prompt,
                            const std::vector<Dialogue::Lead>& leads,
                            std::vector<Treatment>& treatments) {
  for (Treatment& treatment : treatments) {
    if (treatment.kind != Treatment::Kind::replayed) continue;
    const auto lead = std::find_if(leads.begin(), leads.end(), [&](const Dialogue::Lead& one) {
      return one.reasoning == treatment.commit;
    });
    if (lead == leads.end()) continue;
    const auto before = prompt_before(repository, lead->answer);
    if (!before && !is_absence(before.error())) return before.error();
    if (!before) treatment.why = "the prompt it was sent with is not available";
    if (!before || !before.value()) continue;
    const auto& sent = before.value()->messages;
    const bool is_bound =
        sent.size() == lead->message &&
        std::equal(sent.begin(), sent.end(), prompt.messages.begin(),
                   [](const Message& a, const Message& b) { return is_same(a, b); });
    if (is_bound) continue;
    treatment.kind = Treatment::Kind::unbound;
    treatment.why = "the turns before it are not those it was sent with";
  }
  return {};
}

}  // namespace spoor::llm::render
