// What gdb is shown of the runtime (gdb/heddle-gdb.py): the worker of each thread, and through its type where
// invocations stand. The rest of the library has line numbers alone; this file is compiled with types and variables.

#include "runtime/scheduler.h"

namespace heddle::runtime {

constinit thread_local Worker* worker_of_thread = nullptr;

}  // namespace heddle::runtime
