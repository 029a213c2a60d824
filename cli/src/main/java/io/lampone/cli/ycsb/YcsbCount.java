package io.lampone.cli.ycsb;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Number of operations requested of YCSB, by its own properties; 0 if it is open. */
final class YcsbCount {

  private YcsbCount() {}

  static long ofLoad(List<Path> workloads, @Nullable List<String> given) {
    Properties properties = properties(workloads, given);
    String records = properties.getProperty("recordcount", "0");
    return count(properties, properties.getProperty("insertcount", records));
  }

  static long ofRun(List<Path> workloads, @Nullable List<String> given) {
    Properties properties = properties(workloads, given);
    return count(properties, properties.getProperty("operationcount", "0"));
  }

  private static long count(Properties properties, String text) {
    try {
      boolean ends = Long.parseLong(properties.getProperty("maxexecutiontime", "0").strip()) > 0;
      return ends ? 0 : Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      return 0; // YCSB reports the mistake
    }
  }

  /** Returns the properties: options override files, and the last one counts. */
  private static Properties properties(List<Path> workloads, @Nullable List<String> given) {
    Properties properties = new Properties();
    for (Path workload : workloads) {
      try (Reader reader = Files.newBufferedReader(workload)) {
        properties.load(reader);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot be read: " + workload, e);
      }
    }
    if (given != null) {
      for (String each : given) {
        int equals = each.indexOf('=');
        if (equals > 0) {
          properties.setProperty(each.substring(0, equals), each.substring(equals + 1));
        }
      }
    }
    return properties;
  }
}
