package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.ScannerBook.Checked;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.junit.jupiter.api.Test;

/** Checks of a scan of families at rest. */
class SnapshotReadsTest {

  private static final long SNAPSHOT = 256;

  private final AtomicInteger checks = new AtomicInteger();

  /** It may open further scanners later, and read what has been written meanwhile. */
  @Test
  void aScannerOfAnotherObserverIsCheckedAfterItsBatchesToo() {
    Checked checked = open(new WrappingObserver.Wrapper(null));
    assertThat(checks).hasValue(1);
    assertThat(checked.atRest()).isNotNull();
    checked.atRest().run();
    assertThat(checks).hasValue(2);
  }

  @Test
  void noScannerIsOpenedWhenTheFamiliesAreNotAtRestAnyMore() {
    assertThatThrownBy(
            () ->
                SnapshotReads.atRest(
                        SNAPSHOT,
                        () -> {
                          throw new IllegalStateException("written to");
                        })
                    .opened(new WrappingObserver.Wrapper(null)))
        .hasMessage("written to");
  }

  private Checked open(RegionScanner scanner) {
    return SnapshotReads.atRest(SNAPSHOT, checks::incrementAndGet).opened(scanner);
  }
}
