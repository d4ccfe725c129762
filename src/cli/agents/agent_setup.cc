#include "cli/agents/agent_setup.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "agent/builtin/builtin.h"
#include "agent/memory/memory_tools.h"
#include "agent/subagent.h"
#include "base/files.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "cli/settings/prices.h"
#include "cli/settings/store_path.h"
#include "llm/http/curl_transport.h"
#include "llm/models/model_facts.h"
#include "store/postgres/address.h"

namespace spoor::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_of(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value text : list.elements()) texts.push_back(text.text());
  return texts;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void warn(Session& session, const std::string& text) {
  session.err().print(Style::warning, "warning").print(": " + text).newline().flush();
}

// Returns the tool that other agents call by this name, as their files have it.
std::string tool_named(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames = {{
      {"Read", "read_file"},
      {"Write", "write_file"},
      {"Edit", "edit_file"},
      {"LS", "list"},
      {"Grep", "grep"},
      {"Glob", "glob"},
      {"Bash", "run_command"},
      {"WebFetch", "http_get"},
  }};
  for (const auto& [theirs, ours] : kNames) {
    if (name == theirs) return std::string(ours);
  }
  return name;
}

fs::path folder_of(const std::string& store) {
  return fs::path(store).lexically_normal().parent_path();
}

Result<void> check_name(const std::string& name) {
  std::string all;
  for (const agent::builtin::Description& tool : agent::builtin::all_tools()) {
    if (tool.name == name) return {};
    all += std::string(tool.name) + ", ";
  }
  if (agent::memory::is_memory_tool(name)) return {};
  return not_found(fmt::format("unknown tool '{}'", name),
                   "the tools are " + all + "memory.learn, memory.recall, notes.add, notes.read");
}

// Warns about the gaps in this kernel's confinement, before any tool runs.
Result<void> check_confinement(Session& session, const agent::builtin::Settings& settings) {
  const auto confinement = TRY(agent::builtin::find_confinement(settings));
  const std::string weakness = confinement.weakness();
  if (weakness.empty()) return {};
  session.err()
      .print(fmt::format("run_command is only confined by {}: {}\n", confinement.text(), weakness))
      .flush();
  return {};
}

// Whether a tool of the user's own programs or of a server only says that it reads.
bool is_foreign(const agent::Tool& tool) {
  return std::ranges::any_of(tool.tags, [](const std::string& tag) {
    return tag == agent::kProgramTag || tag == agent::kServerTag;
  });
}

// Marks the tools whose calls wait for a person. Agents that the run calls are made later.
Result<void> need_approval(std::vector<agent::Tool>& tools, const ToolSettings& settings) {
  for (const std::string& name : settings.approve) {
    bool is_found = name == kEachChange;
    for (agent::Tool& tool : tools) {
      const bool is_meant =
          name == kEachChange ? !tool.read_only || is_foreign(tool) : tool.id == name;
      if (is_meant) tool.needs_approval = is_found = true;
    }
    for (const auto& agent : settings.extra.agents) is_found |= agent.name == name;
    if (!is_found) {
      return not_found(fmt::format("'{}' is not a tool of this run", name), "add it to --tools");
    }
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> command_variables(const Environment& environment) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* name : {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL",
                           "LC_CTYPE", "TZ", "TMPDIR"}) {
    if (auto value = environment.variable(name)) variables.emplace_back(name, std::move(*value));
  }
  return variables;
}

std::string write_tool_settings(const ToolSettings& settings) {
  json::Object object;
  object.add_json("builtin", json::write_strings(settings.names));
  object.add_string("root", settings.root);
  if (!settings.hosts.empty()) object.add_json("hosts", json::write_strings(settings.hosts));
  if (settings.has_network) object.add_json("network", "true");
  if (!settings.readable.empty()) {
    object.add_json("readable", json::write_strings(settings.readable));
  }
  if (!settings.writable.empty()) {
    object.add_json("writable", json::write_strings(settings.writable));
  }
  if (!settings.approve.empty()) object.add_json("approve", json::write_strings(settings.approve));
  write_extra_tools(object, settings.extra);
  if (!settings.memory.empty()) object.add_string("memory", settings.memory);
  if (!settings.capture.empty()) object.add_string("capture", settings.capture);
  if (!settings.capture_fields.empty()) {
    object.add_string("capture_fields", settings.capture_fields);
  }
  if (!settings.environment.empty()) object.add_string("environment", settings.environment);
  if (!settings.attempt_of.empty()) object.add_string("attempt_of", settings.attempt_of);
  if (settings.context != RunContext()) {
    object.add_json("context", write_context(settings.context));
  }
  if (!settings.constraints.empty()) {
    object.add_json("constraints", guard::check::write_run_constraints(settings.constraints));
  }
  return object.write();
}

