#include "cli/commands.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/near_miss.h"

namespace spoor::cli {

// Each is defined at the end of its file in commands/.
extern const Command kInit;
extern const Command kClone;
extern const Command kImport;
extern const Command kSessions;
extern const Command kTui;
extern const Command kAnswers;
extern const Command kCalls;
extern const Command kFile;
extern const Command kCost;
extern const Command kRequests;
extern const Command kTurns;
extern const Command kTimeline;
extern const Command kLineList;
extern const Command kTrees;
extern const Command kCompare;
extern const Command kFork;
extern const Command kDataset;
extern const Command kDatasetAdd;
extern const Command kDatasetList;
extern const Command kDatasetRemove;
extern const Command kDatasetRun;
extern const Command kSql;
extern const Command kOpen;
extern const Command kLog;
extern const Command kShow;
extern const Command kDiff;
extern const Command kPprint;
extern const Command kCompile;
extern const Command kExport;
extern const Command kReasoning;
extern const Command kSearch;
extern const Command kWhy;
extern const Command kWith;
extern const Command kBlame;
extern const Command kBisect;
extern const Command kDebrief;
extern const Command kEvents;
extern const Command kAudit;
extern const Command kRuns;
extern const Command kCheck;
extern const Command kJudge;
extern const Command kStatus;
extern const Command kStats;
extern const Command kSystem;
extern const Command kUser;
extern const Command kAssistant;
extern const Command kThink;
extern const Command kTool;
extern const Command kChat;
extern const Command kGenerate;
extern const Command kRun;
extern const Command kResume;
extern const Command kReplay;
extern const Command kReport;
extern const Command kPrompt;
extern const Command kProxy;
extern const Command kWatch;
extern const Command kEnable;
extern const Command kDisable;
extern const Command kReceive;
extern const Command kModels;
extern const Command kAnnotate;
extern const Command kPin;
extern const Command kSkip;
extern const Command kEdit;
extern const Command kCompress;
extern const Command kMerge;
extern const Command kRebase;
extern const Command kCherryPick;
extern const Command kAbandon;
extern const Command kAmend;
extern const Command kReset;
extern const Command kUndo;
extern const Command kRedo;
extern const Command kOplog;
extern const Command kVersions;
extern const Command kRestore;
extern const Command kBranch;
extern const Command kSwitch;
extern const Command kTagCommand;
extern const Command kRemote;
extern const Command kRemoteAdd;
extern const Command kRemoteCheckpoint;
extern const Command kRemoteList;
extern const Command kRemoteLogin;
extern const Command kRemoteRemove;
extern const Command kFetch;
extern const Command kPull;
extern const Command kPush;
extern const Command kServe;
extern const Command kServeAllow;
extern const Command kServeRevoke;
extern const Command kServeTokens;
extern const Command kStore;
extern const Command kFsck;
extern const Command kCat;
extern const Command kGc;
extern const Command kErase;
extern const Command kArchive;
extern const Command kCheckpoint;
extern const Command kProve;
extern const Command kVerify;
extern const Command kRebuild;
extern const Command kRedact;
extern const Command kTrust;
extern const Command kBatch;
extern const Command kMcpCommand;
extern const Command kViewAt;
extern const Command kNext;
extern const Command kPrevious;
extern const Command kWhere;
extern const Command kBack;
extern const Command kModel;
extern const Command kTimer;
extern const Command kBail;
extern const Command kOnce;
extern const Command kReadScript;
extern const Command kQuit;
extern const Command kConfig;
extern const Command kHelp;
extern const Command kVersionCommand;

namespace {

// In the order of `spoor help` within each group. One per line, so that adding a command adds one
// line.
// clang-format off
constexpr std::array kAll = {
    &kInit,
    &kClone,
    &kImport,
    &kWith,
    &kProxy,
    &kEnable,
    &kDisable,
    &kWatch,
    &kReceive,
    &kSessions,
    &kTui,
    &kOpen,
    &kLog,
    &kRequests,
    &kTurns,
    &kTimeline,
    &kLineList,
    &kShow,
    &kFile,
    &kAnswers,
    &kCalls,
    &kCost,
    &kCompare,
    &kTrees,
    &kSql,
    &kDiff,
    &kPprint,
    &kCompile,
    &kExport,
    &kReasoning,
    &kSearch,
    &kWhy,
    &kBlame,
    &kBisect,
    &kVersions,
    &kDebrief,
    &kEvents,
    &kRuns,
    &kReport,
    &kCheck,
    &kAudit,
    &kStatus,
    &kStats,
    &kPrompt,
    &kModels,
    &kChat,
    &kGenerate,
    &kRun,
    &kResume,
    &kReplay,
    &kJudge,
    &kSystem,
    &kUser,
    &kAssistant,
    &kThink,
    &kTool,
    &kAnnotate,
    &kPin,
    &kSkip,
    &kEdit,
    &kRestore,
    &kCompress,
    &kBranch,
    &kSwitch,
    &kFork,
    &kDataset,
    &kDatasetAdd,
    &kDatasetList,
    &kDatasetRemove,
    &kDatasetRun,
    &kTagCommand,
    &kMerge,
    &kRebase,
    &kCherryPick,
    &kAbandon,
    &kAmend,
    &kReset,
    &kUndo,
    &kRedo,
    &kOplog,
    &kRemote,
    &kRemoteAdd,
    &kRemoteCheckpoint,
    &kRemoteList,
    &kRemoteLogin,
    &kRemoteRemove,
    &kFetch,
    &kPull,
    &kPush,
    &kServe,
    &kServeAllow,
    &kServeRevoke,
    &kServeTokens,
    &kStore,
    &kFsck,
    &kGc,
    &kCat,
    &kErase,
    &kArchive,
    &kCheckpoint,
    &kProve,
    &kVerify,
    &kRebuild,
    &kRedact,
    &kTrust,
    &kBatch,
    &kMcpCommand,
    &kViewAt,
    &kNext,
    &kPrevious,
    &kWhere,
    &kBack,
    &kModel,
    &kTimer,
    &kBail,
    &kOnce,
    &kReadScript,
    &kQuit,
    &kConfig,
    &kHelp,
    &kVersionCommand,
};
// clang-format on

// Names that still work in this release, and the new ones.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOldNames = {{
    {"revert", "abandon"},
    {"fsck", "store fsck"},
    {"gc", "store gc"},
    {"cat", "store cat"},
    {"erase", "store erase"},
    {"archive", "store archive"},
    {"rebuild", "store rebuild"},
    {"redact", "store redact"},
    {"trust", "store trust"},
}};

}  // namespace

