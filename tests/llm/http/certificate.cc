#include "tests/llm/http/certificate.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace spoor::testing {
namespace {

void require(bool happened) {
  if (!happened) throw std::runtime_error("no certificate could be made");
}

void add_extension(X509* certificate, int id, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

SelfSigned::SelfSigned()
    : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
  require(key_ != nullptr && certificate_ != nullptr);
  X509* made = certificate_.get();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_gmtime_adj(X509_getm_notBefore(made), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made), 3600);
  X509_set_pubkey(made, key_.get());
  X509_NAME* name = X509_get_subject_name(made);
  const auto* common = reinterpret_cast<const unsigned char*>("spoor test");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
  X509_set_issuer_name(made, name);
  add_extension(made, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(made, key_.get(), EVP_sha256()) > 0);
}

std::string SelfSigned::pem() const {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(BIO_new(BIO_s_mem()), BIO_free);
  require(PEM_write_bio_X509(memory.get(), certificate_.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace spoor::testing
