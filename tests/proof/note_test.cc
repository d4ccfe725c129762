// Signed notes, their keys, and the cosignatures of witnesses (https://c2sp.org/signed-note).
#include "proof/note.h"

#include <doctest/doctest.h>

#include "base/big_endian.h"
#include "store/sha256.h"

using namespace spoor;
using namespace spoor::proof;

namespace {

// The example in the documentation of Go's golang.org/x/mod/sumdb/note.
constexpr const char* kGoKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
constexpr const char* kGoNote =
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\u2014 PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    "\n";

const std::string kSecret(store::sha256("a secret").view());

VerifierKey key_of(const std::string& name, VerifierKey::Signs signs = VerifierKey::Signs::notes) {
  return {name, signs, store::public_key_of(kSecret).value()};
}

Note signed_note(const std::string& text) {
  return {text, {sign_note(text, "spoor/1", kSecret).value()}};
}

// As a witness makes it.
NoteSignature cosign(const Note& note, std::uint64_t seconds) {
  const std::string message = "cosignature/v1\ntime " + std::to_string(seconds) + "\n" + note.text;
  const auto made = store::sign_message(kSecret, message).value();
  NoteSignature line{"witness.example/w",
                     id_of(key_of("witness.example/w", VerifierKey::Signs::cosignatures)),
                     {}};
  append_big_endian(line.bytes, seconds, 8);
  line.bytes.append(made.begin(), made.end());
  return line;
}

}  // namespace

TEST_SUITE("proof/note") {
  TEST_CASE("a note that another program signed is genuine") {
    const Note note = parse_note(kGoNote).value();
    const VerifierKey key = parse_verifier_key(kGoKey).value();
    CHECK(key.name == "PeterNeumann");
    CHECK(signature_by(note, key));
    CHECK(serialize(note) == kGoNote);
    CHECK(serialize(key) == kGoKey);
  }

  TEST_CASE("each changed byte of a note is refused") {
    const std::string text = serialize(signed_note("origin\n1\nroot\n"));
    const VerifierKey key = key_of("spoor/1");
    REQUIRE(signature_by(parse_note(text).value(), key));
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char other : {'\n', 'A', '=', ' ', static_cast<char>(text[i] ^ 1)}) {
        std::string changed = text;
        changed[i] = other;
        if (changed == text) continue;
        CAPTURE(changed);
        const auto note = parse_note(changed);
        CHECK((!note || !signature_by(*note, key)));
      }
    }
  }

  TEST_CASE("a signature by another key counts as none, a wrong one by this key as damage") {
    const Note note = signed_note("text\n");
    CHECK(signature_by(note, key_of("spoor/2")).error().code == Error::Code::not_found);
    CHECK(signature_by(note, key_of("spoor/1", VerifierKey::Signs::cosignatures)).error().code ==
          Error::Code::not_found);
    Note other = note;
    other.text = "another\n";
    CHECK(signature_by(other, key_of("spoor/1")).error().code == Error::Code::corrupt);
    other = note;  // A genuine one does not excuse one that is not.
    other.signatures.push_back(note.signatures.front());
    other.signatures.back().bytes.back() ^= 1;
    CHECK(signature_by(other, key_of("spoor/1")).error().code == Error::Code::corrupt);
  }

  TEST_CASE("a witness signs the time with the text") {
    Note note = signed_note("origin\n1\nroot\n");
    const VerifierKey witness = key_of("witness.example/w", VerifierKey::Signs::cosignatures);
    CHECK_FALSE(signature_by(note, witness));
    note.signatures.push_back(cosign(note, 1'679'315'147));
    CHECK(cosigned_at(signature_by(note, witness).value()).text() == "2023-03-20T12:25:47.000000Z");
    CHECK(parse_note(serialize(note)).value() == note);
    note.signatures.back().bytes[7] ^= 1;  // Another second.
    CHECK(signature_by(note, witness).error().code == Error::Code::corrupt);
    note.signatures.back() = cosign(note, ~std::uint64_t{0});  // No calendar has this time.
    CHECK(signature_by(note, witness).error().code == Error::Code::corrupt);
    note.signatures.back().bytes.resize(3);
    CHECK(signature_by(note, witness).error().code == Error::Code::corrupt);
  }

  TEST_CASE("what is not a note, or not a key, is refused") {
    for (const char* text : {"", "\n", "text\n", "text\n\n", "text\n\nno dash\n",
                             "text\n\n\u2014 name AAAAAA==", "text\n\n\u2014 a+b AAAAAAA=\n",
                             "text\n\n\u2014 name AAAA\n", "te\txt\n\n\u2014 name AAAAAAA=\n",
                             "text\n\n\u2014  AAAAAAA=\n", "\xff\n\n\u2014 name AAAAAAA=\n",
                             "text\n\n\u2014 a\u00a0b AAAAAAA=\n"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_note(text));
    }
    CHECK(parse_note("text\n\n\u2014 name AAAAAAA=\n"));
    const std::string good = serialize(key_of("spoor/1"));
    CHECK(parse_verifier_key(good).value() == key_of("spoor/1"));
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string changed = good;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      CAPTURE(changed);
      CHECK_FALSE(parse_verifier_key(changed));
    }
    CHECK_FALSE(parse_verifier_key("name+00000000"));
    CHECK_FALSE(parse_verifier_key(""));
  }
}
