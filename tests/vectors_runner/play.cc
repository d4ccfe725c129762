#include "tests/vectors_runner/play.h"

#include <set>

#include "tests/vectors_runner/expect.h"
#include "tests/vectors_runner/session.h"

namespace spoor::vectors {
namespace {

// `{i}` in every string of a repeated op.
Json numbered(const Json& value, const std::string& number) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (std::size_t at = 0; (at = text.find("{i}", at)) != std::string::npos;) {
      text.replace(at, 3, number);
      at += number.size();
    }
    return text;
  }
  if (!value.is_array() && !value.is_object()) return value;
  Json copy = value;
  for (auto& item : copy) item = numbered(item, number);
  return copy;
}

bool only_reads(const std::string& op) {
  static const std::set<std::string> kReading = {
      "show", "resolve", "log",    "status",       "compile", "annotations", "versions",
      "diff", "search",  "bisect", "reasoning_of", "tags",    "verify"};
  return kReading.contains(op);
}

class Player {
 public:
  explicit Player(Backend& backend) : session_(backend) {}

  std::vector<std::string> run(const Vector& vector) {
    try {
      must(session_.open(Json::object()));
      for (const Json& op : vector.ops) {
        if (!problems_.empty()) return problems_;  // What follows would only repeat it.
        play_op(op);
      }
      check_all(vector.expect);
    } catch (const BadVector& problem) {
      problems_.push_back(problem.what());
    } catch (const Json::exception& problem) {
      problems_.push_back(std::string("a field of another type: ") + problem.what());
    }
    return problems_;
  }

 private:
  void play_op(const Json& raw) {
    session_.clock().advance(1);
    const Json op = bindings_.replace_in_op(raw);
    const std::string name = op["op"];
    if (name == "batch") return play_batch(op);
    if (play_driver_op(name, op)) return;
    const Result<void> played = play_library_op(name, op);
    if (!played) problems_.push_back(name + ": " + in_words(played.error()));
  }

  static std::string in_words(const Error& error) {
    return std::string(name_of(error.code)) + ": " + error.message;
  }

  // The error, when the op failed without being expected to.
  Result<void> play_library_op(const std::string& name, const Json& op) {
    const Json before = must(session_.snapshot());
    const Result<Json> result = session_.run(op);
    if ((!result || only_reads(name)) && must(session_.snapshot()) != before) {
      problems_.push_back(name + ": an op that must change nothing changed something");
    }
    return judge(op, result);
  }

  Result<void> judge(const Json& op, const Result<Json>& result) {
    const std::string name = op["op"];
    if (!op.contains("expect_error")) {
      if (!result) return result.error();
      if (op.contains("id")) bindings_.bind(op["id"], result.value());
      return {};
    }
    const std::string wanted = op["expect_error"];
    if (result) {
      problems_.push_back(name + ": expected the error '" + wanted + "', but it succeeded");
    } else if (wanted != name_of(result.error().code)) {
      problems_.push_back(name + ": expected the error '" + wanted + "', got " +
                          in_words(result.error()));
    }
    return {};
  }

  void play_batch(const Json& op) {
    const Json before = must(session_.snapshot());
    const Bindings bound = bindings_;
    const bool fail = op.value("fail", false);
    const Result<void> done = session_.batch(fail, [&]() -> Result<void> {
      for (const Json& raw : op["ops"]) {
        session_.clock().advance(1);
        const Json inner = bindings_.replace_in_op(raw);
        const std::string name = inner["op"];
        if (!play_driver_op(name, inner)) TRY(play_library_op(name, inner));
      }
      return {};
    });
    if (!done) bindings_ = bound;  // An op that fails binds nothing.
    if ((!done || fail) && must(session_.snapshot()) != before) {
      problems_.push_back("batch: it was taken back, but something changed");
    }
    Result<Json> result = Json();
    if (!done) result = done.error();
    const Result<void> judged = judge(op, result);
    if (!judged) problems_.push_back("batch: " + in_words(judged.error()));
  }

  // False when it is not the driver's.
  bool play_driver_op(const std::string& name, const Json& op) {
    if (name == "open") {
      must(session_.open(op));
    } else if (name == "reopen") {
      must(session_.reopen());
    } else if (name == "clock") {
      move_clock(op);
    } else if (name == "mark_time") {
      bind(op, session_.clock().now().text());
    } else if (name == "repeat") {
      repeat(op);
    } else if (name == "collide") {
      bind(op, must(session_.collide(op["max"], [this] { session_.clock().advance(1); })));
    } else if (name == "tamper") {
      must(session_.tamper(op["what"], op["target"], op.contains("to") ? op["to"] : Json()));
    } else if (name == "assert") {
      check_all(op["that"]);
    } else {
      return false;
    }
    return true;
  }

  void bind(const Json& op, const Json& value) {
    if (op.contains("id")) bindings_.bind(op["id"], value);
  }

  void move_clock(const Json& op) {
    if (op.contains("set")) {
      session_.clock().set(must(parse_rfc3339(op["set"].get<std::string>())));
    } else {
      session_.clock().advance(op["advance_s"]);
    }
  }

  void repeat(const Json& op) {
    for (int i = 0; i < op["n"].get<int>(); ++i) {
      Json once = numbered(op["do"], std::to_string(i));
      if (op.contains("id")) once["id"] = op["id"].get<std::string>() + std::to_string(i);
      play_op(once);
    }
  }

  void check_all(const Json& expectations) {
    const auto state_of = [this](const std::string& name) { return must(session_.state(name)); };
    for (const std::string& problem : check(expectations, bindings_, state_of)) {
      problems_.push_back(problem);
    }
  }

  Session session_;
  Bindings bindings_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> play(Backend& backend, const Vector& vector) {
  return Player(backend).run(vector);
}

}  // namespace spoor::vectors
