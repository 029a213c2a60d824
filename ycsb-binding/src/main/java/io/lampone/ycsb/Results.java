package io.lampone.ycsb;

import io.lampone.client.LamponeException.Code;
import java.util.Set;

/** What may become of a transaction without anything having failed. */
final class Results {

  /** As {@code lampone ycsb} counts them. */
  private static final Set<Code> RESULTS =
      Set.of(Code.CONFLICT, Code.ABORTED, Code.BLOCKED, Code.TIMEOUT);

  private Results() {}

  /** Whether a thread goes on after it: YCSB ends one that is told of a failure. */
  static boolean isResult(Code code) {
    return RESULTS.contains(code);
  }
}