std::string root_to_keep(const std::string& root, const std::string& store,
                         const Environment& environment) {
  const auto within = [&](const fs::path& folder) {
    const fs::path kept = fs::path(root).lexically_normal().lexically_relative(folder);
    return kept.empty() || *kept.begin() == ".." ? std::string() : kept.string();
  };
  if (std::string kept = within(folder_of(store)); !kept.empty()) {
    return kept.starts_with('~') ? "./" + kept : kept;
  }
  const std::string home = expand_home(environment, "~");
  if (home == "~") return root;
  const std::string kept = within(home);
  return kept.empty() ? root : kept == "." ? "~" : "~/" + kept;
}

std::string root_from_kept(const std::string& kept, const std::string& store,
                           const Environment& environment) {
  return (folder_of(store) / expand_home(environment, kept)).string();
}

Result<ToolSettings> read_tool_settings(std::string_view text) {
  const auto document = json::parse(text);
  const json::Value caller = document ? document->root().find("caller") : json::Value();
  if (!caller.is_object()) {
    return invalid("the run does not record its tools",
                   "'spoor run' did not start it; resume it with the program that did");
  }
  ToolSettings settings;
  settings.names = texts_of(caller.find("builtin"));
  settings.root = caller.find("root").text();
  settings.hosts = texts_of(caller.find("hosts"));
  settings.has_network = caller.find("network").raw() == "true";
  settings.readable = texts_of(caller.find("readable"));
  settings.writable = texts_of(caller.find("writable"));
  settings.approve = texts_of(caller.find("approve"));
  settings.extra = parse_extra_tools(caller);
  settings.memory = caller.find("memory").text();
  settings.capture = caller.find("capture").text();
  settings.capture_fields = caller.find("capture_fields").text();
  settings.environment = caller.find("environment").text();
  settings.attempt_of = caller.find("attempt_of").text();
  if (const json::Value context = caller.find("context")) {
    settings.context = parse_context(context.raw());
  }
  settings.constraints = guard::check::read_run_constraints(text);
  return settings;
}

Result<std::unique_ptr<AgentSetup>> AgentSetup::open(Session& session, const ToolSettings& tools,
                                                     const std::vector<std::string>& models,
                                                     Use use) {
  if (use == Use::live) TRY(session.require_trust());
  std::unique_ptr<AgentSetup> setup(new AgentSetup());
  setup->root_ = tools.root;
  std::vector<agent::Tool> made = TRY(setup->make_tools(session, tools, use));
  TRY(need_approval(made, tools));
  for (agent::Tool& tool : made) TRY(setup->registry_.add(std::move(tool)));

  const auto key = use == Use::live ? OpenModel::Key::needed : OpenModel::Key::any;
  TRY(setup->make_gate(session, tools));
  for (const std::string& name : models) {
    setup->models_.push_back(TRY(OpenModel::open(session, name, key)));
    if (use == Use::live) setup->models_.back()->learn_served();
  }
  setup->prices_.emplace(TRY(read_prices(session.environment())));
  setup->refused_.emplace(session.environment(), session.clock());
  if (use == Use::live) TRY(setup->add_agents(session, tools));
  return setup;
}

Result<std::vector<agent::Tool>> AgentSetup::make_tools(Session& session, const ToolSettings& tools,
                                                        Use use) {
  agent::builtin::Settings settings;
  settings.root = use == Use::live ? tools.root : "/";  // No tool reads it.
  // A store on a server has no files to keep from tools.
  if (!store::postgres::is_address(session.store_path())) settings.store = session.store_path();
  if (settings.store == user_store(session.environment())) {
    TRY(make_folder(data_home(session.environment())));  // Tools must know its path.
  }
  settings.has_network = tools.has_network;
  settings.readable = tools.readable;
  for (std::string& file : program_files(tools.extra)) settings.readable.push_back(std::move(file));
  settings.write_allowed = tools.writable;
  settings.hosts = tools.hosts;
  settings.environment = command_variables(session.environment());
  transport_ = std::make_unique<llm::http::CurlTransport>();
  settings.transport = transport_.get();
  settings.clock = &session.clock();

  std::vector<std::string> builtin;
  std::vector<std::string> memory;
  for (const std::string& name : tools.names) {
    TRY(check_name(name));
    (agent::memory::is_memory_tool(name) ? memory : builtin).push_back(name);
  }
  const bool has_commands =
      holds(builtin, "run_command") || holds(builtin, "start_command") || has_programs(tools.extra);
  if (use == Use::live && has_commands) TRY(check_confinement(session, settings));
  const agent::builtin::SharedBase base = TRY(agent::builtin::open_base(settings));
  std::vector<agent::Tool> made = TRY(agent::builtin::make_tools(builtin, base));
  if (!memory.empty()) {
    Workspace& workspace = *TRY(session.workspace_or_new());
    for (agent::Tool& tool :
         agent::memory::make_tools(workspace.repository(), {.agent = tools.memory})) {
      if (holds(memory, tool.id)) made.push_back(std::move(tool));
    }
  }
  ExtraTools extra = tools.extra;
  std::vector<agent::Tool> more =
      use == Use::live ? TRY(make_extra_tools(session, extra, base, settings.root, *transport_))
                       : describe_extra_tools(extra);
  std::move(more.begin(), more.end(), std::back_inserter(made));
  defined_ = std::move(extra.defined);
  // Those of agents are made anew, from their files as recorded.
  std::erase_if(defined_, [&](const agent::ToolDefinition& told) {
    return use == Use::live && std::any_of(extra.agents.begin(), extra.agents.end(),
                                           [&](const auto& file) { return file.name == told.id; });
  });
  return made;
}

