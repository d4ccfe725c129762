#include "llm/render/writers.h"

namespace spoor::llm::render {

Result<void> DialogueWriter::write_all() {
  for (const Utterance& said : job_.dialogue.utterances) {
    switch (said.side) {
      case Utterance::Side::system:
      case Utterance::Side::developer:
        add_system(said, said.side == Utterance::Side::developer);
        break;
      case Utterance::Side::user:
        TRY(add_user(said));
        break;
      case Utterance::Side::assistant:
        add_answer(said);
        break;
      case Utterance::Side::results:
        for (const CallResult& result : said.results) TRY(add_result(result));
        break;
    }
  }
  return {};
}

}  // namespace spoor::llm::render
