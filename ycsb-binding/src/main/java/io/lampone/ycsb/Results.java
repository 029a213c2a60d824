package io.lampone.ycsb;

import io.lampone.client.LamponeException.Code;
import java.util.Set;

/** Outcomes of a transaction that are no failures. */
final class Results {

  /** As {@code lampone ycsb} counts them. */
  private static final Set<Code> RESULTS =
      Set.of(Code.CONFLICT, Code.ABORTED, Code.BLOCKED, Code.TIMEOUT);

  private Results() {}

  /** Returns true if a thread continues after it: YCSB ends one that reports a failure. */
  static boolean isResult(Code code) {
    return RESULTS.contains(code);
  }
}
