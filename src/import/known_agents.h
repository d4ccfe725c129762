#pragma once

#include <span>
#include <string_view>

namespace spoor::import {

/// A folder or file of an agent: in the folder that an environment variable names, if it is set,
/// else in the home folder.
struct AgentPath {
  const char* variable;     ///< empty: there is none
  const char* in_variable;  ///< relative to the variable's value
  const char* in_home;      ///< relative to the home folder
};

/// A file of an agent's settings: of the project, in the working folder or in the nearest folder
/// above it, or of the user.
struct AgentSettings {
  AgentPath user = {"", "", ""};
  std::string_view in_folder = {};   ///< relative to the working folder
  std::string_view in_parents = {};  ///< to that or one above it; several names with `|` between
};

/// A provider that an agent asks, and how the user tells the agent another address for it.
struct AgentProvider {
  std::string_view name;      ///< in the agent's words; it may be part of an address
  std::string_view upstream;  ///< where requests go otherwise
  /// Environment variable of the address, which `.env` may have, too; empty: there is none.
  const char* variable = "";
  std::string_view setting;  ///< the same in AgentRedirect::settings: members, with dots
  /// It is asked only if this variable, or the member of its name in AgentRedirect::accounts, is
  /// set. Empty: it is always asked.
  const char* key_variable = "";
  std::string_view login_upstream;  ///< the upstream of a user who is logged in
};

/// How an agent is started so that it asks other addresses. In the texts `{address}` and `{name}`
/// are those of a provider, `{all}` is `each` for all of them, joined by `between`, and `{file}` is
/// the path of a file that contains `file`.
struct AgentRedirect {
  std::span<const AgentProvider> providers;
  /// JSON, TOML or `.env` by their names; what an earlier one says counts. If there are several
  /// `.env`, the first that is there.
  std::span<const AgentSettings> settings = {};
  AgentPath accounts = {"", "", ""};             ///< JSON with a member for each login
  std::string_view login;                        ///< the member for AgentProvider::login_upstream
  std::span<const std::string_view> words = {};  ///< before the agent's own
  /// The words are needed only if the address is in the settings, which count more than the
  /// variable.
  bool are_words_for_setting = false;
  /// The setting that names a provider of the user's own, and what is then in place of the
  /// provider's setting and of the words; `{choice}` is its value.
  std::string_view choice;
  std::string_view chosen_setting;
  std::span<const std::string_view> chosen_words = {};
  const char* variable = "";  ///< set to `value`
  std::string_view value;
  std::string_view each;
  std::string_view between;
  std::string_view file_name;  ///< of `{file}`
  std::string_view file;
  const char* file_variable = "";  ///< set to `{file}`, unless it is set; empty: there is none
  /// First words with which the agent asks no model, and takes no `words` before them.
  std::span<const std::string_view> own_commands = {};
};

/// How an agent is told to run a command when a session of its begins. In the texts `{command}` is
/// that command, as in a JSON string.
struct AgentHooks {
  AgentPath file = {"", "", ""};  ///< JSON with lists in `hooks`; empty: there is none
  std::span<const std::string_view> events = {};
  std::string_view entry;         ///< for the list of each event
  std::string_view begun = "{}";  ///< a file that is made for it
  std::string_view whole;         ///< if not empty: a file of ours, and no JSON
  std::string_view asks;          ///< what the agent then asks its user
};

/// How an agent is told of a server of the Model Context Protocol, and where its user's skills are.
/// In the texts `{program}` is this program, as in a JSON string.
struct AgentServer {
  AgentPath file = {"", "",
                    ""};   ///< JSON with an object `mcpServers`, or TOML; empty: there is none
  std::string_view entry;  ///< the value of the member `spoor`; of TOML, the whole table
  AgentPath skill = {"", "", ""};  ///< the file of a skill `spoor`; empty: there is none
};

/// The log events that an agent sends by OpenTelemetry: how their names begin, and the attributes
/// that name the session and the tool call. Empty: it sends none that is known.
struct AgentEvents {
  std::string_view prefix;
  std::string_view session;
  std::string_view call;
};

/// A coding agent, as its maker documents it.
struct KnownAgent {
  std::string_view name;     ///< as its importer calls it, and its branches begin
  std::string_view title;    ///< as its maker writes it
  std::string_view command;  ///< as it is typed; empty: it is not started by `spoor with`
  std::string_view program;  ///< the beginning of its `User-Agent`; empty: it says none of its own
  std::span<const AgentPath> folders;                 ///< of its sessions, or a file that has them
  std::span<const std::string_view> session_headers;  ///< headers that name the conversation
  bool names_replies = true;             ///< its sessions have the provider's ids of the replies
  std::string_view session_prefix = {};  ///< of its sessions' names; branches are named without it
  AgentRedirect redirect = {};
  AgentHooks hooks = {};
  AgentServer server = {};
  AgentEvents events = {};
};

/// Returns all of them.
std::span<const KnownAgent> known_agents();

/// Finds the one whose command, or name, this is; nullptr: none.
const KnownAgent* find_agent(std::string_view command);

}  // namespace spoor::import
