package io.lampone.coprocessor.core.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.clock.InFlightWrites.Write;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers wait for writes that are below their snapshot and cannot be seen yet (E1). */
class InFlightWritesTest {

  /** How long a busy machine may take for anything. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private final InFlightWrites inFlight = new InFlightWrites();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void whatHasNotDrawnCountsAsBelowEverySnapshot() throws Exception {
    Write write = inFlight.register(List.of(A));
    Reader reader = new Reader(() -> inFlight.awaitRow(A, BASE));
    reader.mustWait();
    write.drawn(BASE + 128);
    reader.mustEnd();
    inFlight.awaitAll(BASE);
  }

  @Test
  void whatHasDrawnBelowTheSnapshotIsWaitedForToItsEnd() throws Exception {
    Write write = inFlight.register(List.of(A));
    write.drawn(BASE - 128);
    Reader row = new Reader(() -> inFlight.awaitRow(A, BASE));
    Reader scan = new Reader(() -> inFlight.awaitAll(BASE));
    row.mustWait();
    scan.mustWait();
    inFlight.awaitRow(B, BASE);
    inFlight.awaitRow(A, BASE - 256);
    write.end();
    row.mustEnd();
    scan.mustEnd();
    write.end();
    inFlight.awaitAll(Long.MAX_VALUE);
  }

  @Test
  void aWriterThatCannotDrawLetsReadersGo() throws Exception { // H16
    Write write = inFlight.register(List.of(A));
    Reader reader = new Reader(() -> inFlight.awaitRow(A, BASE));
    reader.mustWait();
    write.end();
    reader.mustEnd();
  }

  @Test
  void aWriteOfManyRowsIsWaitedForOnEachOfThem() throws Exception {
    List<Bytes> rows = IntStream.range(0, 50).mapToObj(i -> Bytes.utf8("row" + i)).toList();
    Write write = inFlight.register(rows);
    write.drawn(BASE - 128);
    Reader reader = new Reader(() -> inFlight.awaitRow(rows.get(37), BASE));
    reader.mustWait();
    write.end();
    reader.mustEnd();
  }

  @Test
  void endingOneOfSeveralWritesLeavesTheOthers() throws Exception {
    List<Write> writes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Write write = inFlight.register(List.of(A));
      write.drawn(BASE - 128 + i);
      writes.add(write);
    }
    writes.get(2).end();
    writes.get(4).end();
    writes.get(0).end();
    Reader reader = new Reader(() -> inFlight.awaitRow(A, BASE));
    reader.mustWait();
    writes.get(1).end();
    reader.mustWait();
    writes.get(3).end();
    reader.mustEnd();
  }

  @Test
  void oneOfVeryManyWritesEnds() {
    Write first = inFlight.register(List.of(A));
    for (int i = 0; i < 100_000; i++) {
      inFlight.register(List.of(A)).doubt();
    }
    first.end();
    assertThat(inFlight.isRowClear(A, BASE)).isFalse();
  }

  @Test
  void aBlindWriterIsRefusedForAnotherInDoubtOnExactlyItsRow() {
    inFlight.register(List.of(A));
    inFlight.requireNoDoubt(A);
    inFlight.register(List.of(B)).doubt();
    inFlight.requireNoDoubt(A);
    assertThatThrownBy(() -> inFlight.requireNoDoubt(B)).isInstanceOf(Refused.class);
  }

  @Test
  void aWriterWaitsForAnotherOfExactlyItsRow() throws Exception {
    List<Bytes> rows = IntStream.range(0, 500).mapToObj(i -> Bytes.utf8("row" + i)).toList();
    Write one = inFlight.register(rows.subList(0, 1));
    Write wide = inFlight.register(rows.subList(1, 51));
    rows.subList(51, 500).forEach(inFlight::awaitWriters);
    for (Write write : List.of(one, wide)) {
      Reader writer = new Reader(() -> inFlight.awaitWriters(rows.get(write == one ? 0 : 37)));
      writer.mustWait();
      write.drawn(BASE);
      writer.mustWait();
      write.end();
      writer.mustEnd();
    }
  }

  @Test
  void aWriteInDoubtRefusesReadersAboveItAndWritersOfItsRow_whateverEndsIt() {
    Write write = inFlight.register(List.of(A));
    write.drawn(BASE);
    assertThat(write.isLogged()).isFalse();
    inFlight.logging(A, BASE + 1);
    inFlight.logging(B, BASE);
    assertThat(write.isLogged()).as("other cells").isFalse();
    inFlight.logging(A, BASE);
    assertThat(write.isLogged()).isTrue();
    write.doubt();
    write.end();
    inFlight.awaitRow(A, BASE);
    inFlight.awaitAll(BASE);
    inFlight.awaitWriters(B);
    for (Runnable refused :
        List.<Runnable>of(
            () -> inFlight.awaitRow(A, BASE + 1),
            () -> inFlight.awaitAll(BASE + 1),
            () -> inFlight.awaitWriters(A))) {
      assertThatThrownBy(refused::run)
          .isInstanceOfSatisfying(
              Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.NOT_READY))
          .hasMessageContaining("move the region in the HBase shell")
          .hasMessageContaining("row=a");
    }
    assertThat(inFlight.isRowClear(A, BASE + 1)).isFalse();
  }

  @Test
  void whoWaitsForAWriteIsRefusedWhenItIsInDoubt() throws Exception {
    Write write = inFlight.register(List.of(A));
    write.drawn(BASE);
    AtomicBoolean refused = new AtomicBoolean();
    Reader reader =
        new Reader(
            () -> {
              try {
                inFlight.awaitRow(A, BASE + 1);
              } catch (Refused e) {
                refused.set(true);
              }
            });
    reader.mustWait();
    write.doubt();
    reader.mustEnd();
    assertThat(refused).isTrue();
  }

  /** The clock asks for ticks during a draw: then a reader must find the write here. */
  @Test
  void aFastWriteIsRegisteredWhenItDraws() throws Exception {
    LocalVersionClock clock = new LocalVersionClock(1);
    FastServer server = new FastServer(ConflictLevel.ROW, clock);
    MemoryRow row = new MemoryRow();
    List<Boolean> clear = new ArrayList<>();
    clock.supply(new long[] {BASE});
    clock.onNeed(() -> clear.add(server.region.inFlight().isRowClear(row.key(), Long.MAX_VALUE)));

    server.run(server.blind(row, FastServer.put(A, "v")), row);

    assertThat(clear).containsExactly(false);
    assertThat(server.region.inFlight().isRowClear(row.key(), Long.MAX_VALUE)).isTrue();
  }

