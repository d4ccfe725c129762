// What the calls that bench/bindings.mjs measures cost a C++ program:
//
//     spoor_calls FOLDER TURNS APPENDS TIPS COMPILES
//
// Prints {"append": [CPU, WALL], "tip": …, "compile": …}, in microseconds a call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include <spoor/spoor.h>

namespace {

template <class T>
T must(spoor::Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
  std::exit(1);
}

double cpu() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void measure(const char* name, int calls, const std::function<void()>& call) {
  for (int i = 0; i < calls / 5; ++i) call();
  const double cpu_before = cpu();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const double used = cpu() - cpu_before;
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  std::printf("\"%s\": [%f, %f]", name, used / calls, took.count() / calls);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const auto number = [&](int i) { return std::atoi(arguments[i]); };
  const spoor::Store store = must(spoor::Store::create(std::string(arguments[1]) + "/c.spoor"));
  const std::string text(600, 'x');
  spoor::Branch main = store.branch("main");
  spoor::Branch line = store.branch("long");
  for (int i = 0; i < number(2); ++i) {
    const std::string turn = std::to_string(i) + " " + text;
    must(i % 2 != 0 ? line.assistant(turn) : line.user(turn));
  }
  std::printf("{");
  measure("append", number(3), [&] { must(main.user(text)); });
  std::printf(", ");
  measure("tip", number(4), [&] { must(main.tip()); });
  std::printf(", ");
  measure("compile", number(5), [&] { must(line.compile()).render(spoor::Format::openai_chat); });
  std::printf("}\n");
}
