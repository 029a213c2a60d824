package io.lampone.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.hbase.util.VersionInfo;
import picocli.CommandLine.IVersionProvider;

/** Versions in use: Lampone, the HBase that it was built with, and Java. */
public final class Versions implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return all().entrySet().stream()
        .map(version -> version.getKey() + " " + version.getValue())
        .toArray(String[]::new);
  }

  /** Returns them by name, in the order of output. */
  static Map<String, String> all() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("lampone", lampone());
    all.put("hbase", VersionInfo.getVersion());
    all.put("java", System.getProperty("java.version"));
    return all;
  }

  private static String lampone() {
    // The manifest has it; classes that were compiled but not packaged have no manifest.
    return Objects.requireNonNullElse(
        Versions.class.getPackage().getImplementationVersion(), "development");
  }
}
