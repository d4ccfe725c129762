#pragma once

// In namespace spoor::store, Oid is ours; libpq's is a number in the global namespace.
#include <libpq-fe.h>

#include "base/shared_library.h"

namespace spoor::store::postgres {

/// The functions used from libpq, with its own signatures.
struct Libpq {
  decltype(&::PQconnectStartParams) start = SPOOR_LINKED(PQconnectStartParams);
  decltype(&::PQconnectPoll) poll = SPOOR_LINKED(PQconnectPoll);
  decltype(&::PQsocket) socket = SPOOR_LINKED(PQsocket);
  decltype(&::PQconninfoParse) parse = SPOOR_LINKED(PQconninfoParse);
  decltype(&::PQconninfoFree) free_options = SPOOR_LINKED(PQconninfoFree);
  decltype(&::PQfreemem) free_memory = SPOOR_LINKED(PQfreemem);
  decltype(&::PQfinish) finish = SPOOR_LINKED(PQfinish);
  decltype(&::PQstatus) status = SPOOR_LINKED(PQstatus);
  decltype(&::PQerrorMessage) error_message = SPOOR_LINKED(PQerrorMessage);
  decltype(&::PQhost) host = SPOOR_LINKED(PQhost);
  decltype(&::PQconnectionNeedsPassword) needs_password = SPOOR_LINKED(PQconnectionNeedsPassword);
  decltype(&::PQsetErrorVerbosity) set_verbosity = SPOOR_LINKED(PQsetErrorVerbosity);
  decltype(&::PQsetNoticeReceiver) set_notice_receiver = SPOOR_LINKED(PQsetNoticeReceiver);
  decltype(&::PQenterPipelineMode) enter_pipeline = SPOOR_LINKED(PQenterPipelineMode);
  decltype(&::PQpipelineSync) sync = SPOOR_LINKED(PQpipelineSync);
  decltype(&::PQsendQueryParams) send = SPOOR_LINKED(PQsendQueryParams);
  decltype(&::PQsendPrepare) send_prepare = SPOOR_LINKED(PQsendPrepare);
  decltype(&::PQsendQueryPrepared) send_prepared = SPOOR_LINKED(PQsendQueryPrepared);
  decltype(&::PQisBusy) is_busy = SPOOR_LINKED(PQisBusy);
  decltype(&::PQconsumeInput) consume_input = SPOOR_LINKED(PQconsumeInput);
  decltype(&::PQgetResult) result = SPOOR_LINKED(PQgetResult);
  decltype(&::PQclear) clear = SPOOR_LINKED(PQclear);
  decltype(&::PQresultStatus) result_status = SPOOR_LINKED(PQresultStatus);
  decltype(&::PQresultErrorField) error_field = SPOOR_LINKED(PQresultErrorField);
  decltype(&::PQntuples) rows = SPOOR_LINKED(PQntuples);
  decltype(&::PQgetvalue) value = SPOOR_LINKED(PQgetvalue);
  decltype(&::PQgetlength) length = SPOOR_LINKED(PQgetlength);
  decltype(&::PQgetisnull) is_null = SPOOR_LINKED(PQgetisnull);
};

/// Loads libpq 14 or later at the first call, unless it is linked; nullptr if there is none. Safe
/// to call from any thread.
const Libpq* load_libpq();

}  // namespace spoor::store::postgres
