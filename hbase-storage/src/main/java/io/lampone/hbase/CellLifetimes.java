package io.lampone.hbase;

import io.lampone.protocol.FamilyRetention;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.codec.KeyValueCodecWithTags;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * TTLs of single cells, stored as HBase stores them: in a tag of HBase's type. HBase adds it, in
 * milliseconds, to the version. Our versions are nanoseconds, so to HBase such a cell does not
 * expire, and only {@link FamilyRetention} determines its expiry. When a table becomes plain, its
 * versions become milliseconds, and the tag takes effect in HBase again.
 */
public final class CellLifetimes {

  private CellLifetimes() {}

  /** Returns the TTL of a stored cell; {@link FamilyRetention#FOREVER} = none. */
  public static long millis(Cell cell) {
    if (cell.getTagsLength() == 0) {
      return FamilyRetention.FOREVER;
    }
    return PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE)
        .filter(tag -> tag.getValueLength() == Long.BYTES)
        .map(Tag::getValueAsLong)
        .filter(FamilyRetention::isCellLifetime)
        .orElse(FamilyRetention.FOREVER);
  }

  /** Returns the TTL of a mutation's cells; not checked. */
  public static long millis(Mutation mutation) {
    long ttl = mutation.getTTL();
    return ttl == Long.MAX_VALUE ? FamilyRetention.FOREVER : ttl;
  }

  /** Returns the tag that is stored with a cell. */
  public static Tag tag(long millis) {
    return new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(millis));
  }

  /** Returns a configuration for connections that receive tags; others do not. */
  public static Configuration showing(Configuration configuration) {
    Configuration changed = new Configuration(configuration);
    changed.set(HConstants.RPC_CODEC_CONF_KEY, KeyValueCodecWithTags.class.getName());
    return changed;
  }
}
