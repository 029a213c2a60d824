package io.lampone.client.hbase.admin;

import io.lampone.client.AdoptionReport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.SchemaObstacles;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * Inspects every cell of a plain table before it becomes transactional, and reports obstacles,
 * changes and remarks. Changes nothing.
 */
final class AdoptionInspection {

  private static final int ROWS_PER_CALL = 500;
  private static final int CELLS_PER_RESULT = 1_000;

  /** Clock difference of a client that is not reported. */
  private static final long CLOCK_MARGIN_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private final StoreAccess access;
  private final TableDescriptor table;

  private final Map<Kind, Seen> seen = new EnumMap<>(Kind.class);
  private byte[] row = {};
  private long rows;
  private long cells;
  private long largestValueBytes;

  /** Kind of finding, counted with the first row as an example. */
  private enum Kind {
    LARGE_VERSION,
    RESERVED_QUALIFIER,
    FUTURE,
    DELETE
  }

  private record Seen(long number, Bytes firstRow) {}

  AdoptionInspection(StoreAccess access, TableDescriptor table) {
    this.access = access;
    this.table = table;
  }

  AdoptionReport report() throws IOException {
    boolean isPlain = TableSettings.of(table).isEmpty();
    List<String> obstacles =
        new ArrayList<>(isPlain ? SchemaRules.adoptionObstacles(table) : SchemaObstacles.of(table));
    List<String> changes = new ArrayList<>(SchemaRules.corrections(table));
    if (table.getValue(TableSettings.RESTORING_KEY) != null) {
      obstacles.add("the table is being restored and not complete");
    }
    if (!isPlain) {
      return new AdoptionReport(
          table.getTableName(),
          0,
          0,
          0,
          obstacles,
          changes,
          List.of("the table is transactional already, or being changed; its cells were not read"));
    }
    changes.add("coprocessor added: " + TableSettings.COPROCESSOR);
    scan();
    told(
        obstacles,
        Kind.LARGE_VERSION,
        "versions at or above 2^56, which cannot be told from a transaction's: rewrite such cells"
            + " with a timestamp in milli- or microseconds");
    told(
        obstacles,
        Kind.RESERVED_QUALIFIER,
        "cells whose qualifier begins with "
            + Reserved.PREFIX
            + ", which is Lampone's own: rename the columns");
    return new AdoptionReport(
        table.getTableName(), rows, cells, largestValueBytes, obstacles, changes, notes());
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    told(
        notes,
        Kind.FUTURE,
        "versions in the future of this machine's clock: they count as committed long ago like all"
            + " others, and transactions write above them");
    told(
        notes,
        Kind.DELETE,
        "deletes of HBase: what they hide stays hidden, what transactions write is above them");
    for (CoprocessorDescriptor other : table.getCoprocessorDescriptors()) {
      notes.add(
          "another coprocessor runs on the table: it sees Lampone's cells and must not write itself,"
              + " class="
              + other.getClassName());
    }
    return notes;
  }

  private void told(List<String> into, Kind kind, String what) {
    Seen some = seen.get(kind);
    if (some != null) {
      into.add(some.number() + " " + what + ", first row=" + some.firstRow());
    }
  }

  private void scan() throws IOException {
    Scan stored =
        new Scan()
            .readAllVersions()
            .setRaw(true)
            .setFilter(new KeyOnlyFilter(true)) // the value's length in its place
            .setCacheBlocks(false);
    long futureMillis = access.clock().wallMillis() + CLOCK_MARGIN_MILLIS;
    forEach(
        stored,
        cell -> {
          if (!CellUtil.matchingRows(cell, row)) {
            row = CellUtil.cloneRow(cell);
            rows++;
          }
          look(cell, futureMillis);
        });
    // Until a major compaction, what disabling has deleted exactly is stored, and does no harm.
    forEach(
        VersionCheck.scan(),
        cell -> {
          count(Kind.LARGE_VERSION, cell);
          countReserved(cell);
        });
  }

  private void forEach(Scan scan, Consumer<Cell> work) throws IOException {
    scan.setBatch(CELLS_PER_RESULT).setCaching(ROWS_PER_CALL);
    try (ResultScanner results =
        access.connection().getTable(table.getTableName()).getScanner(scan)) {
      for (Result result = results.next(); result != null; result = results.next()) {
        result.listCells().forEach(work);
      }
    }
  }

  /** Looks at a stored cell, except for what makes a large version of a value an obstacle. */
  private void look(Cell cell, long futureMillis) {
    cells++;
    boolean value = cell.getType() == Cell.Type.Put;
    boolean plain = Timestamps.isPlain(cell.getTimestamp());
    if (value && cell.getValueLength() == Integer.BYTES) {
      largestValueBytes =
          Math.max(
              largestValueBytes,
              org.apache.hadoop.hbase.util.Bytes.toInt(
                  cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
    }
    if (!value) {
      count(Kind.DELETE, cell);
    }
    if (plain && cell.getTimestamp() > futureMillis) {
      count(Kind.FUTURE, cell);
    }
    if (VersionCheck.deletesMany(cell) && !plain) {
      count(Kind.LARGE_VERSION, cell);
    }
    if (VersionCheck.deletesMany(cell) || value && plain) {
      countReserved(cell);
    }
  }

  private void countReserved(Cell cell) {
    if (Reserved.isReserved(Bytes.wrap(CellUtil.cloneQualifier(cell)))) {
      count(Kind.RESERVED_QUALIFIER, cell);
    }
  }

  private void count(Kind kind, Cell cell) {
    seen.compute(
        kind,
        (key, before) ->
            before == null
                ? new Seen(1, Bytes.wrap(CellUtil.cloneRow(cell)))
                : new Seen(before.number() + 1, before.firstRow()));
  }
}
