package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.report.Quartiles;
import java.util.List;
import java.util.Locale;

/**
 * Cost of serializable transactions, in units of the same ones with snapshot isolation, and the
 * anomalies that they prevent.
 *
 * @param twoRegions five reads and five writes of other rows, in two regions
 * @param oneRegion the same in one region, where snapshot isolation commits in one request
 * @param readOnly five reads
 * @param session one read with freshness SESSION, in units of the same with STRICT
 * @param control snapshot isolation to itself, in two regions
 * @param pairs pairs that were tried for write skew, with each isolation
 * @param writeSkews pairs of serializable transactions that both committed
 * @param snapshotWriteSkews the same of snapshot isolation, which allows it
 * @param spuriousAborts conflicts of serializable transactions that share nothing with any other
 */
public record SerializableFigures(
    Quartiles twoRegions,
    Quartiles oneRegion,
    Quartiles readOnly,
    Quartiles session,
    Quartiles control,
    long pairs,
    long writeSkews,
    long snapshotWriteSkews,
    long spuriousAborts) {

  /** Returns true if write skew was tried and no serializable pair committed with it. */
  public boolean isSound() {
    return writeSkews == 0 && snapshotWriteSkews > 0;
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    return List.of(
        "Serializable, in units of snapshot isolation (quartiles):",
        "  5 reads + 5 writes in two regions  " + text(twoRegions),
        "  the same in one region             " + text(oneRegion),
        "  5 reads alone                      " + text(readOnly),
        "  control, two regions               " + text(control),
        "Freshness SESSION, in units of STRICT:",
        "  1 read alone                       " + text(session),
        String.format(
            Locale.ROOT,
            "Write skew: %d of %d pairs, with snapshot isolation %d. Aborts without a conflict: %d.",
            writeSkews,
            pairs,
            snapshotWriteSkews,
            spuriousAborts));
  }

  private static String text(Quartiles ratio) {
    return String.format(
        Locale.ROOT, "%.3f (%.3f..%.3f)", ratio.median(), ratio.lower(), ratio.upper());
  }

  /** Returns one line for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("ratioTwoRegions", twoRegions.median());
    line.put("ratioOneRegion", oneRegion.median());
    line.put("readOnlyRatio", readOnly.median());
    line.put("sessionRatio", session.median());
    line.put("controlRatio", control.median());
    line.put("writeSkewCommitted", writeSkews);
    line.put("snapshotWriteSkewCommitted", snapshotWriteSkews);
    line.put("pairs", pairs);
    line.put("spuriousAborts", spuriousAborts);
    return line.toString();
  }
}