// Makes a tool of each agent that the run may call. They cannot call each other.
Result<void> AgentSetup::add_agents(Session& session, const ToolSettings& tools) {
  const std::vector<agent::Tool> all(registry_.tools().begin(), registry_.tools().end());
  for (const agent::project::AgentFile& file : tools.extra.agents) {
    agent::Registry& own = of_agents_.emplace_back();
    std::vector<std::string> wanted;
    for (const std::string& name : file.tools.value_or(std::vector<std::string>())) {
      wanted.push_back(tool_named(name));
    }
    for (const agent::Tool& tool : all) {
      if (!file.tools || holds(wanted, tool.id)) TRY(own.add(tool));
    }
    for (const std::string& name : wanted) {
      if (own.find(name) != nullptr) continue;
      warn(session, fmt::format("the agent '{}' wants the tool '{}', which this run does not have",
                                file.name, name));
    }
    OpenModel* model = models_.front().get();
    if (file.model.find('/') != std::string::npos) {
      models_of_agents_.push_back(
          TRY(OpenModel::open(session, file.model, OpenModel::Key::needed)));
      model = models_of_agents_.back().get();
    } else if (!file.model.empty()) {
      warn(session, fmt::format("the agent '{}' names the model '{}', which is not PROVIDER/MODEL; "
                                "it uses that of the run",
                                file.name, file.model));
    }
    agent::SubagentSettings settings;
    settings.id = file.name;
    settings.description = file.description;
    settings.llm = model->candidate();
    settings.repository = &TRY(session.workspace_or_new())->repository();
    settings.branch = "agents/" + file.name;
    settings.options.instructions = file.instructions;
    settings.options.registry = &own;
    settings.options.prices = &*prices_;
    settings.options.learned = &*refused_;
    settings.options.gate = gate_.get();
    if (model->takes_tools()) settings.options.calling = agent::Calling::native;
    settings.prepare = [this, name = file.name](agent::RunOptions& options) {
      if (person_) {
        options.person = [this, name](const agent::Tool& tool, std::string_view arguments) {
          return person_(name, tool, arguments);
        };
      }
      options.keep = keep_;
    };
    agent::Tool tool = agent::make_subagent(std::move(settings));
    tool.needs_approval = holds(tools.approve, tool.id);
    defined_.push_back(
        {.id = tool.id, .description = tool.description, .parameters = tool.parameters});
    TRY(registry_.add(std::move(tool)));
  }
  return {};
}

Result<void> AgentSetup::make_gate(Session& session, const ToolSettings& tools) {
  if (!tools.constraints.is_enforced) return {};
  const auto rules = guard::check::gating(TRY(tools.constraints.rules()));
  programs_ = guard::check::make_programs(tools.root, command_variables(session.environment()));
  auto checks = TRY(guard::check::Checks::make(
      rules,
      {.root = tools.root, .programs = programs_.get(), .judges = nullptr, .sees_links = true}));
  // The event of a refused call gets the reason, as that of a call judged later does.
  const auto keep = [&session](const guard::check::Judgement& judgement) -> Result<void> {
    Workspace& workspace = *TRY(session.workspace());
    TRY(guard::check::record(workspace.repository(), {judgement}, "run"));
    return {};
  };
  gate_ = std::make_unique<guard::check::CheckGate>(std::move(checks), keep);
  return {};
}

std::int64_t AgentSetup::window_tokens() const {
  constexpr std::int64_t kUnknown = 32'000;
  const std::int64_t context = models_.front()->context();
  return context > 0 ? llm::prompt_tokens({.context = context}) : kUnknown;
}

void AgentSetup::give(agent::RunOptions& options, const ToolSettings& kept) {
  options.registry = &registry_;
  options.prices = &*prices_;
  options.learned = &*refused_;
  options.gate = gate_.get();
  ToolSettings recorded = kept;
  if (recorded.attempt_of.empty()) recorded.extra.defined = defined_;
  options.keep = write_tool_settings(recorded);
  keep_ = options.keep;
  options.fallbacks.clear();
  for (std::size_t i = 1; i < models_.size(); ++i) {
    options.fallbacks.push_back(models_[i]->candidate());
  }
}

}  // namespace spoor::cli
