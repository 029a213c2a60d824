package io.lampone.cli.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Cells whose version was not issued when the bound was last read. The bound and the committed
 * versions rise during the scan of a table, so a version is impossible only if it is not below a
 * bound read after the cell.
 */
final class Suspects {

  /** Maximum number of pending suspects; the bound is read once for all of them. */
  static final int LIMIT = 1_000;

  private final Doctor.Bound source;
  private final Consumer<DoctorFinding> told;
  private final List<RowExamination.Suspect> waiting = new ArrayList<>();

  private long bound;

  Suspects(Doctor.Bound source, Consumer<DoctorFinding> told) {
    this.source = source;
    this.told = told;
  }

  /** Returns the last bound; cells below it are not suspect. */
  long bound() {
    return bound;
  }

  void add(RowExamination.Suspect suspect) throws IOException, InterruptedException {
    waiting.add(suspect);
    if (waiting.size() >= LIMIT) {
      judge();
    }
  }

  /** Reports the problems of those that wait. */
  void judge() throws IOException, InterruptedException {
    if (waiting.isEmpty()) {
      return;
    }
    bound = Math.max(bound, source.read());
    for (RowExamination.Suspect suspect : waiting) {
      suspect.judge(bound).ifPresent(told);
    }
    waiting.clear();
  }
}
