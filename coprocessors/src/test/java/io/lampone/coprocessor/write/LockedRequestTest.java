package io.lampone.coprocessor.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.LocalRegion;
import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.InFlightWrites.Write;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request in HBase's write path, in a region without a server. */
class LockedRequestTest {

  private final FastServer drawing = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  @TempDir private Path folder;

  /** Its cells are not stored, and may come back from the log. */
  @Test
  void aRequestIsRefusedWhileAnEarlierWriteOfItsRowIsInDoubt() throws Exception {
    try (LocalRegion region = region(Durability.USE_DEFAULT)) {
      Write elsewhere =
          region.open().fast().inFlight().register(List.of(Bytes.utf8("another row")));
      elsewhere.drawn(FastServer.t(0) + 1);
      elsewhere.doubt();
      assertThatCode(() -> decide(batch(region))).doesNotThrowAnyException();

      Write here = region.open().fast().inFlight().register(List.of(row.key()));
      here.drawn(FastServer.t(0) + 1);
      here.doubt();
      FastBatch batch = batch(region);
      assertThatThrownBy(() -> decide(batch))
          .isInstanceOfSatisfying(
              Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.NOT_READY));
    }
  }

  /** Others may have seen a commit that a server would lose with its log. */
  @ParameterizedTest
  @EnumSource(
      value = Durability.class,
      names = {"SKIP_WAL", "ASYNC_WAL"})
  void theLogIsWrittenBeforeTheAnswerWhateverTheTableSays(Durability ofTable) throws Exception {
    try (LocalRegion region = region(ofTable)) {
      assertThat(batch(region).mutations())
          .extracting(Mutation::getDurability)
          .containsExactly(Durability.SYNC_WAL);
    }
  }

  @Test
  void aTableThatDemandsMoreOfItsLogGetsIt() throws Exception {
    try (LocalRegion region = region(Durability.FSYNC_WAL)) {
      assertThat(batch(region).mutations())
          .extracting(Mutation::getDurability)
          .containsExactly(Durability.USE_DEFAULT);
    }
  }

  private LocalRegion region(Durability durability) throws IOException {
    return new LocalRegion(
        folder,
        LocalRegion.table(Timestamps.PLAIN_LIMIT, 0, "f").setDurability(durability).build(),
        new OpenGuards());
  }

  private FastBatch batch(LocalRegion region) {
    FastWrite write =
        new FastWrite(
            0, 0, false, List.of(drawing.blind(row, FastServer.put(Bytes.utf8("q"), "v"))));
    return new FastBatch(
        write, List.of(row.key()), drawing.attempt(write), region.open(), region.permissions());
  }

  private static void decide(FastBatch batch) throws IOException {
    batch.decide(
        new MiniBatchOperationInProgress<>(
            batch.mutations().toArray(new Mutation[0]),
            new OperationStatus[] {OperationStatus.NOT_RUN},
            null,
            0,
            1,
            1));
  }
}
