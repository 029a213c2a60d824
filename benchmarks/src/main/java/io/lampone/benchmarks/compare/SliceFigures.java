package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.report.LatencyBySize;
import java.util.OptionalLong;

/**
 * Figures of one contender, class and round.
 *
 * @param client result of the client
 * @param storeRequests requests to the region servers, from any client
 * @param bytes bytes on the connections of the client and of its server of timestamps, if known
 */
public record SliceFigures(SliceResult client, Cpu cpu, long storeRequests, OptionalLong bytes) {

  /** Time on the processor, by process. */
  public record Cpu(long clusterNanos, long clientNanos, long managerNanos) {

    public long nanos() {
      return clusterNanos + clientNanos + managerNanos;
    }

    private Cpu plus(Cpu more) {
      return new Cpu(
          clusterNanos + more.clusterNanos,
          clientNanos + more.clientNanos,
          managerNanos + more.managerNanos);
    }
  }

  /** Returns the sum of both. */
  public SliceFigures plus(SliceFigures more) {
    Latencies latencies = new Latencies();
    latencies.add(client.latencies());
    latencies.add(more.client.latencies());
    LatencyBySize bySize = new LatencyBySize();
    bySize.add(client.bySize());
    bySize.add(more.client.bySize());
    return new SliceFigures(
        new SliceResult(
            client.committed() + more.client.committed(),
            client.conflicts() + more.client.conflicts(),
            client.aborted() + more.client.aborted(),
            client.nanos() + more.client.nanos(),
            client.managerRequests() + more.client.managerRequests(),
            client.neededAborts() + more.client.neededAborts(),
            latencies,
            bySize),
        cpu.plus(more.cpu),
        storeRequests + more.storeRequests,
        bytes.isPresent() && more.bytes.isPresent()
            ? OptionalLong.of(bytes.getAsLong() + more.bytes.getAsLong())
            : OptionalLong.empty());
  }
}
