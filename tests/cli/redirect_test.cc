#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/recording/redirect.h"

using namespace spoor;
using namespace spoor::cli;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

constexpr const char* kProxy = "http://127.0.0.1:4000";

// A home folder with the settings of an agent.
class Home {
 public:
  Home() {
    std::string path = (std::filesystem::temp_directory_path() / "spoor-redirect-XXXXXX").string();
    path_ = ::mkdtemp(path.data());
    environment.variables["HOME"] = path_;
  }
  ~Home() { std::filesystem::remove_all(path_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  const std::string& path() const { return path_; }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  Result<Redirect> redirect(const char* command) const {
    return Redirect::make(import::find_agent(command)->redirect, environment);
  }
  // Where its requests go, if they all go to one place.
  std::string upstream(const char* command) const {
    const auto made = redirect(command);
    REQUIRE(made);
    CHECK(made->routes().front().prefix.empty() == (made->routes().size() == 1));
    return made->routes().front().upstream;
  }
  Redirected to(const char* command) const {
    const auto made = redirect(command);
    REQUIRE(made);
    return made->to(kProxy, path_ + "/run").value();
  }

  MapEnvironment environment;

 private:
  std::string path_;
};

}  // namespace

TEST_SUITE("cli/redirect") {
  TEST_CASE("Claude Code: its variable, and its settings, which count more") {
    Home home;
    CHECK(home.upstream("claude") == "https://api.anthropic.com");
    CHECK(home.to("claude").variables == Variables{{"ANTHROPIC_BASE_URL", kProxy}});
    CHECK(home.to("claude").words.empty());
    home.environment.variables["ANTHROPIC_BASE_URL"] = "https://one.example";
    CHECK(home.upstream("claude") == "https://one.example");
    home.write(".claude/settings.json",
               "{ // mine\n \"env\": {\"ANTHROPIC_BASE_URL\": \"https://two.example/x\"}}");
    CHECK(home.upstream("claude") == "https://two.example/x");
    CHECK(home.to("claude").words ==
          Words{"--settings", R"({"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:4000"}})"});
    home.environment.variables["CLAUDE_CONFIG_DIR"] = home.path() + "/elsewhere";
    CHECK(home.upstream("claude") == "https://one.example");
  }

  TEST_CASE("Codex: a key, a login, an address and a provider of one's own") {
    Home home;
    CHECK(home.upstream("codex") == "https://api.openai.com/v1");
    CHECK(home.to("codex").words == Words{"-c", R"(openai_base_url="http://127.0.0.1:4000")"});
    home.write(".codex/auth.json", R"({"OPENAI_API_KEY":null,"tokens":{"id_token":"x"}})");
    CHECK(home.upstream("codex") == "https://chatgpt.com/backend-api/codex");
    home.environment.variables["CODEX_API_KEY"] = "a-key";
    CHECK(home.upstream("codex") == "https://api.openai.com/v1");
    home.write(".codex/config.toml", "model = 'm'\nopenai_base_url = 'https://one.example/v1'\n");
    CHECK(home.upstream("codex") == "https://one.example/v1");
    home.write(
        ".codex/config.toml",
        "model_provider = 'mine'\n[model_providers.mine]\nbase_url = 'http://two.example'\n");
    CHECK(home.upstream("codex") == "http://two.example");
    CHECK(home.to("codex").words ==
          Words{"-c", R"(model_providers.mine.base_url="http://127.0.0.1:4000")"});
    home.write(".codex/config.toml", "model_provider = 'oss'\n");
    CHECK(home.redirect("codex").error().message ==
          "the provider 'oss' has no address in the settings");
    home.write(".codex/config.toml", "model_provider = \n");
    CHECK(home.redirect("codex").error().code == Error::Code::invalid);
  }

  TEST_CASE("Gemini CLI: with a key, and with a login") {
    Home home;
    const Redirected redirected = home.to("gemini");
    CHECK(redirected.variables ==
          Variables{{"GOOGLE_GEMINI_BASE_URL", std::string(kProxy) + "/gemini"},
                    {"CODE_ASSIST_ENDPOINT", std::string(kProxy) + "/login"},
                    {"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", home.path() + "/run/settings.json"}});
    CHECK(std::filesystem::exists(home.path() + "/run/settings.json"));
    home.environment.variables["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] = "/etc/theirs.json";
    CHECK(home.to("gemini").variables.size() == 2);
  }

  TEST_CASE("Pi and OpenCode: each provider by its own address") {
    Home home;
    home.write(".pi/agent/models.json",
               R"({"providers":{"openai":{"baseUrl":"http://one.example"}}})");
    const Redirect pi = home.redirect("pi").value();
    CHECK(pi.routes()[0].prefix == "/anthropic");
    CHECK(pi.routes()[1].upstream == "http://one.example");
    const Redirected redirected = home.to("pi");
    CHECK(redirected.words == Words{"--extension", home.path() + "/run/spoor.ts"});
    std::ifstream file(home.path() + "/run/spoor.ts");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.find(R"(registerProvider("openai", { baseUrl: "http://127.0.0.1:4000/openai" }))") !=
          text.npos);
    CHECK(text.find('{' + std::string("name}")) == text.npos);

    CHECK(home.redirect("opencode").error().code == Error::Code::not_found);  // None has a key.
    home.environment.variables["OPENAI_API_KEY"] = "a-key";
    home.write(".local/share/opencode/auth.json", R"({"xai":{"type":"api","key":"k"}})");
    CHECK(home.to("opencode").variables ==
          Variables{
              {"OPENCODE_CONFIG_CONTENT",
               R"({"provider":{"openai":{"options":{"baseURL":"http://127.0.0.1:4000/openai"}},)"
               R"("xai":{"options":{"baseURL":"http://127.0.0.1:4000/xai"}}}})"}});
    home.environment.variables["OPENCODE_CONFIG_CONTENT"] = "{}";
    CHECK(home.redirect("opencode").error().code == Error::Code::conflict);
  }

  TEST_CASE("settings of the project count more than the user's") {
    Home home;
    home.environment.working_directory = home.path() + "/project/deep";
    home.write(".claude/settings.json", R"({"env":{"ANTHROPIC_BASE_URL":"http://user.example"}})");
    home.write("project/deep/.claude/settings.json",
               R"({"env":{"ANTHROPIC_BASE_URL":"http://project.example"}})");
    CHECK(home.upstream("claude") == "http://project.example");
    home.write("project/deep/.claude/settings.local.json",
               R"({"env":{"ANTHROPIC_BASE_URL":"http://local.example"}})");
    CHECK(home.upstream("claude") == "http://local.example");
    CHECK(home.to("claude").words.size() == 2);

    const auto config = [](const std::string& address) {
      return "{ // mine\n\"provider\":{\"anthropic\":{\"options\":{\"baseURL\":\"" + address +
             "\"}}}}";
    };
    home.environment.variables["ANTHROPIC_BASE_URL"] = "http://sdk.example";
    home.environment.variables["ANTHROPIC_API_KEY"] = "k";
    CHECK(home.upstream("opencode") == "http://sdk.example");
    home.write(".config/opencode/opencode.jsonc", config("http://user.example"));
    CHECK(home.upstream("opencode") == "http://user.example");
    home.write("project/opencode.json", config("http://project.example"));
    CHECK(home.upstream("opencode") == "http://project.example");
  }

  TEST_CASE("Gemini CLI: the address in the nearest .env") {
    Home home;
    home.environment.working_directory = home.path() + "/project/deep";
    std::filesystem::create_directories(home.environment.working_directory);
    home.write(".gemini/.env", "# mine\nexport GOOGLE_GEMINI_BASE_URL=http://home.example # it\n");
    const auto gemini = [&] { return home.redirect("gemini")->routes()[0].upstream; };
    CHECK(gemini() == "http://home.example");
    home.write("project/.env",
               "A=b\r\n GOOGLE_GEMINI_BASE_URL = \"http://project.example/x\" # c\r\n");
    CHECK(gemini() == "http://project.example/x");
    home.write("project/.gemini/.env", "GOOGLE_GEMINI_BASE_URL='http://own.example");
    CHECK(gemini() == "http://own.example");
    home.write("project/deep/.env", "GEMINI_API_KEY=k");  // The others are not read then.
    CHECK(gemini() == "https://generativelanguage.googleapis.com");
    home.environment.variables["GOOGLE_GEMINI_BASE_URL"] = "http://set.example";
    CHECK(gemini() == "http://set.example");
  }

  TEST_CASE("a proxy of the environment is not asked for spoor's") {
    Home home;
    home.environment.variables["https_proxy"] = "http://proxy.example:3128";
    const auto exceptions = [&] {
      auto variables = home.to("claude").variables;
      variables.erase(variables.begin());
      return variables;
    };
    CHECK(exceptions() == Variables{{"NO_PROXY", "127.0.0.1"}, {"no_proxy", "127.0.0.1"}});
    home.environment.variables["no_proxy"] = "intra.example";
    CHECK(exceptions() == Variables{{"NO_PROXY", "intra.example,127.0.0.1"},
                                    {"no_proxy", "intra.example,127.0.0.1"}});
    home.environment.variables["NO_PROXY"] = "localhost";
    CHECK(exceptions()[0].second == "localhost,127.0.0.1");
    home.environment.variables.erase("https_proxy");
    CHECK(exceptions().empty());
  }

  TEST_CASE("Ollama's variable is an address in short") {
    constexpr std::array kOllama = {
        import::AgentProvider{"ollama", "http://127.0.0.1:11434", "OLLAMA_HOST"}};
    MapEnvironment environment;
    for (const auto& [value, upstream] :
         Variables{{"", "http://127.0.0.1:11434"},
                   {"0.0.0.0", "http://127.0.0.1:11434"},
                   {":99", "http://127.0.0.1:99"},
                   {"gpu:80", "http://gpu:80"},
                   {"https://gpu.example/x", "https://gpu.example/x"}}) {
      environment.variables["OLLAMA_HOST"] = value;
      const import::AgentRedirect how{.providers = kOllama};
      CHECK(Redirect::make(how, environment)->routes()[0].upstream == upstream);
    }
  }

  TEST_CASE("what is no address, and settings that are no JSON") {
    Home home;
    home.environment.variables["ANTHROPIC_BASE_URL"] = "api.anthropic.com";
    CHECK(home.redirect("claude").error().code == Error::Code::invalid);
    home.write(".claude/settings.json", "{");
    CHECK(home.redirect("claude").error().code == Error::Code::invalid);
  }
}
