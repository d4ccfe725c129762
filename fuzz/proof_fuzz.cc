// Any bytes as a proof, a note, lines of signatures or a key: what parses prints back to itself,
// and no other text than the one that the key signed is proven. Then as the evidence of a proof
// whose log has exactly that operation: it is refused with a reason, or its path ends at the commit
// that is shown.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "proof/proof.h"
#include "store/sha256.h"

using namespace spoor;
using namespace spoor::proof;

namespace {

void require(bool claim) {
  if (!claim) std::abort();
}

const std::string& secret() {
  static const std::string key(store::sha256("the key of a log").view());
  return key;
}

const VerifierKey& verifier() {
  static const VerifierKey key{"spoor/log", VerifierKey::Signs::notes,
                               store::public_key_of(secret()).value()};
  return key;
}

// The text that the proofs in the corpus are made with.
constexpr std::string_view kSigned = "spoor/log\n7\nIOKE7WhL9cOFo9elhF40hFja7ITnJHn7enCiZ+YQy5Q=\n";

void check_evidence(std::string_view bytes) {
  const std::string head =
      "c2sp.org/tlog-proof@v1\nextra " + encode_base64(bytes) + "\nindex 0\n\n";
  const auto unsigned_yet = parse_proof(head + "a\n\n\u2014 a AAAAAAA=\n");
  if (!unsigned_yet) return;
  Proof proof = *unsigned_yet;
  MerkleTree tree;
  tree.append(proof.evidence.operation.view());
  proof.checkpoint.text = serialize(Checkpoint{"spoor/log", 1, tree.root(1)});
  proof.checkpoint.signatures = {sign_note(proof.checkpoint.text, "spoor/log", secret()).value()};
  const auto proven = verify(proof, verifier(), {});
  if (!proven) return require(!proven.error().message.empty());
  require(proven->operation.has_value() == !proof.evidence.body.empty());
  require(proven->commit.has_value() == !proof.evidence.path.empty());
  if (!proven->commit) return;
  const store::Object& last = proof.evidence.path.back();
  require(proven->commit->oid == store::object_name(last.kind, last.body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto proof = parse_proof(bytes)) {
    require(serialize(*proof) == bytes);
    if (verify(*proof, verifier(), {})) require(proof->checkpoint.text == kSigned);
  }
  if (const auto note = parse_note(bytes)) {
    require(serialize(*note) == bytes);
    (void)parse_checkpoint(note->text);
    const VerifierKey witness{"spoor/log", VerifierKey::Signs::cosignatures, verifier().key};
    (void)signature_by(*note, witness);
    if (signature_by(*note, verifier())) require(note->text == kSigned);
  }
  if (const auto lines = parse_signatures(bytes); lines && !lines->empty()) {
    require(serialize(Note{"", *lines}) == "\n" + std::string(bytes));
  }
  if (const auto key = parse_verifier_key(bytes)) require(serialize(*key) == bytes);
  check_evidence(bytes);
  return 0;
}
