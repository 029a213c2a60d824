package io.lampone.embedded;

import io.lampone.hbase.RefusalException;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.client.RegionInfo;

/**
 * Faults that {@link FaultyObserver} applies to the requests at the region servers of this JVM. A
 * test adds faults, and removes them by closing them.
 */
public final class Faults {

  // HBase creates the observer, so a static is the only link between test and observer.
  private static final List<Fault> FAULTS = new CopyOnWriteArrayList<>();

  private Faults() {}

  /** Interceptor of every request that changes transactional data. */
  public interface Fault {

    /** Called before a request is executed; an exception replaces its execution. */
    default void before(RegionInfo region, RegionRequest request) throws IOException {}

    /** Called after a request has been executed; its exception replaces the reply. */
    default void after(RegionInfo region, RegionRequest request) throws IOException {}

    /** Called before a read is executed. */
    default void beforeRead(RegionInfo region) throws IOException {}

    /** Called when a read has been executed, before its reply. */
    default void afterRead(RegionInfo region) throws IOException {}

    /** Called when a scanner has been opened in a region. */
    default void scannerOpened(RegionInfo region) throws IOException {}

    /** Called each time that a compaction has handed out cells to be written. */
    default void whileCompacting(RegionInfo region) throws IOException {}
  }

  /** A fault in force until it is closed. */
  public interface Active extends AutoCloseable {
    @Override
    void close();
  }

  /** Puts a fault in force. */
  public static Active add(Fault fault) {
    FAULTS.add(fault);
    return () -> FAULTS.remove(fault);
  }

  /** Returns true if a request, or one in its batch, satisfies {@code which}. */
  public static boolean brings(RegionRequest request, Predicate<RegionRequest> which) {
    return parts(request).stream().anyMatch(which);
  }

  /** The requests that a request brings; itself if it is none of several. */
  public static List<RegionRequest> parts(RegionRequest request) {
    return request instanceof Settle settle ? settle.parts() : List.of(request);
  }

  /** Returns true if a request contains work after commits. */
  public static boolean isHousekeeping(RegionRequest request) {
    return brings(request, one -> one instanceof Heal || one instanceof FinishLeader);
  }

  static void before(RegionInfo region, RegionRequest request) throws IOException {
    for (Fault fault : FAULTS) {
      fault.before(region, request);
    }
  }

  static void after(RegionInfo region, RegionRequest request) throws IOException {
    for (Fault fault : FAULTS) {
      fault.after(region, request);
    }
  }

  static void beforeRead(RegionInfo region) throws IOException {
    for (Fault fault : FAULTS) {
      fault.beforeRead(region);
    }
  }

  static void afterRead(RegionInfo region) throws IOException {
    for (Fault fault : FAULTS) {
      fault.afterRead(region);
    }
  }

  static void scannerOpened(RegionInfo region) throws IOException {
    for (Fault fault : FAULTS) {
      fault.scannerOpened(region);
    }
  }

  static void whileCompacting(RegionInfo region) throws IOException {
    for (Fault fault : FAULTS) {
      fault.whileCompacting(region);
    }
  }

  /** Returns the exception for a request that a test suppresses. */
  public static IOException refusal() {
    return new RefusalException(Refusal.of(Refusal.Code.UNSUPPORTED, "refused by a test"));
  }

  /** Blocks threads at one point until a test releases them. */
  public static final class Gate {

    private static final long LONGEST_WAIT_SECONDS = 180;

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    /** Called by the thread that is to wait. */
    public void pass() throws IOException {
      reached.countDown();
      await(opened, "nobody opened the gate");
    }

    /** Called by the test: returns when a thread waits here. */
    public void awaitReached() throws IOException {
      await(reached, "nobody came to the gate");
    }

    /** Called by the test: everybody may pass from now on. */
    public void open() {
      opened.countDown();
    }

    private static void await(CountDownLatch latch, String failure) throws IOException {
      try {
        if (!latch.await(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
          throw new IOException(failure);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(failure, e);
      }
    }
  }
}
