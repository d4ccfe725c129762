#include "tests/guard/corpus.h"

#include <array>

#include <fmt/format.h>

namespace spoor::guard {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kLowerDigits = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kUpperDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kWord = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

std::string_view alphabet_of(char name) {
  switch (name) {
    case 'd':
      return kDigits;
    case 'h':
      return kHex;
    case 'l':
      return kLower;
    case 'n':
      return kLowerDigits;
    case 'A':
      return kUpperDigits;
    case 'B':
      return kBase32;
    case 'b':
      return kBase64;
    case 'u':
      return kUrlSafe;
    default:
      return kWord;
  }
}

// A shape: text as it is, and `<a36>` for 36 of an alphabet. What stands between `{` and `}` is the
// secret; all of it where there are none.
struct Shape {
  const char* kind;
  std::vector<std::string_view> pieces;  // In pieces, so that no scanner takes it for a leak.
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"aws", {"AK", "IA<B16>"}},
      {"aws secret", {"aws_secret_access_key = {<b40>}\n"}},
      {"gcp", {"AI", "za<u34>a"}},
      {"google client", {"GOC", "SPX-<u28>"}},
      {"google token", {"ya", "29.<u60>a"}},
      {"azure storage", {"Account", "Key={<b86>==};Endpoint"}},
      {"digitalocean", {"do", "p_v1_<h64>"}},
      {"heroku", {"HR", "KU-<a60>"}},
      {"netlify", {"nf", "p_<a36>"}},
      {"supabase", {"sb", "p_<h40>"}},
      {"planetscale", {"pscale", "_tkn_<a43>"}},
      {"databricks", {"da", "pi<h32>"}},
      {"doppler", {"dp", ".pt.<a43>"}},
      {"vault", {"hv", "s.<a90>"}},
      {"terraform", {"<a14>.atl", "asv1.<a64>"}},
      {"pulumi", {"pu", "l-<h40>"}},
      {"anthropic", {"sk", "-ant-api03-<u93>AA"}},
      {"openai", {"sk", "-proj-<u60>a"}},
      {"openai old", {"sk", "-<a48>"}},
      {"openrouter", {"sk", "-or-v1-<h64>"}},
      {"huggingface", {"hf", "_<a34>"}},
      {"replicate", {"r", "8_<a37>"}},
      {"groq", {"gs", "k_<a52>"}},
      {"xai", {"xa", "i-<a80>"}},
      {"perplexity", {"pp", "lx-<a48>"}},
      {"langsmith", {"ls", "v2_pt_<h32>_<h10>"}},
      {"nvidia", {"nva", "pi-<u63>a"}},
      {"github", {"gh", "p_<a36>"}},
      {"github app", {"gh", "s_<a36>"}},
      {"github fine", {"github", "_pat_<a22>_<a59>"}},
      {"gitlab", {"gl", "pat-<u19>a"}},
      {"bitbucket", {"AT", "BB<a32>"}},
      {"npm", {"np", "m_<a36>"}},
      {"pypi", {"py", "pi-AgEIcHlwaS5vcmc<u80>a"}},
      {"rubygems", {"ruby", "gems_<h48>"}},
      {"docker", {"dckr", "_pat_<u26>a"}},
      {"circleci", {"CCI", "PAT_<a22>_<h40>"}},
      {"sonar", {"sq", "u_<h40>"}},
      {"stripe", {"sk", "_live_<a24>"}},
      {"stripe webhook", {"wh", "sec_<a32>"}},
      {"square", {"sq", "0csp-<u42>a"}},
      {"shopify", {"shp", "at_<h32>"}},
      {"slack", {"xo", "xb-<d12>-<d12>-<a24>"}},
      {"slack webhook", {"https://hooks.sl", "ack.com/services/{T<A8>/B<A8>/<a24>}"}},
      {"discord webhook", {"https://dis", "cord.com/api/webhooks/{<d18>/<u67>a}"}},
      {"telegram", {"<d9>:A", "A<a33>"}},
      {"twilio", {"S", "K<h32>"}},
      {"sendgrid", {"S", "G.<u22>.<u42>a"}},
      {"mailgun", {"ke", "y-<h32>"}},
      {"mailchimp", {"<h32>-u", "s12"}},
      {"brevo", {"xkey", "sib-<h64>-<a16>"}},
      {"linear", {"lin", "_api_<a40>"}},
      {"notion", {"nt", "n_<a46>"}},
      {"figma", {"fi", "gd_<u39>a"}},
      {"airtable", {"pa", "t<a14>.<h64>"}},
      {"postman", {"PM", "AK-<h24>-<h34>"}},
      {"sentry", {"sn", "tryu_<h64>"}},
      {"new relic", {"NR", "AK-<A27>"}},
      {"grafana", {"gl", "sa_<a32>_<h8>"}},
      {"posthog", {"ph", "x_<a43>"}},
      {"age", {"AGE-SECRET", "-KEY-1<A58>"}},
      {"jwt", {"ey", "J<a34>.ey", "J<u60>.<u42>a"}},
      {"private key",
       {"{-----BEGIN ", "PRIVATE KEY-----\n<b64>\n<b64>\n<b20>\n-----END ", "PRIVATE KEY-----}"}},
      {"database", {"postgres://app:{<a14>}@db.internal:5432/app"}},
      {"redis", {"redis://:{<a20>}@cache:6379/0"}},
      {"bearer", {"Authorization: Bea", "rer {<a40>}"}},
      {"api key", {"api_key = \"{<a32>}\""}},
      {"client secret", {"client_secret: {<a40>}"}},
      {"password", {"password: {<l5><d3><a6>}"}},
      {"email", {"{<l7>.<l5><d2>@<l9>.com}"}},
      {"phone", {"call {+49 30 <d8>} now"}},
      {"us phone", {"call {(415) 555-<d4>} now"}},
      {"card", {"#card"}},
      {"iban", {"#iban"}},
  };
  return all;
}

