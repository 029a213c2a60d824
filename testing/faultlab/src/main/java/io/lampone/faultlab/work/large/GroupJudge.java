package io.lampone.faultlab.work.large;

import io.lampone.faultlab.work.Stamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Checker of groups in a snapshot: each row is there once, with each byte that follows from the
 * stamp in the header, and no other row is.
 */
public final class GroupJudge {

  /** Lifetime of the values of {@link RowContent#EXPIRING}. */
  public static final int LIFETIME_SECONDS = 6;

  private static final long LIFETIME_NANOS = TimeUnit.SECONDS.toNanos(LIFETIME_SECONDS);

  /** So close to the end of a lifetime either is right. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final int SHOWN = 5;

  private final long snapshot;
  private final int largestCell;
  private final Consumer<String> violations;

  /**
   * @param snapshot of the reader; 0 if it shows own writes, or is none: then nothing is expected
   *     of values that expire
   * @param largestCell bytes that a cell may have
   * @param violations receives violations
   */
  public GroupJudge(long snapshot, int largestCell, Consumer<String> violations) {
    this.snapshot = snapshot;
    this.largestCell = largestCell;
    this.violations = violations;
  }

  /** State of a value that expires, at the reader's snapshot; UNKNOWN if too close to call. */
  private enum Expiry {
    ALIVE,
    EXPIRED,
    UNKNOWN
  }

  private Expiry expiry(GroupHeader header) {
    long left = header.began() + LIFETIME_NANOS - snapshot;
    if (snapshot == 0 || header.began() == 0 || Math.abs(left) < TOLERANCE_NANOS) {
      return Expiry.UNKNOWN;
    }
    return left > 0 ? Expiry.ALIVE : Expiry.EXPIRED;
  }

  /** Returns the columns that a row must have. */
  NavigableMap<String, byte[]> content(GroupHeader header, int place) {
    NavigableMap<String, byte[]> columns = RowContent.of(header.stamp(), place, largestCell);
    if (expiry(header) != Expiry.ALIVE) {
      columns.remove(RowContent.MORTAL);
    }
    return columns;
  }

  /** Judges a header row. */
  public void judge(Group group, GroupHeader header) {
    NavigableMap<String, byte[]> expected =
        header.stamp() == 0
            ? new TreeMap<>()
            : RowContent.of(header.stamp(), RowContent.HEADER, largestCell);
    if (!isEqual(expected, header.columns())) {
      violation(group, "header differs, " + difference(expected, header.columns()));
    }
  }

  /**
   * Checks the rows that a read has shown.
   *
   * @param kind of the read, for messages
   * @param expected by place
   * @param seen by place; it may be changed
   * @return the elements of the group's register that the rows imply: its stamp if all is right,
   *     otherwise a value that no register has held
   */
  List<Long> judge(
      Group group,
      GroupHeader header,
      String kind,
      NavigableMap<Integer, NavigableMap<String, byte[]>> expected,
      NavigableMap<Integer, NavigableMap<String, byte[]>> seen) {
    if (expiry(header) == Expiry.UNKNOWN) {
      seen.values().forEach(columns -> columns.remove(RowContent.MORTAL));
    }
    List<String> differences = new ArrayList<>();
    TreeSet<Integer> places = new TreeSet<>(expected.keySet());
    places.addAll(seen.keySet());
    for (int place : places) {
      NavigableMap<String, byte[]> wanted = expected.getOrDefault(place, new TreeMap<>());
      NavigableMap<String, byte[]> found = seen.getOrDefault(place, new TreeMap<>());
      if (!isEqual(wanted, found)) {
        differences.add("place=" + place + " " + difference(wanted, found));
      }
    }
    if (differences.isEmpty()) {
      return header.elements();
    }
    violation(
        group,
        kind
            + " shows another group than its header, stamp="
            + header.stamp()
            + " rows="
            + header.rows()
            + " snapshot="
            + snapshot
            + " began="
            + header.began()
            + " expected="
            + expected.size()
            + " seen="
            + seen.size()
            + " different="
            + differences.size()
            + ": "
            + differences.stream().limit(SHOWN).toList());
    return torn(header, seen);
  }

  /**
   * Judges all rows of all tables, as one snapshot has shown them.
   *
   * @return the elements of each group's register that its rows imply, by the number of the group
   */
  public List<List<Long>> judgeAll(List<List<Result>> tables) {
    Map<Group, GroupHeader> headers = new TreeMap<>((a, b) -> a.number() - b.number());
    Map<Group, NavigableMap<Integer, NavigableMap<String, byte[]>>> rows =
        new TreeMap<>((a, b) -> a.number() - b.number());
    for (List<Result> table : tables) {
      for (Result row : table) {
        Group group = Group.of(row.getRow());
        int place = Group.place(row.getRow());
        if (place == RowContent.HEADER) {
          headers.put(group, GroupHeader.of(row));
        } else {
          rows.computeIfAbsent(group, absent -> new TreeMap<>())
              .put(place, GroupReader.columns(row));
        }
      }
    }
    List<List<Long>> registers = new ArrayList<>();
    for (int number = 0; number < Group.COUNT; number++) {
      Group group = new Group(number);
      GroupHeader header = headers.getOrDefault(group, new GroupHeader(0, 0));
      judge(group, header);
      NavigableMap<Integer, NavigableMap<String, byte[]>> expected = new TreeMap<>();
      for (int place = 0; place < header.rows(); place++) {
        expected.put(place, content(header, place));
      }
      registers.add(
          judge(
              group, header, "a scan of all", expected, rows.getOrDefault(group, new TreeMap<>())));
    }
    return registers;
  }

  void violation(Group group, String text) {
    violations.accept("large: group=" + group.number() + " " + text);
  }

  /** Returns the stamps that the rows carry, or one with the number of rows, which none has. */
  private static List<Long> torn(
      GroupHeader header, NavigableMap<Integer, NavigableMap<String, byte[]>> seen) {
    TreeSet<Long> stamps = new TreeSet<>();
    seen.values().stream()
        .map(columns -> columns.get(RowContent.VALUE))
        .filter(Objects::nonNull)
        .forEach(value -> stamps.add(RowContent.stamp(value)));
    stamps.remove(header.stamp());
    return stamps.isEmpty()
        ? List.of(header.stamp() - header.rows() + Stamps.CONTENT_LIMIT - 1)
        : List.copyOf(stamps);
  }

  private static boolean isEqual(Map<String, byte[]> a, Map<String, byte[]> b) {
    return a.keySet().equals(b.keySet())
        && a.entrySet().stream()
            .allMatch(each -> Arrays.equals(each.getValue(), b.get(each.getKey())));
  }

  private static String difference(Map<String, byte[]> wanted, Map<String, byte[]> found) {
    TreeSet<String> columns = new TreeSet<>(wanted.keySet());
    columns.addAll(found.keySet());
    columns.removeIf(each -> Arrays.equals(wanted.get(each), found.get(each)));
    List<String> texts = new ArrayList<>();
    for (String column : columns) {
      texts.add(
          column + " " + text(column, wanted.get(column)) + "/" + text(column, found.get(column)));
    }
    return "expected/seen " + texts;
  }

  private static String text(String column, byte @Nullable [] value) {
    if (value == null) {
      return "absent";
    }
    return value.length
        + " bytes"
        + (column.equals(RowContent.VALUE) ? " of " + RowContent.stamp(value) : "");
  }
}
