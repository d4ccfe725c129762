#include "receive/protobuf.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/base64.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/otel/dialect.h"

namespace spoor::receive {
namespace {

using protozero::pbf_reader;

// How a field is on the wire, and how it is written.
enum class Kind : std::uint8_t {
  text,
  hex,
  base64,
  word,
  flag,
  number,
  fixed32,
  fixed64,
  real,
  message
};

struct Message;
struct Field {
  std::uint32_t number;
  std::string_view name;
  Kind kind;
  const Message* message = nullptr;
  bool is_list = false;
};
struct Message {
  std::span<const Field> fields;
  bool (*is_kept)(std::string_view bytes) = nullptr;  // Null: always.
};

bool has_own_attribute(std::string_view span);
bool is_own_scope(std::string_view scope);

extern const Message kValue;

constexpr Field kPairFields[] = {{1, "key", Kind::text}, {2, "value", Kind::message, &kValue}};
constexpr Message kPair = {kPairFields};
constexpr Field kArrayFields[] = {{1, "values", Kind::message, &kValue, true}};
constexpr Message kArray = {kArrayFields};
constexpr Field kPairsFields[] = {{1, "values", Kind::message, &kPair, true}};
constexpr Message kPairs = {kPairsFields};
constexpr Field kValueFields[] = {{1, "stringValue", Kind::text},
                                  {2, "boolValue", Kind::flag},
                                  {3, "intValue", Kind::number},
                                  {4, "doubleValue", Kind::real},
                                  {5, "arrayValue", Kind::message, &kArray},
                                  {6, "kvlistValue", Kind::message, &kPairs},
                                  {7, "bytesValue", Kind::base64}};
constexpr Message kValue = {kValueFields};

constexpr Field kResourceFields[] = {{1, "attributes", Kind::message, &kPair, true},
                                     {2, "droppedAttributesCount", Kind::word}};
constexpr Message kResource = {kResourceFields};
constexpr Field kScopeFields[] = {{1, "name", Kind::text},
                                  {2, "version", Kind::text},
                                  {3, "attributes", Kind::message, &kPair, true},
                                  {4, "droppedAttributesCount", Kind::word}};
constexpr Message kScope = {kScopeFields};

constexpr Field kEventFields[] = {{1, "timeUnixNano", Kind::fixed64},
                                  {2, "name", Kind::text},
                                  {3, "attributes", Kind::message, &kPair, true},
                                  {4, "droppedAttributesCount", Kind::word}};
constexpr Message kEvent = {kEventFields};
constexpr Field kLinkFields[] = {{1, "traceId", Kind::hex},
                                 {2, "spanId", Kind::hex},
                                 {3, "traceState", Kind::text},
                                 {4, "attributes", Kind::message, &kPair, true},
                                 {5, "droppedAttributesCount", Kind::word},
                                 {6, "flags", Kind::fixed32}};
constexpr Message kLink = {kLinkFields};
constexpr Field kStatusFields[] = {{2, "message", Kind::text}, {3, "code", Kind::word}};
constexpr Message kStatus = {kStatusFields};
constexpr Field kSpanFields[] = {{1, "traceId", Kind::hex},
                                 {2, "spanId", Kind::hex},
                                 {3, "traceState", Kind::text},
                                 {4, "parentSpanId", Kind::hex},
                                 {5, "name", Kind::text},
                                 {6, "kind", Kind::word},
                                 {7, "startTimeUnixNano", Kind::fixed64},
                                 {8, "endTimeUnixNano", Kind::fixed64},
                                 {9, "attributes", Kind::message, &kPair, true},
                                 {10, "droppedAttributesCount", Kind::word},
                                 {11, "events", Kind::message, &kEvent, true},
                                 {12, "droppedEventsCount", Kind::word},
                                 {13, "links", Kind::message, &kLink, true},
                                 {14, "droppedLinksCount", Kind::word},
                                 {15, "status", Kind::message, &kStatus},
                                 {16, "flags", Kind::fixed32}};
constexpr Message kSpan = {kSpanFields, has_own_attribute};
constexpr Field kScopeSpansFields[] = {{1, "scope", Kind::message, &kScope},
                                       {2, "spans", Kind::message, &kSpan, true},
                                       {3, "schemaUrl", Kind::text}};
constexpr Message kScopeSpans = {kScopeSpansFields, is_own_scope};
constexpr Field kResourceSpansFields[] = {{1, "resource", Kind::message, &kResource},
                                          {2, "scopeSpans", Kind::message, &kScopeSpans, true},
                                          {3, "schemaUrl", Kind::text}};
constexpr Message kResourceSpans = {kResourceSpansFields};
constexpr Field kTracesFields[] = {{1, "resourceSpans", Kind::message, &kResourceSpans, true}};
constexpr Message kTraces = {kTracesFields};

constexpr Field kRecordFields[] = {{1, "timeUnixNano", Kind::fixed64},
                                   {2, "severityNumber", Kind::word},
                                   {3, "severityText", Kind::text},
                                   {5, "body", Kind::message, &kValue},
                                   {6, "attributes", Kind::message, &kPair, true},
                                   {7, "droppedAttributesCount", Kind::word},
                                   {8, "flags", Kind::fixed32},
                                   {9, "traceId", Kind::hex},
                                   {10, "spanId", Kind::hex},
                                   {11, "observedTimeUnixNano", Kind::fixed64},
                                   {12, "eventName", Kind::text}};
constexpr Message kRecord = {kRecordFields};
constexpr Field kScopeLogsFields[] = {{1, "scope", Kind::message, &kScope},
                                      {2, "logRecords", Kind::message, &kRecord, true},
                                      {3, "schemaUrl", Kind::text}};
constexpr Message kScopeLogs = {kScopeLogsFields};
constexpr Field kResourceLogsFields[] = {{1, "resource", Kind::message, &kResource},
                                         {2, "scopeLogs", Kind::message, &kScopeLogs, true},
                                         {3, "schemaUrl", Kind::text}};
constexpr Message kResourceLogs = {kResourceLogsFields};
constexpr Field kLogsFields[] = {{1, "resourceLogs", Kind::message, &kResourceLogs, true}};
constexpr Message kLogs = {kLogsFields};

std::string_view text_of(const protozero::data_view& view) { return {view.data(), view.size()}; }

pbf_reader reader_of(std::string_view bytes) { return pbf_reader(bytes.data(), bytes.size()); }

// Returns the bytes of field `number` in a message; the last if there are several.
std::string_view bytes_in(std::string_view message, std::uint32_t number) {
  std::string_view found;
  pbf_reader reader = reader_of(message);
  while (reader.next()) {
    const bool is_it =
        reader.tag() == number && reader.wire_type() == protozero::pbf_wire_type::length_delimited;
    is_it ? void(found = text_of(reader.get_view())) : reader.skip();
  }
  return found;
}

bool has_own_attribute(std::string_view span) {
  pbf_reader reader = reader_of(span);
  while (reader.next(9, protozero::pbf_wire_type::length_delimited)) {
    if (llm::otel::is_own_attribute(bytes_in(text_of(reader.get_view()), 1))) return true;
  }
  return false;
}

bool is_own_scope(std::string_view scope) {
  return !llm::otel::is_internal_scope(bytes_in(bytes_in(scope, 1), 1));
}

// Empty messages, and bytes that JSON escapes, become many times what they were.
struct TooMuch final : std::exception {
  const char* what() const noexcept override { return "it has too many parts"; }
};

class Translator {
 public:
  std::string run(const Message& message, std::string_view bytes) {
    write(message, bytes, 0);
    return std::move(out_);
  }

