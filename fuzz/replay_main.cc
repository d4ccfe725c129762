// Runs a fuzz target over files instead of under libFuzzer, so that an ordinary build with any
// compiler tests its corpus.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// The files under `root` (or `root` itself) in a fixed order. A missing folder is an empty corpus.
std::vector<fs::path> files_under(const fs::path& root) {
  std::vector<fs::path> files;
  if (fs::is_regular_file(root)) files.push_back(root);
  if (fs::is_directory(root)) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const fs::path& file) {
  std::fprintf(stderr, "%s\n", file.c_str());  // Names the culprit if the target aborts.
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  run(whole);

  // Every torn form of a small input is an input too.
  constexpr std::size_t kSmall = 512;
  for (std::size_t size = 0; whole.size() <= kSmall && size < whole.size(); ++size) {
    run(whole.substr(0, size));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run("");
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
      for (const fs::path& file : files_under(argv[i])) {
        replay(file);
        ++count;
      }
    }
    std::printf("replayed %zu inputs\n", count);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
