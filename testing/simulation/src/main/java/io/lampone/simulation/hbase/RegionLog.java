package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.simulation.invariant.InvariantChecker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Durable state of one region: log and files together. Opening the region fences off its previous
 * server; a zombie can append no more.
 */
public final class RegionLog {

  private final int region;
  private final Span span;
  private final InvariantChecker invariantChecker;
  private final NavigableMap<Bytes, RowCells> rows = new TreeMap<>();
  private final List<Long> files = new ArrayList<>();

  /** Writes of transactions that have failed since the opening, by their number. */
  private final NavigableMap<Long, List<RowWrite>> failed = new TreeMap<>();

  private long opening;
  private long sequence;

  /**
   * The cells that one request writes into one row.
   *
   * @param row its name
   */
  public record RowWrite(Bytes row, List<CellWrite> cells) {}

  public RegionLog(int region, Span span, InvariantChecker invariantChecker) {
    this.region = region;
    this.span = span;
    this.invariantChecker = invariantChecker;
  }

  Span span() {
    return span;
  }

  /** A part of the rows of another region, which has ended. */
  static RegionLog daughter(int region, Span span, RegionLog of) {
    of.recover();
    RegionLog made = new RegionLog(region, span, of.invariantChecker);
    of.rows.forEach(
        (row, cells) -> {
          if (span.contains(row)) {
            made.rows.put(row, cells.copy());
          }
        });
    made.files.addAll(of.files);
    made.sequence = of.sequence;
    return made;
  }

  /** The rows of two regions which have ended, the files of the second on top of the first's. */
  static RegionLog merged(int region, RegionLog low, RegionLog high) {
    Span both = new Span(low.span.from(), high.span.to());
    high.recover();
    RegionLog made = daughter(region, both, low);
    made.flushed();
    high.rows.forEach((row, cells) -> made.rows.put(row, cells.later(low.sequence)));
    high.files.forEach(end -> made.files.add(end + low.sequence));
    made.sequence = low.sequence + high.sequence;
    made.flushed();
    return made;
  }

  private void flushed() {
    if (sequence > (files.isEmpty() ? 0 : files.get(files.size() - 1))) {
      files.add(sequence);
    }
  }

  int region() {
    return region;
  }

  /** Begins another opening, and returns its number: appends of earlier ones fail. */
  public long fence() {
    recover();
    return ++opening;
  }

  /** Reports the cells of failed writes that no later write has replaced. */
  private void recover() {
    failed.forEach(
        (number, writes) -> {
          List<RowWrite> found = new ArrayList<>();
          for (RowWrite write : writes) {
            RowCells cells = rows.getOrDefault(write.row(), new RowCells());
            List<CellWrite> newest =
                write.cells().stream().filter(cell -> cells.newest(cell) == number).toList();
            if (!newest.isEmpty()) {
              found.add(new RowWrite(write.row(), newest));
            }
          }
          invariantChecker.appended(this, found);
        });
    failed.clear();
  }

  /**
   * Appends the cells of one request, all or nothing; returns the number of the write, or empty if
   * the opening is not the newest.
   */
  public OptionalLong append(long by, List<RowWrite> writes) {
    return append(by, writes, true);
  }

  /**
   * Appends them likewise.
   *
   * @param counts false if the write fails now, and counts only if a recovery finds its cells
   */
  public OptionalLong append(long by, List<RowWrite> writes, boolean counts) {
    if (by != opening) {
      return OptionalLong.empty();
    }
    sequence++;
    for (RowWrite write : writes) {
      RowCells cells = rows.computeIfAbsent(write.row(), r -> new RowCells());
      write.cells().forEach(cell -> cells.put(cell, sequence));
    }
    if (counts) {
      invariantChecker.appended(this, writes);
    } else {
      failed.put(sequence, writes);
    }
    return OptionalLong.of(sequence);
  }

  /** The number of the newest write. */
  long sequence() {
    return sequence;
  }

  /** Returns the ends of the files, by number of write, oldest first, without unflushed writes. */
  List<Long> files() {
    return files;
  }

  /**
   * Applies a finished flush or compaction: its file replaces those that it has read. Returns
   * false, and changes nothing, if the opening is not the newest.
   */
  public boolean replace(long by, Compaction.Result result) {
    if (by != opening) {
      return false;
    }
    result.applyTo(rows);
    files.removeIf(end -> end > result.after() && end <= result.upTo());
    files.add(result.upTo());
    files.sort(Comparator.naturalOrder());
    invariantChecker.collected(this, result);
    return true;
  }

  /** Returns the state at an opening: all writes ever appended. */
  NavigableMap<Bytes, RowCells> replay() {
    NavigableMap<Bytes, RowCells> copy = new TreeMap<>();
    rows.forEach((row, cells) -> copy.put(row, cells.copy()));
    return copy;
  }

  /** The durable cells of all rows, for invariants. */
  public void eachRow(BiConsumer<Bytes, RowCells> action) {
    rows.forEach(action);
  }

  /** The durable cells of a row, without those of failed writes, for invariants. */
  public RowCells row(Bytes row) {
    RowCells cells = rows.getOrDefault(row, new RowCells());
    return failed.isEmpty() ? cells : cells.without(failed.keySet());
  }
}
