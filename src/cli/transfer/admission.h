#pragma once

#include "compile/scrubber.h"
#include "sync/intake.h"

namespace spoor::cli {

/// Adds the checks of a store whose texts pass through `scrubber` to how it takes the objects of
/// others: what is in objects and names of refs cannot be changed, so those that would be are
/// refused. A long text is looked at part by part. `scrubber` must outlive them.
void admit_only_scrubbed(sync::Intake& intake, const compile::Scrubber& scrubber);

}  // namespace spoor::cli
