// A program outside the repository that uses the installed library.
#include <cstdio>

#include "store/object.h"
#include "store/oid.h"

int main() {
  const spoor::store::Oid oid = spoor::store::object_name(spoor::store::Kind::blob, "hello");
  std::printf("%s\n", oid.hex().c_str());
  return 0;
}
