package io.lampone.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * What was left of a table on which some rows had been written again and again, when everything
 * that might be collected had been.
 *
 * @param metadataCells cells in reserved columns
 * @param oldestIntentSeconds age of the oldest intent that nobody has decided, 0 if there is none
 * @param versionsPerRowMax the most versions of one column
 * @param bytesAtRestRatio bytes of the files, in those of a plain table with the same values
 * @param readAtRestRatio median time of a read in a snapshot, in that of a plain Get of that table
 * @param lostVersions cells that a snapshot, or the last state, should have shown and did not
 * @param commits transactions that committed meanwhile
 * @param abandoned transactions whose client ended between its intents and its commit
 */
public record RetentionFigures(
    long metadataCells,
    double oldestIntentSeconds,
    int versionsPerRowMax,
    double bytesAtRestRatio,
    double readAtRestRatio,
    long lostVersions,
    long commits,
    long abandoned) {

  /** Whether nothing was lost. */
  public boolean isSound() {
    return lostVersions == 0 && commits > 0;
  }

  /** For people. */
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
            "At rest: %d metadata cells, at most %d versions of a column, %.3f times the bytes and"
                + " %.3f times the read of a plain table; oldest intent %.1f s",
            metadataCells,
            versionsPerRowMax,
            bytesAtRestRatio,
            readAtRestRatio,
            oldestIntentSeconds));
  }

  /** One line, for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("metadataCells", metadataCells);
    line.put("oldestIntentSeconds", oldestIntentSeconds);
    line.put("versionsPerRowMax", versionsPerRowMax);
    line.put("bytesAtRestRatio", bytesAtRestRatio);
    line.put("readAtRestRatio", readAtRestRatio);
    line.put("lostVersions", lostVersions);
    line.put("commits", commits);
    line.put("abandoned", abandoned);
    return line.toString();
  }
}
