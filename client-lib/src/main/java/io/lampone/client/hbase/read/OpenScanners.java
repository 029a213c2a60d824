package io.lampone.client.hbase.read;

import io.lampone.client.core.range.ScanProgress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Scanners of a transaction that the application has not closed. Thread-safe. */
public final class OpenScanners {

  private final Set<BlockingScanner> scanners = ConcurrentHashMap.newKeySet();
  private final long bufferBytes;

  /**
   * @param bufferBytes size of results in a scanner at which the scan is stopped
   */
  public OpenScanners(long bufferBytes) {
    this.bufferBytes = bufferBytes;
  }

  /** Opens a scanner. */
  public BlockingScanner open(BlockingScanner.Calls calls, ScanProgress progress) {
    BlockingScanner[] self = new BlockingScanner[1];
    self[0] = new BlockingScanner(bufferBytes, calls, progress, () -> scanners.remove(self[0]));
    scanners.add(self[0]);
    return self[0];
  }

  /** Closes all; their next calls fail. */
  public void end(Supplier<? extends Exception> why) {
    for (BlockingScanner scanner : List.copyOf(scanners)) {
      // Its next call must not return the end of the data.
      scanner.onError(why.get());
      scanner.close();
    }
  }
}
