#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proof/log_tree.h"
#include "store/lines.h"
#include "sync/remotes.h"

namespace spoor::sync {

/// A store's signed log: the newest note that its owner made ('spoor checkpoint'),
/// and the proof that its tree begins with one that the other side remembers (RFC 6962, 2.1.2).
struct LogNews {
  std::string checkpoint = {};  ///< serialize(proof::Note); empty if there is none
  std::vector<proof::Hash> consistency = {};

  bool operator==(const LogNews&) const = default;
};

/// Returns the news for one who remembers a checkpoint of `size` operations; 0: none.
Result<LogNews> log_news(const store::Store& store, std::uint64_t size);

/// Writes and reads the lines `checkpoint` and `consistent`. Code::invalid for malformed ones.
std::string write_log_news(const LogNews& news);
Result<LogNews> take_log_news(store::LineReader& lines);

/// Returns the size of the checkpoint that is remembered of a remote; 0: none.
std::uint64_t remembered_size(const KnownRemote& remote);

/// Returns why the news are not signed with the key that is known of a remote; empty if they are,
/// or none is known.
std::string signature_problem(const KnownRemote& remote, const LogNews& news);

/// Returns why the news contradict what is remembered of a remote; empty if they agree: the log
/// only grew. That can be shown only of what was signed.
std::string contradiction(const KnownRemote& remote, const LogNews& news);

}  // namespace spoor::sync
