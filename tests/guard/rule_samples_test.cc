// What the rules find and pass over: samples of every rule, the examples of another scanner,
// dummies.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "guard/redact/dummies.h"
#include "guard/redact/redactor.h"
#include "tests/guard/corpus.h"

namespace spoor::guard {
namespace {

namespace fs = std::filesystem;

const RuleSet& builtin() {
  static const std::unique_ptr<RuleSet> rules = RuleSet::with_builtin().value();
  return *rules;
}

std::string redacted(const std::string& text) {
  MemoryNumbering numbers;
  return Redactor(builtin(), numbers).redact(text).value();
}

struct Sample {
  std::string_view rule;
  std::vector<std::string_view> pieces;  // Of a shape, so that no scanner takes it for a leak.
};

// What the providers say of their keys (corpus.h has the alphabets), written apart from the rules.
const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"private-key",
       {"{-----BEGIN RSA ", "PRIVATE KEY-----\n<b64>\n<b64>\n<b20>\n-----END RSA ",
        "PRIVATE KEY-----}"}},
      {"private-key", {"{-----BEGIN OPENSSH ", "PRIVATE KEY-----\\n<b70>\\n<b40>}"}},
      {"age-key", {"AGE-SECRET", "-KEY-1<A58>"}},
      {"aws-key", {"AK", "IA<B16>"}},
      {"aws-key", {"AS", "IA<B16>"}},
      {"aws-secret", {"aws_secret_access_key = {<b39>x}\n"}},
      {"aws-secret", {"\"SecretAccessKey\": \"{<b39>x}\""}},
      {"aws-session", {"AWS_SESSION_TOKEN={IQoJb3Jp", "Z2lu<b300>}"}},
      {"gcp-key", {"AI", "za<u34>a"}},
      {"google-client-secret", {"GOC", "SPX-<u27>a"}},
      {"google-token", {"ya", "29.<u60>a"}},
      {"google-refresh", {"1/", "/0<u60>a"}},
      {"azure-storage", {"Account", "Key={<b86>==};Endpoint"}},
      {"azure-client-secret", {"secret={<a3>8", "Q~<u33>a}"}},
      {"azure-sas", {"https://x.blob.core.windows.net/c?sv=2022-11-02&si", "g={<a43>%3D}"}},
      {"azure-devops", {"<a76>", "AZDO<a4>"}},
      {"digitalocean", {"do", "p_v1_<h64>"}},
      {"digitalocean", {"do", "r_v1_<h64>"}},
      {"heroku", {"HR", "KU-AA<a58>"}},
      {"cloudflare-ca", {"v1", ".0-<h24>-<h146>"}},
      {"cloudflare", {"CLOUDFLARE_API_TOKEN={<a40>}"}},
      {"cloudflare", {"cloudflare_api_key: \"{<h37>}\""}},
      {"alibaba", {"LT", "AI<a20>"}},
      {"tencent", {"AK", "ID<a32>"}},
      {"fly", {"FlyV1 {fm", "2_<b120>}"}},
      {"fly", {"fo", "1_<u42>a"}},
      {"netlify", {"nf", "p_<a36>"}},
      {"vercel-blob", {"vercel_blob", "_rw_<a16>_<a30>"}},
      {"render", {"rn", "d_<a32>"}},
      {"supabase", {"sb", "p_<h40>"}},
      {"supabase", {"sb_", "secret_<a22>_<a8>"}},
      {"planetscale", {"pscale", "_tkn_<a43>"}},
      {"planetscale", {"pscale", "_pw_<a43>"}},
      {"databricks", {"da", "pi<h32>"}},
      {"doppler", {"dp", ".pt.<a43>"}},
      {"doppler", {"dp", ".st.dev.<a43>"}},
      {"vault", {"hv", "s.<u94>a"}},
      {"vault", {"hv", "b.<u139>a"}},
      {"terraform", {"<a14>.atl", "asv1.<a64>"}},
      {"pulumi", {"pu", "l-<h40>"}},
      {"anthropic-key", {"sk", "-ant-api03-<u93>AA"}},
      {"anthropic-key", {"sk", "-ant-admin01-<u93>AA"}},
      {"openrouter-key", {"sk", "-or-v1-<h64>"}},
      {"openai-key", {"sk", "-proj-<u74>T3BlbkFJ<u73>a"}},
      {"openai-key", {"sk", "-<a20>T3BlbkFJ<a20>"}},
      {"huggingface", {"hf", "_<a34>"}},
      {"huggingface", {"api_", "org_<a34>"}},
      {"replicate", {"r", "8_<a37>"}},
      {"groq", {"gs", "k_<a52>"}},
      {"xai", {"xa", "i-<a80>"}},
      {"perplexity", {"pp", "lx-<a48>"}},
      {"langsmith", {"ls", "v2_pt_<h32>_<h10>"}},
      {"tavily", {"tv", "ly-dev-<a32>"}},
      {"nvidia", {"nva", "pi-<u63>a"}},
      {"github-token", {"gh", "p_<a36>"}},
      {"github-token", {"gh", "s_<a36>"}},
      {"github-token", {"gh", "r_<a36>"}},
      {"github-pat", {"github", "_pat_<a22>_<a59>"}},
      {"gitlab-token", {"gl", "pat-<u19>a"}},
      {"gitlab-token", {"gl", "rt-t1_<u19>a"}},
      {"gitlab-token", {"gl", "ptt-<h40>"}},
      {"gitlab-token", {"gl", "dt-<u19>a"}},
      {"atlassian", {"AT", "ATT3<u185>a"}},
      {"atlassian", {"AT", "BB<a32>"}},
      {"npm", {"np", "m_<a36>"}},
      {"pypi", {"py", "pi-AgEIcHlwaS5vcmc<u80>a"}},
      {"rubygems", {"ruby", "gems_<h48>"}},
      {"crates-io", {"ci", "o<a32>"}},
      {"docker", {"dckr", "_pat_<u26>a"}},
      {"nuget", {"oy", "2<n43>"}},
      {"artifactory", {"AK", "Cp<a69>"}},
      {"circleci", {"CCI", "PAT_<a22>_<h40>"}},
      {"buildkite", {"bk", "ua_<h40>"}},
      {"sonarqube", {"sq", "u_<h40>"}},
      {"stripe-key", {"sk", "_live_<a24>"}},
      {"stripe-key", {"rk", "_test_<a99>"}},
      {"stripe-key", {"wh", "sec_<a32>"}},
      {"square", {"EA", "AA<u59>a"}},
      {"square", {"sq", "0atp-<u21>a"}},
      {"square", {"sq", "0csp-<u42>a"}},
      {"braintree", {"access_token$pro", "duction$<n16>$<h32>"}},
      {"shopify", {"shp", "at_<h32>"}},
      {"shopify", {"shp", "ss_<h32>"}},
      {"plaid", {"access-sand", "box-<h8>-<h4>-<h4>-<h4>-<h12>"}},
      {"flutterwave", {"FLW", "SECK_TEST-<h32>-X"}},
      {"flutterwave", {"FLW", "SECK_TEST-<h12>"}},
      {"flutterwave", {"FLW", "PUBK_TEST-<h32>-X"}},
      {"slack-token", {"xo", "xb-<d12>-<d12>-<a24>"}},
      {"slack-token", {"xo", "xe.xo", "xp-1-<A163>"}},
      {"slack-token", {"xa", "pp-1-<A11>-<d13>-<h64>"}},
      {"slack-webhook", {"https://hooks.sl", "ack.com/services/{T<A8>/B<A8>/<a24>}"}},
      {"discord-webhook", {"https://dis", "cord.com/api/webhooks/{<d18>/<u67>a}"}},
      {"discord-token", {"DISCORD_TOKEN={MT", "<a24>.<a6>.<u37>a}"}},
      {"telegram", {"bot{<d9>:A", "A<u32>a}"}},
      {"twilio-key", {"S", "K<h32>"}},
      {"twilio-token", {"TWILIO_AUTH_TOKEN={<h32>}"}},
      {"sendgrid", {"S", "G.<u22>.<u42>a"}},
      {"mailgun", {"ke", "y-<h32>"}},
      {"mailgun", {"<h32>-<h8>-<h8> of mailgun"}},
      {"mailchimp", {"<h32>-u", "s12"}},
      {"command-password", {"mysql -uroot -p", "{<a12>} app"}},
      {"command-password", {"sshpass -p ", "{<a10>} ssh me@h"}},
      {"option-password", {"tool --password", " {a1<a12>} x"}},
      {"variable-password", {"export DB_PASS", "WORD={q<a12>x}"}},
      {"variable-password", {"PGPASS", "WORD={q<a12>x} psql"}},
      {"quoted-password", {"\"pass", "word\": \"{a1$<a10>;x}\""}},
      {"letters-password", {"pass", "word: {qwhx<l8>mtva}\n"}},
      {"secret-key-setting", {"SECRET", "_KEY = 'django-insecure-{a4(k!<a30>&7}'"}},
      {"docker-auth", {"\"auth\": \"", "{<b40>}\""}},
      {"session-cookie", {"Cookie: theme=dark; sess", "ion={a1<a30>}"}},
      {"session-cookie", {"PHPSESS", "ID={a1<a26>}"}},
      {"brevo", {"xkey", "sib-<h64>-<a16>"}},
      {"resend", {"r", "e_<a8>_<a24>"}},
      {"teams-webhook",
       {"https://x.webhook.off",
        "ice.com/webhookb2/{<h8>-<h4>-<h4>-<h4>-<h12>@<h8>-<h4>-<h4>-<h4>-<h12>/IncomingWebhook/"
        "<h32>/<h8>-<h4>-<h4>-<h4>-<h12>}"}},
      {"linear", {"lin", "_api_<a40>"}},
      {"notion", {"nt", "n_<d11><a35>"}},
      {"notion", {"se", "cret_<a43>"}},
      {"figma", {"fi", "gd_<u39>a"}},
      {"airtable", {"pa", "t<a14>.<h64>"}},
      {"dropbox", {"s", "l.<u135>a"}},
      {"postman", {"PM", "AK-<h24>-<h34>"}},
      {"sentry", {"sn", "tryu_<h64>"}},
      {"sentry", {"sn", "trys_eyJpYXQiO<a90>_<b42>a"}},
      {"new-relic", {"NR", "AK-<A27>"}},
      {"new-relic", {"NR", "JS-<h19>"}},
      {"new-relic", {"NR", "II-<a32>"}},
      {"grafana", {"gl", "sa_<a32>_<h8>"}},
      {"grafana", {"gl", "c_<b80>="}},
      {"dynatrace", {"dt0", "c01.<A24>.<A64>"}},
      {"datadog", {"DD_API_KEY={<h32>}"}},
      {"datadog", {"datadog_app_key: {<h40>}"}},
      {"posthog", {"ph", "x_<a43>"}},
      {"okta", {"okta_api_token = \"{00<u39>a}\""}},
      {"okta", {"SSWS {00<u39>a}"}},
      {"jwt", {"ey", "J<a34>.ey", "J<u60>.<u42>a"}},
      {"url-password", {"postgres://app:{<a14>}@db.internal:5432/app"}},
      {"url-password", {"redis://:{<a20>}@cache:6379/0"}},
      {"curl-user", {"curl -u app:{<a14>} https://example.com/x"}},
      {"netrc-password", {"machine example.com login me password {<a14>}"}},
      {"auth-header", {"Authorization: Bea", "rer {<a40>}"}},
      {"auth-header", {"authorization: Ba", "sic {<b30>==}"}},
      {"api-key", {"api_key = \"{<a32>}\""}},
      {"api-key", {"client_secret: {<a40>}"}},
      {"password", {"password: {<l5><d3><a6>}"}},
      {"email", {"{<l7>.<l5><d2>@<l9>.com}"}},
      {"phone", {"call {+49 30 <d8>} now"}},
      {"phone", {"call {(415) 555-<d4>} now"}},
      {"phone-field", {"phone: {030 90<d4>-11}"}},
      {"card", {"#card"}},
      {"iban", {"#iban"}},
      {"onepassword-secret-key", {"A", "3-<A6>-<A6>-<A5>-<A5>-<A5>-<A5>"}},
      {"onepassword-service", {"op", "s_eyJ<a260>"}},
      {"adobe-secret", {"p8", "e-<a32>"}},
      {"authress", {"sc_<n10>.<n4>", ".acc-<n12>.<a43>"}},
      {"aws-bedrock", {"AB", "SKQmVkcm9jaw<a120>="}},
      {"aws-bedrock", {"bedrock-api", "-key-YmVkcm9jay5hbWF6b25hd3MuY29t<a80>"}},
      {"clickhouse", {"4b", "1d<a38>"}},
      {"clojars", {"CLO", "JARS_<n60>"}},
      {"defined-networking", {"dn", "key-<A26>-<A52>"}},
      {"duffel", {"duf", "fel_test_<u42>x"}},
      {"easypost", {"EZ", "AK<a54>"}},
      {"facebook-app", {"facebook {<d16>|<u26>x}"}},
      {"facebook-token", {"EA", "AM<a150>"}},
      {"frameio", {"fi", "o-u-<u63>x"}},
      {"freemius", {"'secret_key' => '{sk", "_<a29>}'"}},
      {"gcp-service-account", {"\"type\": \"{service", "_account}\""}},
      {"gitlab-runner", {"GR", "1348941<a20>"}},
      {"gitlab-runner", {"_gitlab", "_session=<h32>"}},
      {"grafana-legacy", {"eyJ", "rIjoi<a80>"}},
      {"harness", {"pa", "t.<a22>.<h24>.<a20>"}},
      {"infracost", {"ic", "o-<a32>"}},
      {"intra42", {"s-s4", "t2ud-<h64>"}},
      {"artifactory-reference", {"cm", "VmdGtuOjAx<a52>"}},
      {"jwt-base64", {"ZX", "lKaGJHY2lPaUpJVXpJMU5pSXNJblI1<a60>"}},
      {"kubernetes-secret",
       {"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: ", "{<b24>==}\n"}},
      {"kubernetes-secret-data",
       {"apiVersion: v1\ndata:\n  password: ", "{<b24>==}\nkind: Secret\n"}},
      {"mapbox", {"p", "k.eyJ1Ijoi<a52>.<a22>"}},
      {"maxmind", {"<a6>_<a29>", "_mmk"}},
      {"nuget-password", {"<add key=\"ClearTextPass", "word\" value=\"{<a14>}\" />"}},
      {"octopus", {"apikey=\"{AP", "I-<A26>}\""}},
      {"openshift", {"sha", "256~<a43>"}},
      {"prefect", {"pn", "u_<a36>"}},
      {"readme-io", {"rd", "me_<n70>"}},
      {"scalingo", {"tk", "-us-<u47>x"}},
      {"settlemint", {"sm", "_aat_<a16>"}},
      {"shippo", {"ship", "po_live_<h40>"}},
      {"sidekiq", {"BUNDLE_ENTERPRISE__CONTRIB", "SYS__COM: {<h8>:<h8>}"}},
      {"sidekiq", {"https://{<h8>:<h8>}@gems.contrib", "sys.com/x"}},
      {"sourcegraph", {"sg", "p_<h16>_<h40>"}},
      {"sourcegraph", {"sg", "p_local_<h40>"}},
      {"sourcegraph", {"sg", "p_<h40>"}},
      {"typeform", {"tf", "p_<a44>_<a14>"}},
      {"vault-legacy", {"token: {s", ".ZC9<a21>}"}},
      {"yandex", {"t", "1.<a40>.<u85>x"}},
      {"yandex", {"AQ", "VN<a36>"}},
      {"chief-tools", {"ct", "p_<a46>"}},
      {"service-key", {"adafruit_io_key = \"{<n32>}\""}},
      {"service-key", {"adobe_client_id: {<h32>}"}},
      {"service-key", {"airtableToken := \"{<n17>}\""}},
      {"service-key", {"algolia_api_key={<n32>}"}},
      {"service-key", {"alibaba_secret={<n30>}"}},
      {"service-key", {"asanaToken = \"{<n32>}\""}},
      {"service-key", {"confluence_api_token = '{<n24>}'"}},
      {"service-key", {"BEAMER_API_KEY: {b_", "<a44>}"}},
      {"service-key", {"bitbucketClientSecret = \"{<n64>}\""}},
      {"service-key", {"bittrexToken: \"{<n32>}\""}},
      {"service-key", {"codecov_token={<n32>}"}},
      {"service-key", {"CO_API_KEY={<a40>}"}},
      {"service-key", {"coinbase_token => \"{<n64>}\""}},
      {"service-key", {"confluentToken = \"{<n64>}\""}},
      {"service-key", {"contentful_token = '{<u42>x}'"}},
      {"service-key", {"discordToken = \"{<h64>}\""}},
      {"service-key", {"droneci_TOKEN := {<n32>}"}},
      {"service-key", {"dropboxToken = \"{<n15>}\""}},
      {"service-key", {"etsyToken = \"{<n24>}\""}},
      {"service-key", {"facebook_secret={<h32>}"}},
      {"service-key", {"fastlyToken = \"{<u31>x}\""}},
      {"service-key", {"finicity_token: {<h32>}"}},
      {"service-key", {"finnhub_token: {<n20>}"}},
      {"service-key", {"flickr_token: {<n32>}"}},
      {"service-key", {"freshbooksToken ?= '{<n64>}'"}},
      {"service-key", {"gitter_token={<u39>x}"}},
      {"service-key", {"gocardless = \"{live_<a40>}\""}},
      {"service-key", {"intercom_api_key={<u59>x}"}},
      {"service-key", {"jfrog_api_key={<n73>}"}},
      {"service-key", {"artifactory_token={<n64>}"}},
      {"service-key", {"kucoin_token={<h24>}"}},
      {"service-key", {"launchdarkly_sdk = \"{<u39>x}\""}},
      {"service-key", {"\"linear_token\": \"{<h32>}\""}},
      {"service-key", {"linkedin_secret={<n16>}"}},
      {"service-key", {"lobToken = \"{live_<h35>}\""}},
      {"service-key", {"looker_client_secret={<n24>}"}},
      {"service-key", {"mattermost_token={<n26>}"}},
      {"service-key", {"messagebird_token={<n25>}"}},
      {"service-key", {"netlify_token={<u41>x}"}},
      {"service-key", {"new_relic_id={<n64>}"}},
      {"service-key", {"nytimes_key={<u31>x}"}},
      {"service-key", {"plaid_secret={<n30>}"}},
      {"service-key", {"privateai_token={<n32>}"}},
      {"service-key", {"rapidapi_key={<u49>x}"}},
      {"service-key", {"sendbird_token={<h40>}"}},
      {"service-key", {"sentry_token={<h64>}"}},
      {"service-key", {"sonar_login={<h40>}"}},
      {"service-key", {"<twitchToken>\n  {<n30>}\n</twitchToken>"}},
      {"service-key", {"sourcegraph: {<h40>}"}},
      {"service-key", {"sumologic_key={<n64>}"}},
      {"service-key", {"travis_token={<n22>}"}},
      {"service-key", {"twitter_key={<n25>}"}},
      {"service-key", {"twitter_secret={<n50>}"}},
      {"service-key", {"twitter_access_token={<d18>-", "<a32>}"}},
      {"service-key", {"yandex_key={YC", "<a38>}"}},
      {"service-key", {"zendesk_token={<n40>}"}},
      {"service-uuid", {"HEROKU_API_KEY={<h8>-<h4>-<h4>-<h4>-<h12>}"}},
      {"service-uuid", {"snyk_token: \"{<h8>-<h4>-<h4>-<h4>-<h12>}\""}},
      {"service-number", {"asana_client_id = \"{<d16>}\""}},
      {"service-number", {"discord_client_id={<d18>}"}},
      {"meraki", {"meraki_api_key = \"{<h40>}\""}},
      {"kraken", {"KRAKEN_SECRET={<b86>==}"}},
      {"twitter", {"AAAAAAAAAAAAAAAAAAAAAA", "<a80>"}},
      {"telegram-named", {"TELEGRAM_TOKEN={<d6>:A", "<a34>}"}},
      {"terraform-password", {"administrator_login_pass", "word = \"{<a12>}\""}},
      {"curl-header", {"curl -H 'X-Api-Key: {<a20>}' https://example.com"}},
      {"curl-header", {"curl --header \"Authorization: {<a24>}\" https://x.test"}},
  };
  return all;
}

}  // namespace