 private:
  static constexpr int kMostDepth = 100;  // As protobuf's own readers.
  static constexpr std::size_t kMostParts = 1U << 20U;
  static constexpr std::size_t kMostText = 256U << 20U;

  // A field as it came.
  struct Part {
    const Field* field;
    std::string_view bytes;    // Those of a length-delimited field.
    std::uint64_t number = 0;  // Of any other.
  };

  void write(const Message& message, std::string_view bytes, int depth) {
    if (depth == kMostDepth) throw protozero::invalid_length_exception();
    // The parts of all open messages are on one stack.
    const std::size_t begin = parts_.size();
    read(message, bytes);
    const auto by_number = [](const Part& a, const Part& b) {
      return a.field->number < b.field->number;
    };
    const auto first = parts_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (!std::is_sorted(first, parts_.end(), by_number)) {
      std::stable_sort(first, parts_.end(), by_number);
    }
    const std::size_t end = parts_.size();
    if (out_.size() > kMostText) throw TooMuch();
    out_ += '{';
    bool is_first = true;
    for (std::size_t i = begin; i < end; ++i) {
      const Field* field = parts_[i].field;
      const bool goes_on = i + 1 < end && parts_[i + 1].field == field;
      if (goes_on && !field->is_list) continue;  // The last one counts.
      if (!is_first) out_ += ',';
      is_first = false;
      out_.append("\"").append(field->name).append("\":");
      if (!field->is_list) {
        write_value(parts_[i], depth);
        continue;
      }
      out_ += '[';
      for (bool is_head = true; i < end && parts_[i].field == field; ++i, is_head = false) {
        if (!is_head) out_ += ',';
        write_value(parts_[i], depth);
      }
      --i;
      out_ += ']';
    }
    out_ += '}';
    parts_.resize(begin, Part{});
  }

