package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.Refusal;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Query;
import org.jspecify.annotations.Nullable;

/**
 * A read at a snapshot of families that are {@linkplain FrozenFamilies at rest}: HBase answers it
 * alone, with a time range that ends below the snapshot and without a {@link VisibilityFilter}.
 *
 * <p>Every stored value is committed at birth: a snapshot sees it if its version is below, and
 * nothing stored hides it. Whether that still held when the scanner was opened is checked
 * afterwards. The request itself carries the first result, because a map keyed by Gets would
 * confuse two Gets of one row (B6).
 *
 * @param look result of {@link FrozenFamilies#look}
 * @param versions of a column that the table shows
 */
record FrozenRead(long look, int versions) {

  private static final String ATTRIBUTE = "lampone.resting";

  /**
   * Returns the read if HBase can answer it alone, else null.
   *
   * @param families of the read, at least one
   */
  static @Nullable FrozenRead of(
      OpenRegion open, Query query, Map<byte[], NavigableSet<byte[]>> families) {
    if (query.getFilter() != null) {
      return null; // an application's filter needs ours around it
    }
    int versions = versions(open.retention(), families.keySet());
    if (versions == 0) {
      return null;
    }
    long look = open.committedFiles().look(open.region(), families.keySet());
    return look == FrozenFamilies.NOT_AT_REST ? null : new FrozenRead(look, versions);
  }

  /**
   * Returns the number of versions of a column that all families show; 0 if they differ, or a value
   * may expire.
   */
  private static int versions(TableRetention retention, Set<byte[]> families) {
    if (retention.families().isEmpty()) {
      return FamilyRetention.DEFAULT.versions();
    }
    int versions = 0;
    for (byte[] family : families) {
      FamilyRetention ofFamily = retention.of(Bytes.wrap(family));
      boolean differs = versions != 0 && ofFamily.versions() != versions;
      if (differs || ofFamily.isLimited()) {
        return 0;
      }
      versions = ofFamily.versions();
    }
    return versions;
  }

  /** Attaches this read to {@code get} until it has been carried out. */
  void attachTo(Get get, long snapshot) {
    byte[] bytes =
        ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
            .putLong(snapshot)
            .putLong(look)
            .putInt(versions)
            .array();
    get.setAttribute(ATTRIBUTE, bytes);
  }

  /** Removes the attribute, which a client may have sent itself. */
  static void detachFrom(OperationWithAttributes operation) {
    operation.setAttribute(ATTRIBUTE, null);
  }

  static boolean isAttachedTo(Get get) {
    return get.getAttribute(ATTRIBUTE) != null;
  }

  /**
   * Checks the families after a Get with an attached read has been carried out.
   *
   * @return the snapshot of the read
   * @throws Refused NOT_READY if the families may not have been at rest all the time
   */
  static long requireStill(OpenRegion open, Get get) {
    ByteBuffer attached = ByteBuffer.wrap(get.getAttribute(ATTRIBUTE));
    long snapshot = attached.getLong();
    new FrozenRead(attached.getLong(), attached.getInt())
        .requireStill(open, get.getFamilyMap().keySet());
    return snapshot;
  }

  /** Checks the families when the scanner is open. */
  void requireStill(OpenRegion open, Set<byte[]> families) {
    if (look != open.committedFiles().look(open.region(), families)) {
      throw Refused.because(
          Refusal.Code.NOT_READY, "the region was written to while it was read: read it again");
    }
  }
}
