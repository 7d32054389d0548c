#pragma once

// `labquery --batch`: request lines in, record lines out, one for one and in order, one query at a
// time.

#include "base/file_descriptor.hh"

namespace clients {

class QueryRunner;

// Serves requests until `requests` ends. Each record is one line, written by one write(2) when its
// query is over. Throws LabError on a request that cannot be read: its sender has a bug, and a
// guess would be measured as if it were right.
void run_batch(const base::FileDescriptor& requests, const base::FileDescriptor& records,
               QueryRunner& runner, bool keylog_inline);

}  // namespace clients
