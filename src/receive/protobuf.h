#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "receive/otlp.h"

namespace spoor::receive {

/// Returns a post in protobuf as OTLP/JSON: members in the order of their field numbers, without
/// white space. So both encodings of a post give the same commits. Scopes and spans that keep()
/// leaves out anyway are left out here, before anything is made of them; so are all metrics and all
/// unknown fields. Code::invalid if it is not OTLP's protobuf.
///
/// Source: github.com/open-telemetry/opentelemetry-proto (1.5.0), opentelemetry/proto/*/v1/*.proto.
Result<std::string> json_of_protobuf(Signal signal, std::string_view body);

/// Returns OTLP/JSON of traces or logs as protobuf, whole. Unknown members are left out.
/// Code::invalid if `document` is not JSON, or an id is not hexadecimal.
Result<std::string> protobuf_of_json(Signal signal, std::string_view document);

}  // namespace spoor::receive