// Adds the digit that makes Luhn's sum a multiple of ten.
std::string card_number(Dice& dice) {
  std::string digits = "4" + dice.some(kDigits, 14);
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int digit = digits[i] - '0';
    if (i % 2 == 0) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  digits += static_cast<char>('0' + (10 - sum % 10) % 10);
  return digits;
}

// German: 18 digits behind the check digits, which make the number 1 modulo 97.
std::string iban(Dice& dice) {
  const std::string account = dice.some(kDigits, 18);
  unsigned rest = 0;
  for (const char c : account + "131400") rest = (rest * 10 + static_cast<unsigned>(c - '0')) % 97;
  return fmt::format("DE{:02}{}", 98 - rest, account);
}

std::string grown(std::string_view shape, Dice& dice) {
  std::string out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_blank = shape[i] == '<' && i + 2 < shape.size() &&
                          kDigits.find(shape[i + 2]) != std::string_view::npos;
    if (!is_blank) {
      out += shape[i];
      continue;
    }
    const char name = shape[i + 1];
    std::size_t count = 0;
    for (i += 2; shape[i] != '>'; ++i)
      count = count * 10 + static_cast<std::size_t>(shape[i] - '0');
    out += dice.some(alphabet_of(name), count);
  }
  return out;
}

Told told(const Shape& shape, Dice& dice) {
  std::string joined;
  for (const std::string_view piece : shape.pieces) joined += piece;
  return made_up(shape.kind, joined, dice);
}

std::string hex_groups(Dice& dice) {
  return fmt::format("{}-{}-4{}-a{}-{}", dice.some(kHex, 8), dice.some(kHex, 4), dice.some(kHex, 3),
                     dice.some(kHex, 3), dice.some(kHex, 12));
}

}  // namespace

Told made_up(std::string_view kind, std::string_view shape, Dice& dice) {
  Told made{.kind = std::string(kind)};
  if (shape == "#card" || shape == "#iban") {
    made.secret = shape == "#card" ? card_number(dice) : iban(dice);
    made.text = made.secret;
    return made;
  }
  made.text = grown(shape, dice);
  const std::size_t begin = made.text.find('{');
  const std::size_t end = made.text.find('}');
  if (begin == std::string::npos) {
    made.secret = made.text;
    return made;
  }
  made.secret = made.text.substr(begin + 1, end - begin - 1);
  made.text = made.text.substr(0, begin) + made.secret + made.text.substr(end + 1);
  return made;
}

std::string wrapped(const std::string& text, std::size_t way) {
  switch (way % 6) {
    case 0:
      return text;
    case 1:
      return fmt::format("I put this into the settings, please check: {} \nThank you.", text);
    case 2:
      return fmt::format("export VALUE=\"{}\"\n", text);
    case 3:
      return fmt::format("2026-01-02T03:04:05Z INFO started with ({})\n", text);
    case 4:
      return fmt::format("const value = '{}';\nrun(value);\n", text);
    default:
      return fmt::format("naïve — {}, „so“", text);
  }
}

std::uint64_t Dice::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::string Dice::some(std::string_view alphabet, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += alphabet[below(alphabet.size())];
  return out;
}

