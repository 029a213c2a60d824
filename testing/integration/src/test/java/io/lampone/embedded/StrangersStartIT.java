package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A client that may write a table sends requests under the start timestamp of another client's
 * transaction, which every intent shows to every reader.
 */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrangersStartIT {

  private static final long HIGHEST_FLUSH = 1L << 40;

  @Test
  void aStrangersFlush_isRefused_andTheOwnersValueStays(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-flush");
      try (LamponeClient owner = flushingAtOnce(cluster);
          Transaction tx = owner.begin()) {
        rows.putBoth(tx, "owner");
        RowFamily leader = new RowFamily("strangers-flush", Bytes.utf8(LEADER), family());
        Flush flush =
            new Flush(
                tx.startTimestamp(),
                0,
                ConflictLevel.ROW,
                leader,
                HIGHEST_FLUSH,
                intents(LEADER),
                madeUp(tx.startTimestamp()));
        refused(connection, rows, flush, "UNPROVED");
        tx.commit();
      }
      assertThat(rows.read(client)).isEqualTo("owner owner");
    }
  }

  @Test
  void aStrangersOneRegionCommit_isRefused(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-commit");
      try (Transaction tx = client.begin()) {
        rows.put(tx, LEADER, "owner");
        refused(
            connection,
            rows,
            new OneRegionCommit(
                tx.startTimestamp(),
                0,
                0,
                ConflictLevel.ROW,
                false,
                intents("b"),
                madeUp(tx.startTimestamp())),
            "UNPROVED");
        tx.commit();
      }
      try (Transaction tx = client.readOnly()) {
        assertThat(rows.get(tx, LEADER)).isEqualTo("owner");
        assertThat(rows.get(tx, "b")).isEqualTo(TwoRows.NOTHING);
      }
    }
  }

  @Test
  void aStrangersLookUp_endsNothing(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-look-up");
      try (Transaction tx = client.begin()) {
        rows.put(tx, LEADER, "owner");
        long start = tx.startTimestamp();
        refused(
            connection,
            rows,
            new OperationLookup(
                0, Bytes.utf8(LEADER), OperationId.ofTransaction(start), start, Proof.NONE),
            "UNPROVED");
        tx.commit();
      }
    }
  }

  /** The commit point and its opposite, by a client that may write the family of the leader. */
  @Test
  void aStrangersDecision_isRefused_andTheOwnerCommits(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-decision");
      try (LamponeClient owner = flushingAtOnce(cluster);
          Transaction tx = owner.begin()) {
        rows.putBoth(tx, "owner");
        long start = tx.startTimestamp();
        Bytes leader = Bytes.utf8(LEADER);
        Tag guess = new Tag(1, 2);
        long commit = start + Timestamps.TICK;
        refused(
            connection,
            rows,
            new CommitLeader(start, 0, leader, family(), commit, guess),
            "UNPROVED");
        refused(
            connection,
            rows,
            new AbortLeader(start, 0, leader, family(), false, new Proof.Voided(guess)),
            "UNPROVED");
        send(connection, rows, new AbortLeader(start, 0, leader, family(), false, Proof.NONE));
        tx.commit();
      }
      assertThat(rows.read(client)).isEqualTo("owner owner");
    }
  }

  /** A client with the right to write a follower's row writes a false outcome there. */
  @Test
  void aStrangersHeal_isRefused_andTheOwnerCommits(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-heal");
      try (LamponeClient owner = flushingAtOnce(cluster);
          Transaction tx = owner.begin()) {
        rows.putBoth(tx, "owner");
        long start = tx.startTimestamp();
        RowFamily leader = new RowFamily("strangers-heal", Bytes.utf8(LEADER), family());
        for (long commit : new long[] {0, start + Timestamps.TICK}) {
          Fate fate = new Fate(commit, new Tag(1, 2));
          Heal heal = new Heal(start, 0, List.of(Bytes.utf8(FOLLOWER)), leader, fate);
          refused(connection, rows, heal, "UNPROVED");
        }
        tx.commit();
      }
      assertThat(rows.read(client)).isEqualTo("owner owner");
    }
  }

  /** A reader claims that an undecided transaction has committed: its values are not shown. */
  @Test
  void aReadersOwnJudgment_isNone(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = TwoRows.create(client, connection, "strangers-judgment");
      try (LamponeClient owner = flushingAtOnce(cluster);
          Transaction tx = owner.begin();
          Transaction reader = client.readOnly()) {
        rows.putBoth(tx, "secret");
        long start = tx.startTimestamp();
        RowFamily leader = new RowFamily("strangers-judgment", Bytes.utf8(LEADER), family());
        Fate claim = new Fate(start + Timestamps.TICK, new Tag(1, 2));
        ReadRequest request =
            new ReadRequest(
                reader.startTimestamp(),
                false,
                0,
                SlotSet.NONE,
                Map.of(new TransactionId(start, leader), claim),
                IssueProof.Begun.of(Proofs.OPEN.grant(reader.startTimestamp(), 0)));
        Get get = new Get(Bytes.utf8(FOLLOWER).toArray());
        get.setAttribute(ReadRequest.ATTRIBUTE, request.encode());
        try (Table table = connection.getTable(rows.table())) {
          List<Cell> shown = List.of(table.get(get).rawCells());
          assertThat(shown).anyMatch(Carrier::isPointer);
          assertThat(shown.stream().map(CellUtil::cloneValue).map(Bytes::wrap))
              .doesNotContain(Bytes.utf8("secret"));
        }
      }
    }
  }

  private static LamponeClient flushingAtOnce(EmbeddedLampone cluster) throws IOException {
    Configuration eager = new Configuration(cluster.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    return LamponeClient.connect(eager);
  }

  private static Grant madeUp(long start) {
    return new Grant(start, 0, new Tag(1, 2));
  }

  private static Bytes family() {
    return Bytes.wrap(FAMILY);
  }

  private static List<RowIntents> intents(String row) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Bytes.wrap(COLUMN), Bytes.utf8("stranger"));
    return List.of(
        new RowIntents(
            Bytes.utf8(row),
            List.of(new FamilyIntents(family(), SlotSet.NONE, Optional.empty(), List.of(cell)))));
  }

  private static void refused(
      Connection connection, TwoRows rows, RegionRequest request, String code) {
    assertThatThrownBy(() -> send(connection, rows, request)).hasMessageContaining(code);
  }

  private static void send(Connection connection, TwoRows rows, RegionRequest request)
      throws IOException {
    try (Table table = connection.getTable(rows.table())) {
      table.checkAndMutate(Carrier.checkAndMutate(request));
    }
  }
}