std::span<const Command* const> all_commands() { return kAll; }

const Command* find_command(std::string_view name) {
  for (const auto& [old, now] : kOldNames) {
    if (name == old) name = now;
  }
  for (const Command* command : kAll) {
    if (name == command->name) return command;
  }
  return nullptr;
}

const Command* find_command(const Command& group, std::string_view name) {
  return find_command(fmt::format("{} {}", group.name, name));
}

bool is_group(const Command& command) {
  return std::ranges::any_of(kAll, [&](const Command* each) { return is_in(*each, command); });
}

bool is_in(const Command& command, const Command& group) {
  const std::string_view name = command.name;
  const std::string_view prefix = group.name;
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == ' ';
}

bool is_for_session_only(const Command& command) { return command.group == Group::session; }

Error no_such_command(std::string_view word, bool in_session) {
  std::vector<std::string_view> names;
  for (const Command* command : kAll) {
    if (in_session || !is_for_session_only(*command)) names.emplace_back(command->name);
  }
  const std::string near = near_miss(word, names);
  const std::string_view program = in_session ? "" : "spoor ";
  return invalid(fmt::format("unknown command '{}'", word),
                 near.empty() ? fmt::format("list them with '{}help'", program)
                              : fmt::format("did you mean '{}{}'?", program, near));
}

}  // namespace spoor::cli