std::vector<Told> made_up_secrets(std::size_t count, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Told> all;
  for (std::size_t i = 0; i < count; ++i) {
    Told made = told(shapes()[i % shapes().size()], dice);
    made.text = wrapped(made.text, i / shapes().size());
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<std::string> look_alikes(std::size_t count, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string word = dice.some(kLower, 6);
    switch (i % 20) {
      case 0:
        all.push_back(fmt::format("/srv/{}/jobs/{}/src/{}.cc", word, dice.some(kLower, 9),
                                  dice.some(kWord, 12)));
        break;
      case 1:
        all.push_back(hex_groups(dice));
        break;
      case 2:
        all.push_back("commit " + dice.some(kHex, 40));
        break;
      case 3:
        all.push_back(fmt::format("https://{}.example.com/{}/{}?page={}&id={}", word, word,
                                  dice.some(kWord, 16), dice.below(99), hex_groups(dice)));
        break;
      case 4:
        all.push_back("data:image/png;base64,iVBORw0KGgo" + dice.some(kBase64, 1200) + "==");
        break;
      case 5:
        all.push_back("sha256:" + dice.some(kHex, 64));
        break;
      case 6:
        all.push_back(
            fmt::format("toolu_01{} call_{}", dice.some(kWord, 22), dice.some(kWord, 24)));
        break;
      case 7:
        all.push_back(fmt::format("2026-0{}-1{}T0{}:1{}:2{}.{}+02:00", 1 + dice.below(9),
                                  dice.below(9), dice.below(9), dice.below(9), dice.below(9),
                                  dice.some(kDigits, 6)));
        break;
      case 8:
        all.push_back(fmt::format("git@github.com:{}/{}.git", word, dice.some(kLower, 8)));
        break;
      case 9:
        all.push_back(
            fmt::format("diff --git a/{0}.ts b/{0}.ts\nindex {1}..{2} 100644\n@@ -{3},7 "
                        "+{3},9 @@\n+{4}\n-{5}",
                        word, dice.some(kHex, 7), dice.some(kHex, 7), dice.below(9000),
                        dice.below(99'999'999), word));
        break;
      case 10:
        all.push_back(
            fmt::format("{}@{}.{}.{}", word, dice.below(9), dice.below(30), dice.below(30)));
        break;
      case 11:
        all.push_back(
            fmt::format("C:\\Users\\{}\\AppData\\Local\\{}.log", word, dice.some(kWord, 10)));
        break;
      case 12:
        all.push_back(fmt::format("assets/{}@2x.png, {}.min.js", word, dice.some(kLower, 5)));
        break;
      case 13:
        all.push_back(
            fmt::format("{{\"input_tokens\": {}, \"output_tokens\": {}, \"timestamp\": "
                        "17{}}}",
                        dice.below(99999), dice.below(9999), dice.some(kDigits, 11)));
        break;
      case 14:
        all.push_back(
            fmt::format("msg_01{} req_011C{}", dice.some(kWord, 22), dice.some(kWord, 20)));
        break;
      case 15:
        all.push_back(
            fmt::format("password = getpass.getpass()  # {}\napi_key = "
                        "settings.{}.api_key\ntoken = next(tokens)\n",
                        word, word));
        break;
      case 16:
        all.push_back(
            fmt::format("{{\"id\": \"{}\", \"parentUuid\": \"{}\", \"file_path\": "
                        "\"/srv/{}/{}.py\", \"signature\": \"{}\"}}",
                        hex_groups(dice), hex_groups(dice), word, word, dice.some(kBase64, 200)));
        break;
      case 17:
        all.push_back(fmt::format("\"integrity\": \"sha512-{}==\"", dice.some(kBase64, 86)));
        break;
      case 18:
        all.push_back(fmt::format("0x{} #{} v1.{}.{}-rc.1 127.0.0.1:{} {}.{}", dice.some(kHex, 16),
                                  dice.some(kHex, 6), dice.below(40), dice.below(40),
                                  1024 + dice.below(60000), dice.below(99),
                                  dice.some(kDigits, 15)));
        break;
      default:
        all.push_back(
            fmt::format("The {} was asked for its token, key and secret; none came. See "
                        "https://docs.example.org/{}#password",
                        word, word));
        break;
    }
  }
  return all;
}

std::string base64_of(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j > bytes.size() ? '=' : kBase64[three >> (18 - 6 * j) & 63U];
    }
  }
  return out;
}

}  // namespace spoor::guard
