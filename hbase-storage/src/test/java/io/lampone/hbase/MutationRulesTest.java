package io.lampone.hbase;

import static io.lampone.hbase.MutationRules.objection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Each thing that a mutation may ask for: kept, or refused with what to do. */
class MutationRulesTest {

  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");

  @Test
  void whatATransactionalTableKeepsIsNotObjectedTo() {
    assertThat(objection(put())).isNull();
    assertThat(objection(put().setTTL(5))).isNull();
    assertThat(objection(put().setDurability(Durability.SKIP_WAL))).isNull();
    assertThat(objection(new Delete(ROW))).isNull();
    assertThat(objection(new Delete(ROW).addFamily(FAMILY))).isNull();
    assertThat(objection(new Delete(ROW).addColumn(FAMILY, QUALIFIER))).isNull();
    assertThat(objection(new Delete(ROW).addColumns(FAMILY, QUALIFIER))).isNull();
    assertThat(objection(new Increment(ROW).addColumn(FAMILY, QUALIFIER, 1))).isNull();
    assertThat(objection(new Append(ROW).addColumn(FAMILY, QUALIFIER, ROW))).isNull();
  }

  @Test
  void aLifetimeHasALeastAndAMost() {
    assertThat(objection(put().setTTL(0))).contains("TTL", "millis=0");
    assertThat(objection(put().setTTL(-1))).contains("TTL", "millis=-1");
    assertThat(objection(put().setTTL(1L << 51))).contains("TTL", "millis=" + (1L << 51));
  }

  @Test
  void rightsAndLabelsOfCellsAreRefused() {
    Map<String, Permission> acl =
        Map.of("u", Permission.newBuilder().withActions(Permission.Action.READ).build());
    assertThat(objection(put().setACL(acl))).contains("ACLs");
    assertThat(objection(put().setCellVisibility(new CellVisibility("secret")))).contains("labels");
  }

  @Test
  void timestampsAndTimeRangesAreRefused() throws IOException {
    String leave = "leave them out";
    assertThat(objection(new Put(ROW, 5).addColumn(FAMILY, QUALIFIER, ROW))).contains(leave);
    assertThat(objection(new Put(ROW).addColumn(FAMILY, QUALIFIER, 5, ROW)))
        .contains(leave, "timestamp=5");
    assertThat(objection(new Delete(ROW, 5))).contains(leave, "timestamp=5");
    assertThat(objection(new Delete(ROW).addColumns(FAMILY, QUALIFIER, 5))).contains(leave);
    assertThat(objection(new Increment(ROW).addColumn(FAMILY, QUALIFIER, 1).setTimeRange(1, 2)))
        .contains(leave);
    assertThat(objection(new Append(ROW).addColumn(FAMILY, QUALIFIER, ROW).setTimeRange(1, 2)))
        .contains(leave);
  }

  @Test
  void oneVersionOfAFamilyCannotBeDeleted() {
    Delete delete = new Delete(ROW).addFamilyVersion(FAMILY, HConstants.LATEST_TIMESTAMP);
    assertThat(objection(delete)).contains("addFamily");
  }

  @Test
  void tagsAreRefused() throws IOException {
    List<Tag> tags = List.of(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(5L)));
    KeyValue tagged =
        new KeyValue(ROW, FAMILY, QUALIFIER, HConstants.LATEST_TIMESTAMP, KeyValue.Type.Put, ROW);
    KeyValue cell =
        new KeyValue(
            ROW,
            0,
            ROW.length,
            FAMILY,
            0,
            FAMILY.length,
            QUALIFIER,
            0,
            QUALIFIER.length,
            HConstants.LATEST_TIMESTAMP,
            KeyValue.Type.Put,
            ROW,
            0,
            ROW.length,
            tags);
    assertThat(objection(new Put(ROW).add(tagged))).isNull();
    assertThat(objection(new Put(ROW).add(cell))).contains("tags");
  }

  private static Put put() {
    return new Put(ROW).addColumn(FAMILY, QUALIFIER, ROW);
  }
}
