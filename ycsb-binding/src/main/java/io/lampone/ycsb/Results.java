package io.lampone.ycsb;

import io.lampone.client.LamponeException.Code;
import java.util.Set;

/** Outcomes of a transaction that are no failures. */
final class Results {

  /** Codes that {@code lampone ycsb} counts as results. */
  private static final Set<Code> RESULTS =
      Set.of(Code.CONFLICT, Code.ABORTED, Code.BLOCKED, Code.TIMEOUT);

  private Results() {}

  /** Returns true if a thread continues after it: YCSB ends threads that report a failure. */
  static boolean isResult(Code code) {
    return RESULTS.contains(code);
  }
}
