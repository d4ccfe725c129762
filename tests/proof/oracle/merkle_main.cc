// Answers questions about one tree, a line for a line, for rfc6962_test.py. Entry i is the decimal
// text of i.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "proof/merkle.h"

using spoor::proof::Hash;

namespace {

std::vector<Hash> rest_of(std::istringstream& words) {
  std::vector<Hash> hashes;
  for (std::string word; words >> word;) hashes.push_back(Hash::from_hex(word).value());
  return hashes;
}

std::string joined(const std::vector<Hash>& hashes) {
  std::string out;
  for (const Hash& each : hashes) out += each.hex() + " ";
  return out;
}

}  // namespace

int main() {
  constexpr int kEntries = 5'000;
  spoor::proof::MerkleTree tree;
  for (int i = 0; i < kEntries; ++i) tree.append(std::to_string(i));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    std::uint64_t one = 0;
    std::uint64_t size = 0;
    words >> verb >> one >> size;
    if (verb == "root") std::cout << tree.root(size).hex();
    if (verb == "inclusion") std::cout << joined(tree.inclusion(one, size));
    if (verb == "consistency") std::cout << joined(tree.consistency(one, size));
    if (verb == "by") {
      const auto root = spoor::proof::root_by(spoor::proof::leaf_hash(std::to_string(one)), one,
                                              size, rest_of(words));
      std::cout << (root ? root->hex() : "none");
    }
    if (verb == "consistent") {
      const auto roots = rest_of(words);
      const auto proof = std::span(roots).subspan(2);
      std::cout << spoor::proof::is_consistent(one, roots[0], size, roots[1], proof);
    }
    std::cout << '\n';
  }
}
