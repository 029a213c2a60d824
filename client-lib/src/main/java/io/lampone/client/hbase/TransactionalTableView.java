package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Client's view of a table.
 *
 * @param name with its namespace, as in places and requests
 * @param families its column families
 * @param settings its transactional settings; empty for a plain table
 * @param expires true if values of some family expire
 * @param readAtNanos time of the reading, on the monotonic clock
 */
record TransactionalTableView(
    String name,
    SortedSet<Bytes> families,
    Optional<TableSettings> settings,
    boolean expires,
    long readAtNanos) {

  static TransactionalTableView of(TableDescriptor descriptor, long readAtNanos) {
    SortedSet<Bytes> families = new TreeSet<>();
    descriptor.getColumnFamilyNames().forEach(family -> families.add(Bytes.of(family)));
    return new TransactionalTableView(
        descriptor.getTableName().getNameAsString(),
        families,
        TableSettings.of(descriptor),
        TableRetention.of(descriptor).isLimited(),
        readAtNanos);
  }

  /** Returns true if transactions may write, and this is likely to stay so. */
  boolean isEnabled() {
    return settings.isPresent() && settings.get().phase() == Phase.ENABLED;
  }

  /**
   * Returns this table, if a transaction may read it.
   *
   * @throws BadRequestException if it is a plain table
   */
  TransactionalTableView forReading() {
    if (settings.isEmpty()) {
      throw new BadRequestException(
          Code.TABLE_NOT_TRANSACTIONAL,
          "the table is a plain HBase table: enable it for transactions first, table=" + name);
    }
    return this;
  }

  /**
   * Returns this table, if a transaction may write it.
   *
   * @throws BadRequestException if it is a plain table or being changed
   */
  TransactionalTableView forWriting() {
    forReading();
    if (!isEnabled()) {
      throw new BadRequestException(
          Code.TABLE_NOT_TRANSACTIONAL,
          "the table is being enabled or disabled for transactions: wait until that has ended; if it"
              + " was broken off, do it again, table="
              + name);
    }
    return this;
  }

  /**
   * Checks that reads can be certified.
   *
   * @throws BadRequestException if they cannot
   */
  void requireCertifiable() {
    if (expires) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "values of the table may expire, which no transaction writes: a serializable transaction"
              + " cannot read it, use SNAPSHOT, table="
              + name);
    }
    if (settings.orElseThrow().plainClients() == PlainClients.PHOENIX) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "the table is one of Phoenix: a serializable transaction cannot read it, use SNAPSHOT,"
              + " table="
              + name);
    }
  }

  /**
   * Returns a copy of a Get that names its families: without names it would also read families that
   * were added since this view was fetched.
   */
  Get namingFamilies(Get get) {
    Get copy = new Get(get);
    if (!copy.hasFamilies()) {
      families.forEach(family -> copy.addFamily(family.toArray()));
    }
    return copy;
  }

  /** Returns a copy of a Scan that names its families. */
  Scan namingFamilies(Scan scan) {
    Scan copy = ReadRules.copy(scan);
    if (!copy.hasFamilies()) {
      families.forEach(family -> copy.addFamily(family.toArray()));
    }
    return copy;
  }

  /** Returns the read of a Get of this table that names its families. */
  ReadSet.Point point(Get get) {
    return new ReadSet.Point(name, level(), Bytes.of(get.getRow()), columns(get.getFamilyMap()));
  }

  /** Returns the range of a Scan of this table that names its families. */
  ScannedRange range(Scan scan) {
    Bytes start = Bytes.of(scan.getStartRow());
    Bytes stop = Bytes.of(scan.getStopRow());
    RowRange rows =
        scan.isReversed()
            ? new RowRange(
                RowPosition.start(stop, scan.includeStopRow()),
                RowPosition.stop(start, scan.includeStartRow()))
            : new RowRange(
                RowPosition.start(start, scan.includeStartRow()),
                RowPosition.stop(stop, scan.includeStopRow()));
    return new ScannedRange(name, level(), columns(scan.getFamilyMap()), rows);
  }

  private static Map<Bytes, Set<Bytes>> columns(Map<byte[], NavigableSet<byte[]>> families) {
    Map<Bytes, Set<Bytes>> columns = new TreeMap<>();
    families.forEach(
        (family, named) ->
            columns.put(
                Bytes.of(family),
                named == null
                    ? Set.of()
                    : named.stream().map(Bytes::of).collect(Collectors.toSet())));
    return columns;
  }

  /** Returns true if the fast path may write, as far as is known. */
  boolean hasFastPath() {
    return isEnabled() && settings.get().fastPath();
  }

  /** Returns the conflict level. */
  ConflictLevel level() {
    return settings.orElseThrow().level();
  }

  /**
   * Checks that the table has a family.
   *
   * @throws UnknownFamilyException if this view has no such family
   */
  void checkFamily(Bytes family) {
    ReadRules.checkFamily(family);
    if (!families.contains(family)) {
      throw new UnknownFamilyException(
          name,
          "the table has no such column family, table="
              + name
              + " family="
              + family
              + " families="
              + families);
    }
  }
}
