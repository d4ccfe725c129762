#pragma once

#include <string>
#include <utility>
#include <vector>

#include "guard/check/effects.h"
#include "guard/check/table.h"

namespace spoor::guard::check {

/// Reads the effects of one command, by its row of the table: effects.cc handles the options,
/// operands.cc the other words, single_programs.cc what rows cannot express. Only for effects_of().
class EffectsReader {
 public:
  EffectsReader(const Command& command, Effects& to, int nesting)
      : command_(command), to_(to), folder_(command.folder), nesting_(nesting) {}

  void read();

 private:
  using Reach = Change::Reach;

  void unknown(std::string why);
  void add(const Word& given, Reach reach = Reach::itself);
  void add_all(const std::vector<Word>& words, Reach reach);
  void add_in(const Word& folder, const Word& named, Reach reach = Reach::itself);
  void add_some();
  void add_names(const Word& beginning);
  void add_edited(const std::vector<Word>& words);
  void read_variable(const Word& name);
  void add_address(const Word& word);
  void read_redirect(const Redirect& redirect);
  void read_assigned(const Word& word, bool is_alone);
  void read_program();
  void read_options(const Program& row, const Options& given);
  bool is_in_folder(const Program& row, const Options& given, const Word& file);
  void add_run(const Word& file);
  void read_code(const Program& row, const Word& code);
  void read_sql(const Word& text);
  void read_operands(const Program& row, const Options& given, const std::vector<Word>& words);

  void read_moved(const Program& row, const Options& given, bool is_deep);
  bool add_remote_path(const Word& word);
  void read_remotes(const std::vector<Word>& operands);
  void read_file(const Program& row, const Options& given);
  void read_module();
  void read_project(const Program& row, const std::vector<Word>& operands);
  void read_packages(const Program& row, const std::vector<Word>& operands);
  void read_filter(const Program& row, const Options& given);

  void read_fetched(const Program& row, const Options& given);
  void drop_executed(std::vector<Word>& words);
  void read_tree(const Program& row, const Options& given, const std::vector<Word>& words);
  void read_own(const Program& row, const Options& given, const std::vector<Word>& words);
  void read_found(const Options& given);
  void read_tar(const Options& given);
  void read_patch(const Options& given);

  const Command& command_;
  Effects& to_;
  std::string folder_;
  const int nesting_;
};

}  // namespace spoor::guard::check
