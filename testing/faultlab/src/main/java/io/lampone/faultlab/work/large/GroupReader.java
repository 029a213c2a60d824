package io.lampone.faultlab.work.large;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Reads groups in one transaction by scans and gets of all kinds, and checks the results. */
public final class GroupReader {

  private static final int MOST_GETS = 30;

  private final List<Table> tables;
  private final GroupJudge judge;
  private final RandomGenerator random;

  /**
   * @param tables of the transaction, as {@link Group#table} numbers them
   * @param judge of the results
   */
  public GroupReader(List<Table> tables, GroupJudge judge, RandomGenerator random) {
    this.tables = List.copyOf(tables);
    this.judge = judge;
    this.random = random;
  }

  /**
   * Reads the rows of a group that has this stamp.
   *
   * @param header the header row of the group in the same transaction
   * @return the elements of the group's register that the rows imply
   */
  public List<Long> read(Group group, GroupHeader header) throws IOException {
    return random.nextInt(8) == 0
        ? byGets(group, header)
        : scan(group, header, Selection.any(group, random));
  }

  /** The same by a scan of all rows. */
  public List<Long> readAll(Group group, GroupHeader header) throws IOException {
    return scan(group, header, Selection.pages(group, random));
  }

  private List<Long> scan(Group group, GroupHeader header, Selection selection) throws IOException {
    NavigableMap<Integer, NavigableMap<String, byte[]>> seen = new TreeMap<>();
    for (Table table : tables) {
      try (ResultScanner scanner = table.getScanner(new Scan(selection.scan()))) {
        collect(group, scanner, selection, seen);
      }
    }
    return judge.judge(
        group, header, selection.scan().toString(), expected(header, selection), seen);
  }

  private List<Long> byGets(Group group, GroupHeader header) throws IOException {
    NavigableMap<Integer, NavigableMap<String, byte[]>> seen = new TreeMap<>();
    NavigableMap<Integer, NavigableMap<String, byte[]>> wanted = new TreeMap<>();
    List<List<Get>> gets = new ArrayList<>();
    tables.forEach(table -> gets.add(new ArrayList<>()));
    for (int i = 0; i < MOST_GETS; i++) {
      // Some behind the last one: these places must be empty.
      int place = random.nextInt(header.rows() + 5);
      gets.get(Group.table(place)).add(new Get(group.row(place)));
      if (place < header.rows()) {
        wanted.put(place, judge.content(header, place));
      }
    }
    for (int i = 0; i < tables.size(); i++) {
      for (Result result : tables.get(i).get(gets.get(i))) {
        if (!result.isEmpty()) {
          seen.put(Group.place(result.getRow()), columns(result));
        }
      }
    }
    return judge.judge(group, header, "gets", wanted, seen);
  }

  /** Joins the parts of rows; duplicates and disorder are violations. */
  private void collect(
      Group group,
      Iterable<Result> scanner,
      Selection selection,
      NavigableMap<Integer, NavigableMap<String, byte[]>> seen) {
    int last = RowContent.HEADER;
    boolean isFirst = true;
    boolean descending = selection.scan().isReversed();
    for (Result result : scanner) {
      int place = Group.place(result.getRow());
      NavigableMap<String, byte[]> columns = columns(result);
      NavigableMap<String, byte[]> before = seen.get(place);
      if (before != null && place == last && selection.inParts()) {
        columns.keySet().stream()
            .filter(before::containsKey)
            .forEach(
                column -> judge.violation(group, "column twice, place=" + place + " " + column));
        before.putAll(columns);
      } else {
        if (!isFirst && (descending ? place >= last : place <= last)) {
          judge.violation(group, "a row twice or out of order, before=" + last + " then=" + place);
        }
        seen.put(place, columns);
      }
      last = place;
      isFirst = false;
    }
  }

  private NavigableMap<Integer, NavigableMap<String, byte[]>> expected(
      GroupHeader header, Selection selection) {
    NavigableMap<Integer, NavigableMap<String, byte[]>> wanted = new TreeMap<>();
    int[] left = new int[Group.TABLES];
    for (int i = 0; i < header.rows(); i++) {
      int place = selection.scan().isReversed() ? header.rows() - 1 - i : i;
      int table = Group.table(place);
      if (selection.places().test(place)
          && (selection.limit() == 0 || left[table] < selection.limit())) {
        NavigableMap<String, byte[]> shown =
            selection.columns().apply(judge.content(header, place));
        if (!shown.isEmpty()) {
          wanted.put(place, shown);
          left[table]++;
        }
      }
    }
    return wanted;
  }

  /** Returns the columns of a result by {@code family:qualifier}. */
  static NavigableMap<String, byte[]> columns(Result result) {
    NavigableMap<String, byte[]> columns = new TreeMap<>();
    if (result.isEmpty()) {
      return columns;
    }
    for (Cell cell : result.rawCells()) {
      columns.put(
          new String(CellUtil.cloneFamily(cell), StandardCharsets.UTF_8)
              + ":"
              + new String(CellUtil.cloneQualifier(cell), StandardCharsets.UTF_8),
          CellUtil.cloneValue(cell));
    }
    return columns;
  }
}
