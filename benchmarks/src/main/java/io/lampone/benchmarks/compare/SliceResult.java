package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.report.LatencyBySize;
import io.lampone.benchmarks.report.Fields;

/**
 * Result of a client in a slice.
 *
 * @param committed committed transactions
 * @param conflicts transactions aborted by a write conflict
 * @param aborted transactions that ended without effect for another reason
 * @param nanos duration of the slice, until the end of its last transaction
 * @param managerRequests requests to the server of timestamps and conflicts
 * @param neededAborts aborts that no system could have avoided; see {@link UnavoidableAborts}
 * @param latencies latencies of committed transactions
 * @param bySize the same, by number of rows
 */
public record SliceResult(
    long committed,
    long conflicts,
    long aborted,
    long nanos,
    long managerRequests,
    long neededAborts,
    Latencies latencies,
    LatencyBySize bySize) {

  private static final String WORD = "slice";

  Fields encode() {
    return Fields.of(WORD)
        .with("committed", committed)
        .with("conflicts", conflicts)
        .with("aborted", aborted)
        .with("nanos", nanos)
        .with("managerRequests", managerRequests)
        .with("neededAborts", neededAborts)
        .with("latencies", latencies.encode())
        .with("bySize", bySize.encode());
  }

  static SliceResult decode(Fields line) {
    return new SliceResult(
        line.number("committed"),
        line.number("conflicts"),
        line.number("aborted"),
        line.number("nanos"),
        line.number("managerRequests"),
        line.number("neededAborts"),
        Latencies.decode(line.text("latencies")),
        LatencyBySize.decode(line.text("bySize")));
  }
}
