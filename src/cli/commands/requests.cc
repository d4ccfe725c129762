#include "cli/views/listing.h"
#include "cli/views/request_view.h"

namespace spoor::cli {

extern const Command kRequests = listing_command<api::kRequests, RequestView>();

}  // namespace spoor::cli
