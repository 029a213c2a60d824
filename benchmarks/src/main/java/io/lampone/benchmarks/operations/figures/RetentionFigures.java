package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.operations.ReadsAtRest;
import io.lampone.benchmarks.report.Quartiles;
import java.util.List;
import java.util.Locale;

/**
 * Remainder in a table whose rows were rewritten repeatedly, after everything that may be collected
 * has been.
 *
 * @param metadataCells cells in reserved columns
 * @param oldestIntentSeconds age of the oldest undecided intent, 0 if there is none
 * @param versionsPerRowMax maximum of versions of one column
 * @param bytesAtRestRatio bytes of the files, relative to a plain table with the same values
 * @param reads times of reads in a snapshot, relative to the same reads of that table
 * @param lostVersions cells missing in a snapshot or in the last state
 * @param commits transactions that committed meanwhile
 * @param abandoned transactions whose client ended between its intents and its commit
 */
public record RetentionFigures(
    long metadataCells,
    double oldestIntentSeconds,
    int versionsPerRowMax,
    double bytesAtRestRatio,
    Reads reads,
    long lostVersions,
    long commits,
    long abandoned) {

  /**
   * Ratios of reads in one long read-only transaction to reads of a plain table by the same kind of
   * client, {@link ReadsAtRest}.
   *
   * @param get of one row
   * @param getControl of the plain side to itself
   * @param getBlocking of ours to HBase's blocking client
   * @param scan of 1,000 rows
   * @param scanControl of the plain side to itself
   */
  public record Reads(
      Quartiles get,
      Quartiles getControl,
      Quartiles getBlocking,
      Quartiles scan,
      Quartiles scanControl) {}

  /** Returns true if no version was lost. */
  public boolean isSound() {
    return lostVersions == 0 && commits > 0;
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    return List.of(
        String.format(
            Locale.ROOT,
            "%d commits, %d clients died before theirs; versions lost: %d",
            commits,
            abandoned,
            lostVersions),
        String.format(
            Locale.ROOT,
            "At rest: %d metadata cells, at most %d versions of a column, %.3f times the bytes of a"
                + " plain table; oldest intent %.1f s",
            metadataCells,
            versionsPerRowMax,
            bytesAtRestRatio,
            oldestIntentSeconds),
        "Reads, in those of a plain table: a get "
            + text(reads.get())
            + ", plain to plain "
            + text(reads.getControl())
            + "; to HBase's blocking client "
            + text(reads.getBlocking()),
        "A scan of 1,000 rows "
            + text(reads.scan())
            + ", plain to plain "
            + text(reads.scanControl()));
  }

  private static String text(Quartiles ratio) {
    return String.format(
        Locale.ROOT, "%.3f (%.3f..%.3f)", ratio.median(), ratio.lower(), ratio.upper());
  }

  private static void put(ObjectNode line, String name, Quartiles ratio) {
    line.put(name + "Ratio", ratio.median());
    line.put(name + "Lower", ratio.lower());
    line.put(name + "Upper", ratio.upper());
  }

  /** Returns one line for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("metadataCells", metadataCells);
    line.put("oldestIntentSeconds", oldestIntentSeconds);
    line.put("versionsPerRowMax", versionsPerRowMax);
    line.put("bytesAtRestRatio", bytesAtRestRatio);
    put(line, "readAtRest", reads.get());
    put(line, "readAtRestControl", reads.getControl());
    put(line, "readAtRestBlocking", reads.getBlocking());
    put(line, "scanAtRest", reads.scan());
    put(line, "scanAtRestControl", reads.scanControl());
    line.put("lostVersions", lostVersions);
    line.put("commits", commits);
    line.put("abandoned", abandoned);
    return line.toString();
  }
}
