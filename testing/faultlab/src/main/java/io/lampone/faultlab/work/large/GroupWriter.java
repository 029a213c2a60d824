package io.lampone.faultlab.work.large;

import io.lampone.faultlab.work.HistoryCells;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes the content of another stamp to the rows of groups, each row in one of several ways that
 * must have the same effect.
 */
public final class GroupWriter {

  /** Rows of a transaction that are written by operations that read. */
  private static final int MOST_READING = 12;

  /** Rows in one call. */
  private static final int BATCH_ROWS = 700;

  private static final int BLIND_WAYS = 4;

  private final List<Table> tables;
  private final int largestCell;
  private final RandomGenerator random;
  private final Consumer<String> violations;
  private int readingLeft = MOST_READING;

  /**
   * @param tables of the transaction, as {@link Group#table} numbers them
   * @param largestCell bytes that a cell may have
   * @param violations receives violations
   */
  public GroupWriter(
      List<Table> tables, int largestCell, RandomGenerator random, Consumer<String> violations) {
    this.tables = List.copyOf(tables);
    this.largestCell = largestCell;
    this.random = random;
    this.violations = violations;
  }

  /**
   * Writes all of a group.
   *
   * @param before its header in this transaction
   * @param after with its new stamp
   */
  public void write(Group group, GroupHeader before, GroupHeader after) throws IOException {
    List<List<Row>> actions = new ArrayList<>();
    tables.forEach(table -> actions.add(new ArrayList<>()));
    byte[] header = group.header();
    NavigableMap<String, byte[]> content =
        RowContent.of(after.stamp(), RowContent.HEADER, largestCell);
    content.put(GroupHeader.REGISTER, HistoryCells.bytes(after.elements()));
    blindly(header, content, actions.get(0));
    for (int place = 0; place < Math.max(before.rows(), after.rows()); place++) {
      int table = Group.table(place);
      byte[] row = group.row(place);
      if (place >= after.rows()) {
        actions.get(table).add(deletion(row));
      } else {
        NavigableMap<String, byte[]> wanted = RowContent.of(after.stamp(), place, largestCell);
        if (place < before.rows() && readingLeft > 0 && random.nextInt(4) == 0) {
          readingLeft--;
          knowing(
              tables.get(table), row, RowContent.of(before.stamp(), place, largestCell), wanted);
        } else {
          blindly(row, wanted, actions.get(table));
        }
      }
      if (actions.get(table).size() >= BATCH_ROWS) {
        send(table, actions.get(table));
      }
    }
    for (int table = 0; table < tables.size(); table++) {
      send(table, actions.get(table));
    }
  }