TEST_SUITE("guard/redact/rule_samples") {
  TEST_CASE("of thousands of made-up secrets of every rule none is left, of rules that guess 1 %") {
    Dice dice(20261124);
    std::map<std::string_view, std::size_t> tried;
    std::map<std::string_view, std::size_t> left;
    for (const Sample& sample : samples()) {
      std::string shape;
      for (const std::string_view piece : sample.pieces) shape += piece;
      for (std::size_t i = 0; i < 1000; ++i) {
        const Told told = made_up(sample.rule, shape, dice);
        const bool is_line = told.text.find('\n') != std::string::npos;
        const std::string text = is_line ? told.text : wrapped(told.text, i);
        ++tried[sample.rule];
        if (redacted(text).find(told.secret) != std::string::npos) ++left[sample.rule];
      }
    }
    for (const Rule& rule : builtin().rules()) {
      CHECK_MESSAGE(tried[rule.id] > 0, rule.id, " has no sample");
      // A rule that guesses passes over what looks like a word: short keys without a digit do.
      const std::size_t most = rule.guesses ? tried[rule.id] / 100 : 0;
      CHECK_MESSAGE(left[rule.id] <= most, rule.id, ": ", left[rule.id], " are left");
    }
  }

  TEST_CASE("of gitleaks' examples no secret is left, and at most 2 % of the look-alikes change") {
    const fs::path file = fs::path(SPOOR_SOURCE_DIR) / "../shared/secret-examples/examples.json";
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      MESSAGE("skipped: no examples at ", file.string());
      return;
    }
    std::map<std::string, std::size_t> count;
    std::map<std::string, std::size_t> changed;
    const auto file_read = nlohmann::json::parse(in);
    for (const auto& example : file_read["examples"]) {
      const std::string hex = example["text_hex"];
      std::string text;
      for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      }
      const std::string kind = example["kind"];
      ++count[kind];
      if (redacted(text) != text) ++changed[kind];
    }
    CHECK(count["secret"] > 0);
    CHECK(changed["secret"] == count["secret"]);
    CHECK(100 * changed["look-alike"] <= 2 * count["look-alike"]);
    MESSAGE(changed["secret"], " of ", count["secret"], " secrets and ", changed["look-alike"],
            " of ", count["look-alike"], " look-alikes changed");
  }

  TEST_CASE("what obviously stands for a secret is none") {
    for (const char* dummy : {"xxxxxxxxxxxxxxxxxxxx",
                              "XXXXXXXX-XXXX-XXXX",
                              "********",
                              "sk-...",
                              "abcd\u2026wxyz",
                              "<your-api-key>",
                              "${API_KEY}",
                              "$API_KEY",
                              "$(cat key)",
                              "{{ secrets.KEY }}",
                              "%KEY%",
                              "@KEY@",
                              "[token]",
                              "AKIAIOSFODNN7EXAMPLE",
                              "changeme",
                              "change_me_now",
                              "your_api_key",
                              "YOUR-ACCESS-TOKEN",
                              "put_your_token_here",
                              "0000000000000000",
                              "aaaaaaaabbbbbbbb",
                              "123123123123123123",
                              "deadbeefdeadbeefdeadbeef",
                              "abcdefghijklmnopqrstuvwxyz",
                              "12345678901234567890",
                              "qwertyuiopasdfgh",
                              "a1aaaaaaaaaaaaaaaaaa"}) {
      CHECK_MESSAGE(is_dummy(dummy), dummy);
    }
  }

  TEST_CASE("of 100,000 random keys none is taken for a dummy") {
    Dice dice(20261125);
    for (std::size_t i = 0; i < 100'000; ++i) {
      const Told key = made_up("key", i % 2 == 0 ? "<a20>" : "<h32>", dice);
      CHECK_MESSAGE(!is_dummy(key.secret), key.secret);
    }
    CHECK_FALSE(is_dummy("Summer2031x"));
    CHECK_FALSE(is_dummy("0123456789abcdefghijABCDEFGHIJ012345"));
  }

  TEST_CASE("a placeholder in a key's form stays, in a text and in JSON") {
    const std::string key = std::string("gh") + "p_";
    for (const std::string& text :
         {key + std::string(36, 'x'), "token: " + key + std::string(36, 'X'),
          "{\"api_key\":\"" + key + std::string(40, '0') + "\"}",
          std::string("api_key = \"YOUR_API_KEY_GOES_HERE_1\""),
          std::string("API_KEY=${PROVIDER_KEY_V2_PRODUCTION}"),
          std::string("postgres://app:<password1>@db/app"),
          std::string("password: ${DB_PASSWORD_2}")}) {
      CHECK(redacted(text) == text);
    }
  }
}

}  // namespace spoor::guard
