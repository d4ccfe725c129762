// The size of a file, and what packing it saves and costs.
#include <sys/stat.h>

#include <fmt/format.h>

#include "bench/figures.h"
#include "bench/workload.h"

namespace spoor::bench {
namespace {

constexpr int kRounds = 11;

double file_size(const std::string& path) {
  double size = 0;
  for (const char* suffix : {"", "-wal"}) {
    struct stat status {};
    if (stat((path + suffix).c_str(), &status) == 0) size += static_cast<double>(status.st_size);
  }
  return size;
}

double distinct_contents(const Repository& repository) {
  double size = 0;
  must(repository.store().scan([&](const store::StoredObject& stored) {
    if (stored.object.kind == store::Kind::blob) {
      size += static_cast<double>(stored.object.body.size() - sizeof(store::Salt));
    }
    return true;
  }));
  return size;
}

void add_size(const std::string& name, const std::string& path, double target,
              std::vector<Row>& rows) {
  const auto repository = must(Repository::open(path));
  must_be_sound(*repository);
  const double contents = distinct_contents(*repository);
  const double size = file_size(path);
  rows.push_back({name, size / 1e6, "MB", contents / 1e6, size / contents, target,
                  Row::Want::at_most, "floor: the distinct contents, uncompressed"});
}

// Seconds of processor time to read and verify every object, and the log, of a store.
double read_all(const std::string& path) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const auto repository = must(Repository::open(path));
    const double before = processor_seconds();
    std::uint64_t bytes = 0;
    must(repository->store().scan([&](const store::StoredObject& stored) {
      must(store::object_name(stored.object.kind, stored.object.body) == stored.oid,
           "not its name");
      bytes += stored.object.body.size();
      return true;
    }));
    must(bytes > 0, "nothing was read");
    times.push_back(processor_seconds() - before);
  }
  return median(times);
}

double run_often(const std::vector<std::string>& command) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) times.push_back(run_processor_seconds(command));
  return median(times);
}

// A store as its writer leaves it, and a packed copy of it beside it.
void add_packing(const std::string& name, const std::string& path, std::vector<Row>& rows) {
  const std::string packed = path + "-packed";
  std::filesystem::copy_file(path, packed);  // Closed, so there is no log beside it.
  trust(packed);
  const double contents = distinct_contents(*must(Repository::open(path)));
  const double floor = run_processor_seconds({"sh", "-c", fmt::format("zstd -q -3 < '{}'", path)});
  const double took = run_processor_seconds(
      {SPOOR_PROGRAM, "--store", packed, "store", "gc", "--prune", "--vacuum"});
  add_size("file size, " + name, path, 1.30, rows);
  add_size("… packed", packed, 0.40, rows);
  rows.push_back({"… packing it", contents / 1e6 / took, "MB/s", contents / 1e6 / floor,
                  floor / took, 0.5, Row::Want::at_least,
                  "floor: zstd -3 of the unpacked file as a whole"});
  const double before = read_all(path);
  const double after = read_all(packed);
  rows.push_back({"… reading all of it", contents / 1e6 / after, "MB/s", contents / 1e6 / before,
                  before / after, std::nullopt, Row::Want::at_least, "floor: the unpacked store"});
  const auto log = [](const std::string& store) {
    return std::vector<std::string>{SPOOR_PROGRAM, "--store", store, "log", "-n", "20", "--all"};
  };
  const double plain = run_often(log(path));
  const double framed = run_often(log(packed));
  rows.push_back({"… its log -n 20 --all, whole process", framed * 1e3, "ms", plain * 1e3,
                  framed / plain, std::nullopt, Row::Want::at_most, "floor: the unpacked store"});
}

}  // namespace

void measure_size(std::vector<Row>& rows) {
  const ScratchFolder folder;
  make_store(folder.path("made"), make_texts(sized(10'000))).reset();
  add_size("file size, made-up turns", folder.path("made"), 1.30, rows);

  const auto sets = real_sessions();
  for (const auto& set : sets) {
    const std::string path = folder.path(set.filename());
    for (const std::string& store : {path, folder.path("all")}) {
      if (!std::filesystem::exists(store)) run_seconds({SPOOR_PROGRAM, "--store", store, "init"});
      run_seconds({SPOOR_PROGRAM, "--store", store, "import", set});
    }
    add_packing(set.filename(), path, rows);
  }
  if (!sets.empty()) add_packing("all of these in one store", folder.path("all"), rows);
}

}  // namespace spoor::bench