  private void send(int table, List<Row> actions) throws IOException {
    if (actions.isEmpty()) {
      return;
    }
    if (random.nextBoolean()) {
      Object[] results = new Object[actions.size()];
      try {
        tables.get(table).batch(actions, results);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    } else {
      // In the order of each row: its deletes come first.
      List<Delete> deletes = new ArrayList<>();
      List<Put> puts = new ArrayList<>();
      for (Row action : actions) {
        if (action instanceof Delete delete) {
          deletes.add(delete);
        } else if (action instanceof Put put) {
          puts.add(put);
        } else if (action instanceof RowMutations both) {
          tables.get(table).mutateRow(both);
        }
      }
      tables.get(table).delete(deletes);
      tables.get(table).put(puts);
    }
    actions.clear();
  }

  /** Adds the operations that write a row's content, whatever was in it. */
  private void blindly(byte[] row, NavigableMap<String, byte[]> wanted, List<Row> actions)
      throws IOException {
    Put put = put(row, wanted);
    switch (random.nextInt(BLIND_WAYS)) {
      case 0 -> {
        actions.add(new Delete(row));
        actions.add(put);
      }
      case 1 -> {
        Delete families = new Delete(row);
        RowContent.FAMILIES.forEach(family -> families.addFamily(bytes(family)));
        actions.add(families);
        actions.add(put);
      }
      case 2 -> {
        actions.add(RowMutations.of(List.of(new Delete(row), put)));
      }
      default -> {
        Delete absent = absent(row, wanted);
        if (!absent.isEmpty()) {
          actions.add(absent);
        }
        actions.add(put);
      }
    }
  }

  /** Returns the one request of the fast path that writes a header row's content. */
  public static RowMutations atOnce(
      Group group, long stamp, int largestCell, RandomGenerator random) throws IOException {
    NavigableMap<String, byte[]> wanted = RowContent.of(stamp, RowContent.HEADER, largestCell);
    wanted.put(GroupHeader.REGISTER, HistoryCells.bytes(List.of(stamp)));
    byte[] row = group.header();
    Put put = put(row, wanted);
    return RowMutations.of(
        switch (random.nextInt(3)) {
          case 0 -> List.of(new Delete(row), put);
          case 1 -> List.of(new Delete(row).addFamily(bytes("g")), absent(row, wanted), put);
          default -> List.of(absent(row, wanted), put);
        });
  }

  /** Writes a row by operations that depend on its old content. */
  private void knowing(
      Table table,
      byte[] row,
      NavigableMap<String, byte[]> before,
      NavigableMap<String, byte[]> wanted)
      throws IOException {
    NavigableMap<String, byte[]> left = new TreeMap<>(wanted);
    byte[] value = Objects.requireNonNull(before.get(RowContent.VALUE));
    // The first one must not be carried out.
    check(table, row, new byte[] {1}, false, new Put(row).addColumn(bytes("f"), bytes("v"), value));
    byte[] number = before.get(RowContent.NUMBER);
    byte[] next = wanted.get(RowContent.NUMBER);
    if (number != null && next != null) {
      left.remove(RowContent.NUMBER);
      long difference = ByteBuffer.wrap(next).getLong() - ByteBuffer.wrap(number).getLong();
      table.increment(new Increment(row).addColumn(bytes("g"), bytes("n"), difference));
    }
    byte[] text = before.get(RowContent.TEXT);
    byte[] longer = wanted.get(RowContent.TEXT);
    if (text != null && longer != null && longer.length >= text.length) {
      // All texts begin alike.
      left.remove(RowContent.TEXT);
      byte[] rest = Arrays.copyOfRange(longer, text.length, longer.length);
      table.append(new Append(row).addColumn(bytes("g"), bytes("a"), rest));
    }
    Delete absent = absent(row, wanted);
    if (!absent.isEmpty()) {
      table.delete(absent);
    }
    check(table, row, value, true, put(row, left));
  }

  private void check(Table table, byte[] row, byte[] value, boolean holds, Put put)
      throws IOException {
    boolean done =
        table
            .checkAndMutate(
                CheckAndMutate.newBuilder(row).ifEquals(bytes("f"), bytes("v"), value).build(put))
            .isSuccess();
    if (done != holds) {
      violations.accept(
          "large: a condition holds="
              + done
              + " and must be "
              + holds
              + ", row="
              + new String(row, StandardCharsets.UTF_8));
    }
  }

  /** Deletes a row as a whole, by its families or by its columns. */
  private Delete deletion(byte[] row) {
    Delete delete = new Delete(row);
    switch (random.nextInt(3)) {
      case 0 -> RowContent.FAMILIES.forEach(family -> delete.addFamily(bytes(family)));
      case 1 ->
          delete.addFamily(bytes("g")).addFamily(bytes("f")).addColumn(bytes("t"), bytes("x"));
      default -> {
        // A delete without columns deletes the row.
      }
    }
    return delete;
  }

  /** Deletes each column that the content does not have. */
  private static Delete absent(byte[] row, NavigableMap<String, byte[]> wanted) {
    Delete delete = new Delete(row);
    for (String column : RowContent.COLUMNS) {
      if (!wanted.containsKey(column)) {
        delete.addColumns(bytes(family(column)), bytes(qualifier(column)));
      }
    }
    return delete;
  }

  private static Put put(byte[] row, NavigableMap<String, byte[]> columns) {
    Put put = new Put(row);
    columns.forEach(
        (column, value) -> put.addColumn(bytes(family(column)), bytes(qualifier(column)), value));
    return put;
  }

  private static String family(String column) {
    return column.substring(0, column.indexOf(':'));
  }

  private static String qualifier(String column) {
    return column.substring(column.indexOf(':') + 1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
