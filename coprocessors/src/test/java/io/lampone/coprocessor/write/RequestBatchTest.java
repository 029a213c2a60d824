package io.lampone.coprocessor.write;

import static io.lampone.coprocessor.core.FastServer.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.ClosedFamilyObserver;
import io.lampone.coprocessor.LocalRegion;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request about transaction cells, in a region without a server. */
class RequestBatchTest {

  private static final long START = t(1);
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes CLOSED = Bytes.utf8(ClosedFamilyObserver.CLOSED);
  private static final Bytes F = Bytes.utf8("f");

  @TempDir private Path folder;

  /** It names a row, and ends what the transaction has written in all families of it. */
  @Test
  void anAbortWithoutAProofDoesNotChangeAFamilyThatItsSenderMayNotWrite() throws Exception {
    Bytes other = Bytes.utf8("other");
    try (LocalRegion region = new LocalRegion(folder, ClosedFamilyObserver.TABLE)) {
      region.region().put(cell(ROW, F, TransactionCell.leader(List.of(), true, 1)));
      region.region().put(cell(other, F, TransactionCell.leader(List.of(), true, 1)));
      RowFamily leader = new RowFamily("t", other, F);
      region.region().put(cell(other, CLOSED, TransactionCell.follower(leader, 1)));
      region.with(ClosedFamilyObserver.class);

      RequestBatch allowed = abort(region.open(), ROW);
      allowed.decide();
      assertThat(allowed.reply().outcomes().get(0).state()).contains(TransactionState.ABORTED);
      assertThatThrownBy(abort(region.open(), other)::decide)
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("family=" + ClosedFamilyObserver.CLOSED);
    }
  }

  private static Put cell(Bytes row, Bytes family, TransactionCell cell) {
    return new Put(row.toArray())
        .addColumn(family.toArray(), Reserved.TRANSACTION.toArray(), START, cell.encode())
        .setDurability(Durability.SKIP_WAL);
  }

  private static RequestBatch abort(OpenRegion open, Bytes row) throws IOException {
    AbortLeader request = new AbortLeader(START, 0, row, F, false, Proof.NONE);
    CheckAndMutate carrier =
        CheckAndMutate.newBuilder(row.toArray())
            .ifNotExists(F.toArray(), Reserved.TRANSACTION.toArray())
            .build(new Put(row.toArray(), true).addColumn(F.toArray(), F.toArray(), F.toArray()));
    RecentVersions recent = new RecentVersions();
    RegularWrite write =
        new RegularWrite(
            request,
            new TableRules("t", ConflictLevel.ROW, t(0), 1 << 20),
            new RegularWrite.Setting(
                new OpenGuards() {
                  @Override
                  public long abortableBelow() {
                    return t(2);
                  }
                },
                new LocalVersionClock(),
                recent,
                new SettledRows(2).regionOpened(),
                new KnownRows().regionOpened(recent)));
    return new RequestBatch(
        request, write, open, Permissions.of(open, new CoprocessorChain(open), carrier));
  }
}
