package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.clock.TimestampBatches.Arrival;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.server.TimestampPrefetcher;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.ServerReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything of a region server that has to do with versions, without HBase: it would be the
 * bottleneck. Writers draw from one clock, faster than any server has to, ticks come over a socket
 * as they do in a server, and nobody is refused for want of one. {@code -Dlampone.test.seconds=N}
 * runs longer.
 */
class ExhaustionTest {

  private static final int SECONDS = Integer.getInteger("lampone.test.seconds", 3);

  /** What one server must stand, for each second asked for. */
  private static final long VERSIONS_PER_SECOND = 50_000;

  /** Faster than that nobody draws, so that the test leaves something of the machine to others. */
  private static final long PACE_PER_SECOND = 60_000;

  /** As long as a request waits for a tick before it is refused. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int WRITERS = 4;

  private final Ticks ticks = new Ticks();

  /** What one writer has done. */
  private record Done(long versions, long waits, long longestWaitNanos) {}

  @ParameterizedTest
  @ValueSource(ints = {128, 4})
  void nobodyIsRefusedForWantOfATick(int localNumbers) throws Exception {
    LocalVersionClock clock = new LocalVersionClock(localNumbers);
    FastRegion region =
        FastRegion.opened(
            clock,
            new SettledRows(),
            new KnownRows(),
            new FencedAttempts(SystemClock.INSTANCE),
            () -> {});
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    long beganNanos = System.nanoTime();
    ScriptedManager manager = new ScriptedManager(ticks);
    Fences fences = new Fences(node(manager), SystemClock.INSTANCE);
    TimestampBatches timestampBatches = new TimestampBatches(clock, fences);
    fences.regionOpened();
    try (manager;
        TimestampPrefetcher source =
            new TimestampPrefetcher(
                timestampBatches,
                clock,
                fences,
                () -> ClientSecurity.NONE,
                () -> new ServerReport("host:1", new TreeMap<>()),
                SystemClock.INSTANCE)) {
      clock.onNeed(source::hurry);
      source.start();
      List<Future<Done>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        Row row = new Row(Bytes.utf8("row" + i));
        writers.add(threads.submit(() -> write(region, timestampBatches, row, beganNanos)));
      }
      long versions = 0;
      long waits = 0;
      long longestNanos = 0;
      for (Future<Done> writer : writers) {
        Done done = writer.get();
        versions += done.versions();
        waits += done.waits();
        longestNanos = Math.max(longestNanos, done.longestWaitNanos());
      }
      double seconds = (System.nanoTime() - beganNanos) / 1e9;
      System.out.printf(
          "ExhaustionTest local numbers=%d seconds=%.1f versions=%d versions/s=%.0f ticks=%d"
              + " waits=%d longest wait ms=%.1f refused=0%n",
          localNumbers,
          seconds,
          versions,
          versions / seconds,
          manager.issued(),
          waits,
          longestNanos / 1e6);
      assertThat(manager.issued()).isGreaterThanOrEqualTo(versions / localNumbers);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Until the time is over, and its share of the versions drawn: a busy machine takes longer. */
  private Done write(FastRegion region, TimestampBatches timestampBatches, Row row, long beganNanos)
      throws Exception {
    long share = SECONDS * VERSIONS_PER_SECOND / WRITERS;
    long endNanos = beganNanos + TimeUnit.SECONDS.toNanos(SECONDS);
    long versions = 0;
    long waits = 0;
    long longestNanos = 0;
    long last = 0;
    while (versions < share || System.nanoTime() - endNanos < 0) {
      Arrival known = timestampBatches.newest();
      try {
        long version = draw(region, row);
        assertThat(version).isGreaterThan(last);
        last = version;
        versions++;
        if (versions % 64 == 0) {
          keepPace(versions, beganNanos);
        }
        if (versions % 1024 == 0) {
          // E3: whatever begins now sees it.
          assertThat(Timestamps.tick(version)).isLessThan(ticks.next());
        }
      } catch (ExhaustedException e) {
        waits++;
        long fromNanos = System.nanoTime();
        assertThat(timestampBatches.awaitNewer(known, LONGEST_WAIT_NANOS)).as("refused").isTrue();
        longestNanos = Math.max(longestNanos, System.nanoTime() - fromNanos);
      }
    }
    return new Done(versions, waits, longestNanos);
  }

  /** Waits until as many versions are due. */
  private static void keepPace(long versions, long beganNanos) {
    long dueNanos = beganNanos + versions * WRITERS * 1_000_000_000L / PACE_PER_SECOND;
    for (long left = 1; left > 0; left = dueNanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static long draw(FastRegion region, Row row) throws Exception {
    FastOperation put =
        new FastOperation(
            row.key(),
            OperationId.NONE,
            false,
            0,
            new FastCondition.Always(),
            false,
            List.of(
                new FastOperation.Mutation(
                    FastOperation.Kind.PUT, FastTable.F, FastTable.Q, FastTable.Q)));
    FastAttempt attempt =
        new FastAttempt(
            new FastWrite(0, 0, false, List.of(put)),
            new FastAttempt.Setting(
                "alice",
                region,
                new TableRules("t", ConflictLevel.ROW, Ticks.BASE, 0),
                () -> 0,
                true));
    try {
      return attempt.decide(List.of(row)).get(0).outcome().version();
    } finally {
      attempt.end();
    }
  }

  private static ManagerRecordSource node(ScriptedManager manager) {
    ManagerRecord record = Ticks.record(Ticks.BASE, Ticks.BASE);
    return answer ->
        answer.record(
            new ManagerRecord(
                record.epoch(),
                record.holder(),
                manager.address(),
                record.leaseSequence(),
                record.leaseDurationMillis(),
                record.released(),
                record.bound(),
                record.floor(),
                record.safePoint(),
                Optional.empty(),
                Optional.empty()),
            SystemClock.INSTANCE.wallMillis());
  }

  /** A row in which nothing is stored. */
  private record Row(Bytes key) implements StoredRow {
    @Override
    public String table() {
      return "t";
    }

    @Override
    public Collection<Bytes> families() {
      return List.of(FastTable.F);
    }

    @Override
    public void visit(Selection selection, Visitor visitor) {}
  }
}