  /** What a snapshot has not shown once it must never show. */
  @Test
  void noWriteAppearsBelowASnapshotThatHasBeenRead() throws Exception {
    LocalVersionClock clock = new LocalVersionClock();
    AtomicLong issued = new AtomicLong(BASE);
    clock.bump(BASE);
    ConcurrentSkipListSet<Long> visible = new ConcurrentSkipListSet<>();
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      writers.add(
          threads.submit(
              () -> {
                while (!stop.get()) {
                  Write write = inFlight.register(List.of(A));
                  long version = clock.next(0);
                  if (version != LocalVersionClock.EXHAUSTED) {
                    write.drawn(version);
                    Thread.yield();
                    visible.add(version);
                  }
                  write.end();
                }
              }));
    }
    for (int i = 0; i < 20_000; i++) {
      long snapshot = issued.addAndGet(Timestamps.TICK);
      clock.bump(snapshot);
      inFlight.awaitRow(A, snapshot);
      int seen = visible.headSet(snapshot).size();
      Thread.yield();
      assertThat(visible.headSet(snapshot)).hasSize(seen);
      visible.headSet(snapshot).clear();
    }
    stop.set(true);
    for (Future<?> writer : writers) {
      writer.get();
    }
    inFlight.awaitAll(Long.MAX_VALUE);
  }

  /** A thread that waits or does not. */
  private final class Reader {

    private final Thread thread;

    Reader(Runnable read) {
      thread = new Thread(read);
      thread.start();
    }

    void mustWait() {
      await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    void mustEnd() throws InterruptedException {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
  }
}
