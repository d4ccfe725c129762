#pragma once

#include "import/importer.h"

// The importers there are. Each is documented where it is defined, in the file of its name.

namespace spoor::import {

namespace claude_code {
extern const Importer kClaudeCode;
}

namespace codex {
extern const Importer kCodex;
}

namespace formats {
extern const Importer kAdp, kAider, kAnthropic, kAntigravity, kAtif, kChat, kCopilot, kCursor,
    kDroid, kGeminiCli, kGeneric, kGrok, kHermes, kInspect, kKimi, kMiniSweAgent, kOpenCode,
    kOpenHands, kOtel, kPi, kQwenCode, kResponses, kShareGpt, kSweAgent, kTauBench;
}

}  // namespace spoor::import
