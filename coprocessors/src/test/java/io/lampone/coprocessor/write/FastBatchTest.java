package io.lampone.coprocessor.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.LocalRegion;
import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write of the fast path between its decision and its end, in a region without a server. */
class FastBatchTest {

  private final FastServer drawing = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  @TempDir private Path folder;

  /** HBase makes its cells visible afterwards; until then readers above its version wait. */
  @Test
  void aWriteThatHasBeenDecidedIsStillUnderWay() throws Exception {
    TableDescriptor table = LocalRegion.table(Timestamps.PLAIN_LIMIT, 0, "f").build();
    try (LocalRegion region = new LocalRegion(folder, table, new OpenGuards())) {
      FastWrite write =
          new FastWrite(
              0, 0, false, List.of(drawing.blind(row, FastServer.put(Bytes.utf8("q"), "v"))));
      FastAttempt attempt = drawing.attempt(write);
      FastBatch batch =
          new FastBatch(write, List.of(row.key()), attempt, region.open(), region.permissions());

      batch.decide();

      assertThat(batch.reply().outcomes())
          .extracting(FastReply.Outcome::kind)
          .containsExactly(FastReply.Kind.COMMITTED);
      assertThat(isUnderWay()).isTrue();
      attempt.end();
      assertThat(isUnderWay()).isFalse();
    }
  }

  private boolean isUnderWay() {
    return !drawing.region.inFlight().isRowClear(row.key(), Long.MAX_VALUE);
  }
}
