#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace spoor::testing {

/// A key and a certificate that it signed itself, for 127.0.0.1 and localhost, made now.
class SelfSigned {
 public:
  SelfSigned();

  EVP_PKEY* key() const { return key_.get(); }
  X509* certificate() const { return certificate_.get(); }
  std::string pem() const;

 private:
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

}  // namespace spoor::testing
