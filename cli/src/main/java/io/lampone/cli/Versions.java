package io.lampone.cli;

import java.util.Objects;
import org.apache.hadoop.hbase.util.VersionInfo;
import picocli.CommandLine.IVersionProvider;

/** What runs here: Lampone, the HBase that it was built with, and Java. */
final class Versions implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return new String[] {
      "lampone " + lampone(),
      "hbase " + VersionInfo.getVersion(),
      "java " + System.getProperty("java.version")
    };
  }

  private static String lampone() {
    // The manifest has it; classes that were compiled but not packaged have no manifest.
    return Objects.requireNonNullElse(
        Versions.class.getPackage().getImplementationVersion(), "development");
  }
}
