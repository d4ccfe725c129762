// Stands for a part of macOS's CoreFoundation, which zig does not carry. Abseil asks it for the name of the
// local time zone, and spoor never asks Abseil: nothing is known here.
#pragma once

#include <stddef.h>

typedef const void *CFTypeRef;
typedef const void *CFStringRef;
typedef const void *CFTimeZoneRef;
typedef long CFIndex;
typedef unsigned CFStringEncoding;

enum { kCFStringEncodingUTF8 = 0x08000100 };

static inline void CFRelease(CFTypeRef object) { (void)object; }
static inline CFTimeZoneRef CFTimeZoneCopyDefault(void) { return NULL; }
static inline CFStringRef CFTimeZoneGetName(CFTimeZoneRef zone) { return (void)zone, (CFStringRef)NULL; }
static inline CFIndex CFStringGetLength(CFStringRef text) { return (void)text, 0; }
static inline CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding) {
  return (void)encoding, length;
}
static inline int CFStringGetCString(CFStringRef text, char *buffer, CFIndex size, CFStringEncoding encoding) {
  return (void)text, (void)buffer, (void)size, (void)encoding, 0;
}