  void read(const Message& message, std::string_view bytes) {
    pbf_reader reader = reader_of(bytes);
    while (reader.next()) {
      const auto field =
          std::find_if(message.fields.begin(), message.fields.end(),
                       [&](const Field& each) { return each.number == reader.tag(); });
      if (field == message.fields.end()) {
        reader.skip();
        continue;
      }
      Part part{&*field, {}};
      if (reader.wire_type() != wire_type_of(field->kind))
        throw protozero::unknown_pbf_wire_type_exception();
      switch (reader.wire_type()) {
        case protozero::pbf_wire_type::varint:
          part.number = reader.get_uint64();
          break;
        case protozero::pbf_wire_type::fixed64:
          part.number = reader.get_fixed64();
          break;
        case protozero::pbf_wire_type::fixed32:
          part.number = reader.get_fixed32();
          break;
        default:
          part.bytes = text_of(reader.get_view());
      }
      const auto* inner = field->message;
      if (inner == nullptr || inner->is_kept == nullptr || inner->is_kept(part.bytes)) {
        if (parts_.size() == kMostParts) throw TooMuch();
        parts_.push_back(part);
      }
    }
  }

  static protozero::pbf_wire_type wire_type_of(Kind kind) {
    using Wire = protozero::pbf_wire_type;
    if (kind == Kind::word || kind == Kind::flag || kind == Kind::number) return Wire::varint;
    if (kind == Kind::fixed64 || kind == Kind::real) return Wire::fixed64;
    return kind == Kind::fixed32 ? Wire::fixed32 : Wire::length_delimited;
  }

  void write_value(Part part, int depth) {  // A copy: parts_ grows.
    switch (part.field->kind) {
      case Kind::text:
        json::append_string(out_, part.bytes);
        break;
      case Kind::hex:
        write_hex(part.bytes);
        break;
      case Kind::base64:
        out_.append("\"").append(encode_base64(part.bytes)).append("\"");
        break;
      case Kind::flag:
        out_.append(part.number != 0 ? "true" : "false");
        break;
      case Kind::word:
      case Kind::fixed32:
        out_.append(std::to_string(static_cast<std::uint32_t>(part.number)));
        break;
      case Kind::number:
        out_.append("\"")
            .append(std::to_string(static_cast<std::int64_t>(part.number)))
            .append("\"");
        break;
      case Kind::fixed64:
        out_.append("\"").append(std::to_string(part.number)).append("\"");
        break;
      case Kind::real:
        write_real(std::bit_cast<double>(part.number));
        break;
      case Kind::message:
        write(*part.field->message, part.bytes, depth + 1);
    }
  }

