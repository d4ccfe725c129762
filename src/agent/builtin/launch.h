#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/builtin/sandbox.h"
#include "base/descriptor.h"
#include "base/result.h"

// How process.h starts a program.
namespace spoor::agent::builtin {

/// Both ends of a pipe, above the standard descriptors, so that a child does not overwrite them.
struct Pipe {
  Descriptor out;  ///< to read from
  Descriptor in;
};
Result<Pipe> make_pipe();

/// Makes a pipe that is read without waiting.
Result<Pipe> make_output();

/// Returns a descriptor above the standard ones for the same file.
Result<Descriptor> above_standard(Descriptor descriptor);

/// Returns Code::io: `cannot WHAT: ` and the system's words for `problem`, an errno.
Error cannot(std::string_view what, int problem);

/// Everything that a child process needs, made before the fork: between fork and exec nothing may
/// be allocated, since another thread may hold the allocator's lock.
struct Launch {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<char*> programs;
  int folder;
  int input;  ///< /dev/null, or the given file
  int output;
  int errors;
  int report;  ///< receives a Trouble if it cannot start
  int report_reader;
  int status;        ///< receives the command's status from a namespace's first process; -1: none
  const Jail* jail;  ///< null: not confined
  std::string folder_path;  ///< the path of `folder`, to enter it inside the jail's own tree
  struct stat folder_is;

  bool has_namespaces() const { return jail != nullptr && jail->flags() != 0; }
};

/// The reason why a program could not be started.
struct Trouble {
  enum class With : int { program, jail };
  With with = With::program;
  int problem = 0;
};

/// Forks with signals blocked, so that none of our handlers runs in the child, which becomes the
/// program. Returns -1 and sets errno.
pid_t launch(const Launch& plan);

}  // namespace spoor::agent::builtin
