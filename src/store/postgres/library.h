#pragma once

// In namespace spoor::store, Oid is ours; libpq's is a number in the global namespace.
#include <libpq-fe.h>

namespace spoor::store::postgres {

/// The functions used from libpq, with its own signatures.
struct Libpq {
  decltype(&::PQconnectStartParams) start = nullptr;
  decltype(&::PQconnectPoll) poll = nullptr;
  decltype(&::PQsocket) socket = nullptr;
  decltype(&::PQconninfoParse) parse = nullptr;
  decltype(&::PQconninfoFree) free_options = nullptr;
  decltype(&::PQfreemem) free_memory = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQhost) host = nullptr;
  decltype(&::PQconnectionNeedsPassword) needs_password = nullptr;
  decltype(&::PQsetErrorVerbosity) set_verbosity = nullptr;
  decltype(&::PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&::PQenterPipelineMode) enter_pipeline = nullptr;
  decltype(&::PQpipelineSync) sync = nullptr;
  decltype(&::PQsendQueryParams) send = nullptr;
  decltype(&::PQsendPrepare) send_prepare = nullptr;
  decltype(&::PQsendQueryPrepared) send_prepared = nullptr;
  decltype(&::PQisBusy) is_busy = nullptr;
  decltype(&::PQconsumeInput) consume_input = nullptr;
  decltype(&::PQgetResult) result = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQresultErrorField) error_field = nullptr;
  decltype(&::PQntuples) rows = nullptr;
  decltype(&::PQgetvalue) value = nullptr;
  decltype(&::PQgetlength) length = nullptr;
  decltype(&::PQgetisnull) is_null = nullptr;
};

/// Loads libpq 14 or later at the first call; nullptr if there is none. Safe to call from any
/// thread.
const Libpq* load_libpq();

}  // namespace spoor::store::postgres
