package io.lampone.coprocessor.core.fastpath;

import static io.lampone.coprocessor.core.FastServer.append;
import static io.lampone.coprocessor.core.FastServer.delete;
import static io.lampone.coprocessor.core.FastServer.deleteFamily;
import static io.lampone.coprocessor.core.FastServer.increment;
import static io.lampone.coprocessor.core.FastServer.number;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.value;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RequestLimits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What many mutations of one row cost, and what they leave. */
class FastEffectsTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final int MANY = RequestLimits.MAX_CELLS;

  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  @Test
  void aListOfDeletedColumnsThatNoReaderCouldReadIsRefusedBeforeTheDraw() {
    tooLarge(mutations(MANY, i -> delete(name(i, 41))));
    tooLarge(mutations(2, i -> delete(name(i, 21 << 17))));
  }

  @Test
  void aRequestMayDeleteAsManyColumnsAsItMayHaveCells() throws Exception {
    server.run(server.blind(row, put(name(0, 38), "v")), row);
    Outcome deleted = server.run(server.blind(row, mutations(MANY, i -> delete(name(i, 38)))), row);
    assertThat(deleted.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(row.has(F, Reserved.TRANSACTION, deleted.version())).isTrue();
    assertThat(value(row, name(0, 38))).isNull();
    assertThat(row.transactionCell(F, deleted.version()).deletedColumns()).hasSize(MANY);
  }

  @Test
  void manyIncrementsTakeLinearTime() throws Exception {
    Mutation[] all = mutations(MANY, i -> increment(name(i, 6), i));
    Outcome done = inTime(server.blind(row, all));
    assertThat(done.cells()).hasSize(MANY);
    assertThat(done.cells().get(7)).isEqualTo(new ResultCell(F, name(7, 6), number(7)));
  }

  @Test
  void manyAppendsToOneColumnTakeLinearTime() throws Exception {
    Outcome done = inTime(server.blind(row, mutations(MANY, i -> append(Q, "0123456789"))));
    assertThat(done.cells()).hasSize(1);
    assertThat(done.cells().get(0).value().length()).isEqualTo(10 * MANY);
    assertThat(value(row, Q)).isEqualTo(done.cells().get(0).value());
  }

  /** Runs it in so much processor time; that of the clock depends on what else the machine does. */
  private Outcome inTime(FastOperation operation) {
    return assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          ThreadMXBean threads = ManagementFactory.getThreadMXBean();
          long before = threads.getCurrentThreadCpuTime();
          Outcome done = server.run(operation, row);
          assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before))
              .isLessThan(Duration.ofSeconds(8));
          return done;
        });
  }

  @Test
  void aResultIsThatOfTheColumnsLastIncrementOrAppend() throws Exception {
    Bytes other = Bytes.utf8("other");
    Outcome done =
        server.run(
            server.blind(
                row,
                increment(other, 1),
                append(Q, "a"),
                increment(other, 2),
                append(Q, "b"),
                put(Q, "c")),
            row);
    assertThat(done.cells())
        .containsExactly(
            new ResultCell(F, other, number(3)), new ResultCell(F, Q, Bytes.utf8("ab")));
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("c"));
    server.run(server.blind(row, append(Q, "d"), put(Q, "e"), append(Q, "f"), append(Q, "")), row);
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("ef"));
  }

  @Test
  void anIncrementBehindADeleteOfItsFamilyStartsAnew() throws Exception {
    server.run(server.blind(row, increment(Q, 5)), row);
    Outcome done = server.run(server.blind(row, deleteFamily(F), increment(Q, 1)), row);
    assertThat(done.cells()).containsExactly(new ResultCell(F, Q, number(1)));
    assertThat(value(row, Q)).isEqualTo(number(1));
  }

  @Test
  void valuesThatAppendsReadAreBoundedForTheWholeRequest() {
    MemoryRow second = new MemoryRow(Bytes.utf8("second"));
    Bytes large = Bytes.wrap(new byte[(1 << 20) - 1]);
    int half = RequestLimits.MAX_WRITE_BYTES / large.length() / 2 + 1;
    for (int i = 0; i < half; i++) {
      row.put(F, name(i, 3), 1_700_000_000_000L, large);
      second.put(F, name(i, 3), 1_700_000_000_000L, large);
    }
    Mutation[] appends = mutations(half, i -> append(name(i, 3), "x"));
    tooLarge(
        List.of(server.blind(row, appends), server.blind(second, appends)), List.of(row, second));
  }

  @Test
  void aRepetitionReadsTheResultOfEachColumnOnce() throws Exception {
    FastOperation operation = server.blind(row, mutations(1_000, i -> append(Q, "x")));
    Outcome first = server.run(operation, row);
    row.shown = 0;
    Outcome again = server.run(operation.again(), row);
    assertThat(again.kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(again.cells()).isEqualTo(first.cells());
    assertThat(row.shown).isLessThan(10);
  }

  private void tooLarge(Mutation... mutations) {
    tooLarge(List.of(server.blind(row, mutations)), List.of(row));
  }

  private void tooLarge(List<FastOperation> operations, List<MemoryRow> rows) {
    FastAttempt attempt = server.attempt(new FastWrite(0, 0, false, operations));
    assertThatThrownBy(() -> attempt.decide(rows))
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.TOO_LARGE));
    assertThat(attempt.isDrawn()).isFalse();
  }

  private static Bytes name(int number, int length) {
    return Bytes.utf8(("%0" + length + "d").formatted(number));
  }

  private static Mutation[] mutations(int count, IntFunction<Mutation> mutation) {
    return IntStream.range(0, count).mapToObj(mutation).toArray(Mutation[]::new);
  }
}
