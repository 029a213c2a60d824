package io.lampone.cli.quickstart;

import io.lampone.cli.Progress;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.util.List;

/** Quick start with SQL. {@link java.util.ServiceLoader} finds the implementation elsewhere. */
public interface SqlQuickstart {

  /**
   * Results.
   *
   * @param json one line
   * @param lines lines for people
   * @param isWell true without failures
   */
  record Outcome(String json, List<String> lines, boolean isWell) {}

  /** Adds the settings that SQL needs. */
  void configure(EmbeddedHBaseConfig.Builder hbase);

  /** Moves money by SQL, kills a client, and compares table and index. */
  Outcome run(QuickstartOptions options, Progress progress, EmbeddedLampone cluster)
      throws IOException, InterruptedException;

  /** Lets the user type SQL; returns when the user leaves. */
  void prompt(EmbeddedLampone cluster) throws IOException;
}
