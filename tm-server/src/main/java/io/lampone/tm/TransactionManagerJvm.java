package io.lampone.tm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The options of Java with which a transaction manager is run: what it keeps is allocated at its
 * start, one thread does the work, and its tables are far larger than what a processor knows the
 * addresses of in pages of 4 KB.
 */
public final class TransactionManagerJvm {

  /** Linux setting of transparent huge pages; the choice stands in brackets. */
  private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  private TransactionManagerJvm() {}

  /** All of them. */
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
      return List.of(); // not Linux, or a container that hides it: Java would only print a warning
    }
  }
}
