#include "store/postgres/library.h"

#include <optional>

namespace spoor::store::postgres {
namespace {

std::optional<Libpq> load() {
  Libpq pq;
  if (pq.start != nullptr) return pq;
  const SharedLibrary library({"libpq.so.5"});
  const bool is_whole =
      library.find("PQconnectStartParams", pq.start) && library.find("PQconnectPoll", pq.poll) &&
      library.find("PQsocket", pq.socket) && library.find("PQconninfoParse", pq.parse) &&
      library.find("PQconninfoFree", pq.free_options) &&
      library.find("PQfreemem", pq.free_memory) && library.find("PQfinish", pq.finish) &&
      library.find("PQstatus", pq.status) && library.find("PQerrorMessage", pq.error_message) &&
      library.find("PQhost", pq.host) &&
      library.find("PQconnectionNeedsPassword", pq.needs_password) &&
      library.find("PQsetErrorVerbosity", pq.set_verbosity) &&
      library.find("PQsetNoticeReceiver", pq.set_notice_receiver) &&
      library.find("PQenterPipelineMode", pq.enter_pipeline) &&
      library.find("PQpipelineSync", pq.sync) && library.find("PQsendQueryParams", pq.send) &&
      library.find("PQsendPrepare", pq.send_prepare) &&
      library.find("PQsendQueryPrepared", pq.send_prepared) &&
      library.find("PQisBusy", pq.is_busy) && library.find("PQconsumeInput", pq.consume_input) &&
      library.find("PQgetResult", pq.result) && library.find("PQclear", pq.clear) &&
      library.find("PQresultStatus", pq.result_status) &&
      library.find("PQresultErrorField", pq.error_field) && library.find("PQntuples", pq.rows) &&
      library.find("PQgetvalue", pq.value) && library.find("PQgetlength", pq.length) &&
      library.find("PQgetisnull", pq.is_null);
  return is_whole ? std::optional(pq) : std::nullopt;
}

}  // namespace

const Libpq* load_libpq() {
  static const std::optional<Libpq> loaded = load();
  return loaded ? &*loaded : nullptr;
}

}  // namespace spoor::store::postgres