  void write_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out_ += '"';
    for (const char byte : bytes) {
      out_ += kDigits[static_cast<unsigned char>(byte) >> 4U];
      out_ += kDigits[static_cast<unsigned char>(byte) & 15U];
    }
    out_ += '"';
  }

  void write_real(double value) {
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(out_), "{}", value);
    } else {
      out_.append(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    }
  }

  std::string out_;
  std::vector<Part> parts_;
};

// Returns the bytes that hexadecimal digits stand for.
Result<std::string> bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    const char* end = digits.data() + i + 2;
    if (std::from_chars(digits.data() + i, end, byte, 16).ptr != end) break;
    bytes += static_cast<char>(byte);
  }
  if (bytes.size() * 2 == digits.size()) return bytes;
  return invalid(fmt::format("'{}' is not a hexadecimal id", digits));
}

// Returns a number, which OTLP/JSON has as such or in a text.
template <typename Number>
Number number_of(json::Value value) {
  const std::string digits = value.is_string() ? value.text() : std::string(value.raw());
  Number number{};
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

Result<std::string> write_message(const Message& message, json::Value object);

Result<void> write_field(protozero::pbf_writer& out, const Field& field, json::Value value) {
  switch (field.kind) {
    case Kind::text:
      out.add_string(field.number, value.text());
      break;
    case Kind::hex:
      out.add_bytes(field.number, TRY(bytes_of_hex(value.text())));
      break;
    case Kind::base64:
      out.add_bytes(field.number, decode_base64(value.text()).value_or(""));
      break;
    case Kind::flag:
      out.add_bool(field.number, value.is_true());
      break;
    case Kind::word:
      out.add_uint32(field.number, number_of<std::uint32_t>(value));
      break;
    case Kind::number:
      out.add_int64(field.number, number_of<std::int64_t>(value));
      break;
    case Kind::fixed32:
      out.add_fixed32(field.number, number_of<std::uint32_t>(value));
      break;
    case Kind::fixed64:
      out.add_fixed64(field.number, number_of<std::uint64_t>(value));
      break;
    case Kind::real:
      out.add_double(field.number, number_of<double>(value));
      break;
    case Kind::message:
      out.add_message(field.number, TRY(write_message(*field.message, value)));
  }
  return {};
}

Result<std::string> write_message(const Message& message, json::Value object) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  for (const Field& field : message.fields) {
    const json::Value value = object.find(field.name);
    if (!value) continue;
    if (!field.is_list) {
      TRY(write_field(out, field, value));
      continue;
    }
    for (const json::Value element : value.elements()) TRY(write_field(out, field, element));
  }
  return bytes;
}

}  // namespace

Result<std::string> protobuf_of_json(Signal signal, std::string_view document) {
  const auto parsed = TRY(json::parse(document));
  return write_message(signal == Signal::traces ? kTraces : kLogs, parsed.root());
}

Result<std::string> json_of_protobuf(Signal signal, std::string_view body) {
  try {
    if (signal == Signal::metrics) {
      bytes_in(body, 1);
      return std::string("{}");
    }
    return Translator().run(signal == Signal::traces ? kTraces : kLogs, body);
  } catch (const protozero::exception& problem) {
    return invalid(fmt::format("the body is not OTLP's protobuf: {}", problem.what()));
  } catch (const TooMuch& problem) {
    return denied(problem.what());
  }
}

}  // namespace spoor::receive
