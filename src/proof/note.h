#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timestamp.h"
#include "store/signature.h"

namespace spoor::proof {

/// One line below a note's text. The pair of name and id identifies a key and its algorithm.
struct NoteSignature {
  std::string name;
  std::uint32_t id = 0;
  std::string bytes;

  bool operator==(const NoteSignature&) const = default;
};

/// A text with signatures (https://c2sp.org/signed-note). Parsing verifies none of them: ask
/// signature_by() before the text is believed.
struct Note {
  std::string text;  ///< one or more lines, each with its line feed
  std::vector<NoteSignature> signatures;

  bool operator==(const Note&) const = default;
};

std::string serialize(const Note& note);

/// Parses a note. Code::invalid unless serialize() returns the same bytes.
Result<Note> parse_note(std::string_view bytes);

/// Parses lines of signatures alone, as a witness answers (https://c2sp.org/tlog-witness).
Result<std::vector<NoteSignature>> parse_signatures(std::string_view lines);

/// A key that others verify with: an Ed25519 key, its name, and what it signs.
struct VerifierKey {
  enum class Signs : std::uint8_t {
    notes = 1,        ///< the text
    cosignatures = 4  ///< a time and the text: a witness (https://c2sp.org/tlog-cosignature)
  };

  std::string name;
  Signs signs = Signs::notes;
  store::PublicKey key{};

  bool operator==(const VerifierKey&) const = default;
};

/// Returns the first four bytes of the SHA-256 of name, algorithm and key.
std::uint32_t id_of(const VerifierKey& key);

/// Returns `NAME+ID+KEY`, the form in which keys are given to others, and parses it. Code::invalid
/// for another form, or a key of another algorithm.
std::string serialize(const VerifierKey& key);
Result<VerifierKey> parse_verifier_key(std::string_view text);

/// Signs a note's text with a secret key (store/signature.h) under a name.
Result<NoteSignature> sign_note(std::string_view text, const std::string& name,
                                std::string_view secret_key);

/// Returns the signature of the note by this key. Code::not_found if there is none, Code::corrupt
/// if one is not genuine.
Result<NoteSignature> signature_by(const Note& note, const VerifierKey& key);

/// Returns the time at which a witness made such a signature.
Timestamp cosigned_at(const NoteSignature& signature);

}  // namespace spoor::proof
