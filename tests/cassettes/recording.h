#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cassettes {

/// One response that somebody recorded.
struct Recording {
  std::string url;   ///< of the request; empty where the recording does not say
  int status = 200;  ///< HTTP's
  std::string body;
  /// Why it is none of ours, where that is plain before its body is read; empty otherwise.
  std::string refused;
};

/// The responses in a file, in its order. The formats, told by name and first bytes:
///
/// - `.yaml`: VCR's cassettes: bodies as strings, gzipped `!!binary` or `parsed_body`
/// - `.chunks.txt`: the data of one Server-Sent Event a line
/// - `.sse`, `.txt`: a stream as it came
/// - `.responses`: `{"method", "response"}` a line, a stream's response an array
/// - `.json`: a body, or a log of a call with its body under `response`
///
/// Throws std::runtime_error when the file is none of these.
std::vector<Recording> read_recordings(const std::filesystem::path& path);

}  // namespace cassettes
