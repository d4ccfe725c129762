#pragma once

#include "import/importer.h"

// The list of all importers. Each is documented in the file that defines it.

namespace spoor::import {

namespace claude_code {
extern const Importer kClaudeCode;
}

namespace codex {
extern const Importer kCodex;
}

namespace formats {
extern const Importer kAdp, kAider, kAnthropic, kAntigravity, kAtif, kChat, kCopilot, kCursor,
    kDroid, kGemini, kGeminiCli, kGeneric, kGrok, kHermes, kInspect, kKimi, kMiniSweAgent,
    kOpenCode, kOpenHands, kOtel, kPi, kQwenCode, kResponses, kShareGpt, kSweAgent, kTauBench;
}

}  // namespace spoor::import
