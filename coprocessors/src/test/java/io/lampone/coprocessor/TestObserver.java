package io.lampone.coprocessor;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;

/**
 * The real observer, with 4 local numbers of each tick, so that they run out all the time, and with
 * hooks that can be made to fail.
 */
@CoreCoprocessor
public final class TestObserver extends TransactionObserver {

  static final int LOCAL_NUMBERS = 4;

  // The observer is made by HBase, so test and observer have no other way to know each other.
  private static final AtomicReference<Fault> FAULT = new AtomicReference<>();

  private static final AtomicReference<Runnable> BEFORE_SCANNER = new AtomicReference<>();

  /**
   * What the next call of a hook is to throw.
   *
   * @param error a RuntimeException or an Error
   */
  record Fault(String hook, Throwable error) {}

  /** Makes the next call of {@code hook} fail. */
  static void failNext(String hook, Throwable error) {
    FAULT.set(new Fault(hook, error));
  }

  /** Whether the fault that was planted has been met; takes it away. */
  static boolean hasFailed() {
    return FAULT.getAndSet(null) == null;
  }

  /**
   * Carries {@code what} out once, when the hook of a read has ended and its scanner is not open.
   */
  static void beforeNextScanner(Runnable what) {
    BEFORE_SCANNER.set(what);
  }

  /** Whether that has happened; takes it away. */
  static boolean hasHappened() {
    return BEFORE_SCANNER.getAndSet(null) == null;
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    super.preGetOp(context, get, result);
    interfere();
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
      throws IOException {
    super.preScannerOpen(context, scan);
    interfere();
  }

  private static void interfere() {
    Runnable what = BEFORE_SCANNER.getAndSet(null);
    if (what != null) {
      what.run();
    }
  }

  @Override
  LocalVersionClock newClock() {
    return new LocalVersionClock(LOCAL_NUMBERS);
  }

  /** Every hook begins here. */
  @Override
  public OpenRegion open() {
    Fault fault = FAULT.get();
    if (fault != null && isCalledFrom(fault.hook()) && FAULT.compareAndSet(fault, null)) {
      TestObserver.<RuntimeException>raise(fault.error());
    }
    return super.open();
  }

  private static boolean isCalledFrom(String hook) {
    Optional<String> innermost =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .filter(f -> f.getClassName().equals(TransactionObserver.class.getName()))
                        .map(StackWalker.StackFrame::getMethodName)
                        .filter(
                            name ->
                                name.matches("(pre|post)[A-Z][A-Za-z]*")
                                    && !name.equals("prePlain"))
                        .findFirst());
    return innermost.filter(hook::equals).isPresent();
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable error) throws T {
    throw (T) error;
  }
}
