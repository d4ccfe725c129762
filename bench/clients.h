#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace spoor::bench {

/// Runs `work` in a thread for each client, and returns how many of its `each` pieces of work a
/// second all of them did together.
double rate_of(std::size_t clients, std::size_t each,
               const std::function<void(std::size_t client)>& work);

/// Returns the text of a turn, of 600 bytes, which no other turn has.
std::string turn_text(std::size_t client, std::size_t number);

/// Appends `each` turns by each client, on a branch of its own, to the stores in turn. Returns the
/// turns a second. `in_turn`: one client at a time, as where all operations are one chain.
double appended(const std::vector<std::string>& addresses, std::size_t clients, std::size_t each,
                bool in_turn = false);

}  // namespace spoor::bench
