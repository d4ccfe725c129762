#include "sync/message.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "store/lines.h"

namespace spoor::sync {
namespace {

constexpr std::string_view kBegin = "spoor sync 1 ";
constexpr std::size_t kMaxText = 64U << 20U;

constexpr std::array kCodes = {
    Error::Code::not_found, Error::Code::ambiguous,   Error::Code::conflict,
    Error::Code::corrupt,   Error::Code::invalid,     Error::Code::denied,
    Error::Code::io,        Error::Code::unavailable, Error::Code::interrupted};

Error malformed() {
  return invalid("the other side does not speak this protocol", "check the address");
}

}  // namespace

Result<void> write_message(const ByteSink& sink, const Message& message) {
  return sink(fmt::format("{}{} {}\n{}", kBegin, message.word, message.text.size(), message.text));
}

Result<Message> read_message(LineInput& input) {
  const std::string line = TRY(input.line());
  if (!line.starts_with(kBegin)) {
    if (!line.starts_with("spoor sync ")) return malformed();
    return invalid("the other side has a newer spoor", "install the newer version");
  }
  const std::string_view rest = std::string_view(line).substr(kBegin.size());
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return malformed();
  const auto size = store::parse_integer(rest.substr(space + 1, rest.size() - space - 2));
  if (!size || *size > kMaxText) return malformed();
  Message message{std::string(rest.substr(0, space)), {}};
  message.text = TRY(input.bytes(*size));
  return message;
}

Message answer_of(const Error& error) {
  return {"error", fmt::format("{}\n{}\n{}", name_of(error.code), error.message, error.hint)};
}

Error error_of(const Message& answer) {
  constexpr std::size_t kMost = 4'096;  // Of what is shown.
  const std::string_view text = std::string_view(answer.text).substr(0, kMost);
  const std::size_t first = std::min(text.find('\n'), text.size());
  const std::size_t second = std::min(text.find('\n', first + 1), text.size());
  Error error{Error::Code::unavailable, "the other side failed and gave no reason"};
  for (const Error::Code code : kCodes) {
    if (text.substr(0, first) == name_of(code)) error.code = code;
  }
  if (second > first + 1) error.message = text.substr(first + 1, second - first - 1);
  if (second < text.size()) error.hint = text.substr(second + 1);
  return error;
}

Result<Answer> ask(Link& link, const Message& request,
                   const std::function<Result<void>(const ByteSink&)>& body) {
  Answer answer;
  answer.source =
      std::make_unique<ByteSource>(TRY(link.ask([&](const ByteSink& sink) -> Result<void> {
        TRY(write_message(sink, request));
        return body ? body(sink) : Result<void>();
      })));
  answer.body = std::make_unique<LineInput>(*answer.source);
  answer.message = TRY(read_message(*answer.body));
  if (answer.message.word == "error") return error_of(answer.message);
  if (answer.message.word != "ok") return malformed();
  return answer;
}

}  // namespace spoor::sync
