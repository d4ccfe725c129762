// Stands for a part of macOS's SystemConfiguration, which zig does not carry. curl asks it for the system's
// proxies and uses none of them. What is lost: in a network that has IPv6 alone, macOS then makes an IPv6
// address of an IPv4 one that is spelled out.
#pragma once

#include <CoreFoundation/CFTimeZone.h>

typedef const void *CFDictionaryRef;

static inline CFDictionaryRef SCDynamicStoreCopyProxies(const void *store) {
  return (void)store, (CFDictionaryRef)NULL;
}
