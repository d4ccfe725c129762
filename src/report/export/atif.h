#pragma once

#include <string>
#include <vector>

#include "report/export/conversation.h"

namespace spoor::report {

/// A conversation of an agent that the main agent called.
struct SubAgent {
  std::string id;  ///< unique among them
  Conversation conversation;
  std::string run;  ///< of spoor's own agents: the run; empty: found by the text of its request
};

/// Returns a conversation as a trajectory of the Agent Trajectory Interchange Format, version 1.8,
/// one JSON document. Source: docs/rfcs/0001-trajectory-format.md of harbor-framework/harbor, as
/// `harbor.models.trajectories` of harbor 0.26.0 validates it.
///
/// Each message is a step, apart from results, which are the observation of the step with their
/// call. Conversations of called agents are embedded and referred to in the result of the call: the
/// one that has the run, or whose first request is a text among the call's arguments. The format
/// has no role `developer`, which becomes `system`, and takes pictures as files, so they are left
/// out. Empty ids of calls become `call-N`.
std::string atif_document(const Conversation& conversation, const std::vector<SubAgent>& agents,
                          LeftOut& left_out);

}  // namespace spoor::report
