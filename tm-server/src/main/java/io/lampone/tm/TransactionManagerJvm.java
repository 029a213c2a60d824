package io.lampone.tm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * JVM options of a transaction manager: its long-lived data is allocated at the start, one thread
 * does the work, and its tables exceed what a TLB covers with pages of 4 KB.
 */
public final class TransactionManagerJvm {

  /** Linux setting of transparent huge pages; the active choice is in brackets. */
  private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  private TransactionManagerJvm() {}

  /** Returns all options. */
  public static List<String> options() {
    List<String> options = new ArrayList<>(List.of("-Xms512m", "-Xmx1g", "-XX:+UseSerialGC"));
    options.addAll(hugePages());
    return List.copyOf(options);
  }

  /** Returns the options that request huge pages, if this machine has them; empty elsewhere. */
  public static List<String> hugePages() {
    return hugePages(HUGE_PAGES);
  }

  static List<String> hugePages(Path file) {
    try {
      String modes = Files.readString(file);
      return modes.contains("[always]") || modes.contains("[madvise]")
          ? List.of("-XX:+UseTransparentHugePages")
          : List.of();
    } catch (IOException e) {
      return List.of(); // not Linux, or hidden by a container: Java would only print a warning
    }
  }
}
