package io.lampone.coprocessor;

import io.lampone.coprocessor.core.LocalVersionClock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;

/**
 * The real observer, with 4 local numbers of each tick, so that they run out all the time, and with
 * hooks that can be made to fail.
 */
@CoreCoprocessor
public final class TestObserver extends TransactionObserver {

  static final int LOCAL_NUMBERS = 4;

  // The observer is made by HBase, so test and observer have no other way to know each other.
  private static final AtomicReference<Fault> FAULT = new AtomicReference<>();

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

  @Override
  LocalVersionClock newClock() {
    return new LocalVersionClock(LOCAL_NUMBERS);
  }

  /** Every hook begins here. */
  @Override
  OpenRegion open() {
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
