// Landlock: files of the host outside the given paths can be neither read nor written nor run, and
// no process outside the job can be signalled, whatever the tracer fails to translate.
#define _GNU_SOURCE
#include "../launch.h"

#include "../../confine/ruleset.h"

static void allow_all(int ruleset, const struct paths *paths, uint64_t rights) {
  for (size_t i = 0; paths->items[i]; i++) {
    if (!allow_beneath(ruleset, paths->items[i], rights)) fail_at("Landlock", paths->items[i]);
  }
}

void enter_landlock(const struct plan *plan) {
  if (!plan->landlock) return;
  if (landlock_abi() == 0) fail_with("Landlock: this kernel has none");
  int ruleset = open_ruleset(0, SCOPE_SIGNALS);
  allow_all(ruleset, &plan->read_paths, READ_FILE | READ_DIR);
  allow_all(ruleset, &plan->execute_paths, READ_FILE | READ_DIR | EXECUTE);
  allow_all(ruleset, &plan->write_paths, file_rights());
  enter_ruleset(ruleset);
}
