package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;

class OperationRulesTest {

  private static final byte[] ROW = {'r'};
  private static final byte[] F = {'f'};
  private static final byte[] G = {'g'};
  private static final byte[] Q = {'q'};
  private static final byte[] V = {'v'};

  private final WriteTranslator translator = new WriteTranslator(1000);
  private final TransactionalTableView table = table(Optional.of(settings(Phase.ENABLED)));

  @Test
  void readsThatNoSnapshotAnswersAreRefused() throws Exception {
    refused(new Get(ROW).setTimeRange(1, 2));
    refused(new Get(ROW).setTimestamp(7));
    refused(new Get(ROW).setConsistency(Consistency.TIMELINE));
    refused(new Get(ROW).setIsolationLevel(IsolationLevel.READ_UNCOMMITTED));
    refused(new Get(ROW).addColumn(F, Reserved.TRANSACTION.toArray()));
    refused(new Get(ROW).addFamily(Reserved.PROOF_FAMILY.toArray()));
    refused(new Get(ROW).setAttribute("lampone.read", V));
    refused(new Get(ROW).setColumnFamilyTimeRange(F, 1, 2));
    assertThatCode(() -> ReadRules.check(new Get(ROW).addColumn(F, Q).readAllVersions()))
        .doesNotThrowAnyException();
  }

  @Test
  void scansThatNoSnapshotAnswersAreRefused() throws Exception {
    refused(new Scan().setRaw(true));
    refused(new Scan().setTimeRange(1, 2));
    refused(new Scan().setNeedCursorResult(true));
    refused(new Scan().setConsistency(Consistency.TIMELINE));
    assertThatCode(() -> ReadRules.check(new Scan().setReversed(true).setBatch(3).setLimit(4)))
        .doesNotThrowAnyException();
  }

  @Test
  void writesThatATransactionCannotDoAreRefused() throws Exception {
    refused(Code.BAD_REQUEST, new Put(ROW));
    refused(Code.BAD_REQUEST, new Put(ROW).addColumn(F, Q, 7, V));
    refused(Code.BAD_REQUEST, new Put(ROW).addColumn(F, Q, V).setTTL(0));
    refused(Code.BAD_REQUEST, new Put(ROW).addColumn(F, Q, V).setTTL(Long.MAX_VALUE - 1));
    refused(Code.BAD_REQUEST, new Put(ROW).addColumn(F, Reserved.TRANSACTION.toArray(), V));
    refused(Code.BAD_REQUEST, new Put(ROW).addColumn(new byte[] {'x'}, Q, V));
    refused(Code.TOO_LARGE, new Put(ROW).addColumn(F, Q, new byte[1000]));
    refused(Code.BAD_REQUEST, new Delete(ROW, 5));
    refused(Code.BAD_REQUEST, new Delete(ROW).addColumn(F, Q, 5));
    refused(Code.BAD_REQUEST, new Delete(ROW).addFamilyVersion(F, 5));
  }

  @Test
  void emptyValuesQualifiersAndBinaryKeysPass() {
    byte[] nothing = {};
    var writes =
        translator.translate(table, new Put(new byte[] {0, -1}).addColumn(F, nothing, nothing));

    assertThat(writes.families().get(Bytes.of(F)))
        .singleElement()
        .satisfies(
            write -> {
              assertThat(write.kind()).isEqualTo(IntentKind.PUT);
              assertThat(write.qualifier().isEmpty()).isTrue();
              assertThat(write.value().isEmpty()).isTrue();
            });
  }

  @Test
  void aDeleteWithoutFamiliesDeletesEveryFamily() {
    var writes = translator.translate(table, new Delete(ROW)).families();

    assertThat(writes.keySet()).containsExactlyInAnyOrder(Bytes.of(F), Bytes.of(G));
    assertThat(writes.get(Bytes.of(G)).get(0).kind()).isEqualTo(IntentKind.DELETE_FAMILY);
  }

  @Test
  void bothDeletesOfAColumnDeleteTheColumn() {
    var writes =
        translator.translate(table, new Delete(ROW).addColumn(F, Q).addColumns(G, Q)).families();

    assertThat(writes.get(Bytes.of(F)).get(0).kind()).isEqualTo(IntentKind.DELETE_COLUMN);
    assertThat(writes.get(Bytes.of(G)).get(0).kind()).isEqualTo(IntentKind.DELETE_COLUMN);
  }

  @Test
  void plainTablesAndTablesBeingChangedAreRefusedWithAHint() {
    assertThatThrownBy(() -> table(Optional.empty()).forReading())
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("enable it for transactions");
    TransactionalTableView changing = table(Optional.of(settings(Phase.CHANGING)));
    assertThatCode(changing::forReading).doesNotThrowAnyException();
    assertThatThrownBy(changing::forWriting).hasMessageContaining("being enabled or disabled");
  }

  /** Else families that were added since would be read and not recorded. */
  @Test
  void serializableGetWithoutFamilies_namesThoseThatAreRecorded() throws Exception {
    Get bare = new Get(ROW).readVersions(3);
    Get sent = table.namingFamilies(bare);
    assertThat(sent.familySet()).containsExactly(F, G);
    assertThat(sent.getMaxVersions()).isEqualTo(3);
    assertThat(bare.hasFamilies()).isFalse();
    assertThat(table.point(sent).columns()).containsOnlyKeys(Bytes.of(F), Bytes.of(G));
    Get named = table.namingFamilies(new Get(ROW).addColumn(G, Q));
    assertThat(named.familySet()).containsExactly(G);
  }

  private static TableSettings settings(Phase phase) {
    return new TableSettings(phase, ConflictLevel.ROW, 1L << 56);
  }

  private static TransactionalTableView table(Optional<TableSettings> settings) {
    return new TransactionalTableView(
        "t", new TreeSet<>(List.of(Bytes.of(F), Bytes.of(G))), settings, false, 0);
  }

  private static void refused(Get get) {
    assertThatThrownBy(() -> ReadRules.check(get)).isInstanceOf(BadRequestException.class);
  }

  private static void refused(Scan scan) {
    assertThatThrownBy(() -> ReadRules.check(scan)).isInstanceOf(BadRequestException.class);
  }

  private void refused(Code code, Mutation mutation) {
    assertThatThrownBy(() -> translator.translate(table, mutation))
        .isInstanceOfSatisfying(
            BadRequestException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
