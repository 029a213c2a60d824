package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** Output of {@code lampone doctor --sql}. */
final class SqlFindings implements Consumer<Finding> {

  private final PrintWriter out;
  private final boolean json;
  private final Map<Level, Integer> counts = new EnumMap<>(Level.class);

  SqlFindings(PrintWriter out, boolean json) {
    this.out = out;
    this.json = json;
    for (Level level : Level.values()) {
      counts.put(level, 0);
    }
  }

  @Override
  public void accept(Finding finding) {
    counts.merge(finding.level(), 1, Integer::sum);
    out.println(
        json
            ? new ObjectMapper()
                .createObjectNode()
                .put("check", finding.check())
                .put("subject", finding.subject())
                .put("level", finding.level().text())
                .put("found", finding.found())
                .put("advice", finding.advice())
            : finding.line());
    out.flush();
  }

  /** Prints the last line; returns true if nothing is wrong. */
  boolean summary() {
    int wrong = counts.getOrDefault(Level.FAIL, 0);
    int warnings = counts.getOrDefault(Level.WARN, 0);
    if (json) {
      out.println(
          new ObjectMapper()
              .createObjectNode()
              .put("ok", counts.getOrDefault(Level.OK, 0))
              .put("warn", warnings)
              .put("fail", wrong));
    } else {
      out.println(
          wrong == 0
              ? "SQL has what it needs" + (warnings == 0 ? "." : "; warnings: " + warnings)
              : "SQL lacks something: " + wrong + ", warnings: " + warnings);
    }
    out.flush();
    return wrong == 0;
  }
}
