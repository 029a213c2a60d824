package io.lampone.faultlab.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts of what region servers have collected, taken from their logs.
 *
 * @param files written by flushes and compactions which have dropped or frozen a cell
 * @param dropped cells that were left out
 * @param frozen cells that were written as committed at birth
 */
public record Collected(long files, long dropped, long frozen) {

  public static final Collected NOTHING = new Collected(0, 0, 0);

  /** A log line of CollectingScanner. */
  private static final Pattern LINE =
      Pattern.compile(" Collected, region=.* dropped=([0-9]+) frozen=([0-9]+)$");

  /** Returns the sums over these logs; a missing log counts as empty. */
  public static Collected read(List<Path> logs) throws IOException {
    Collected all = NOTHING;
    for (Path log : logs) {
      if (Files.exists(log)) {
        all = all.plus(read(log));
      }
    }
    return all;
  }

  private static Collected read(Path log) throws IOException {
    Collected all = NOTHING;
    try (BufferedReader lines = Files.newBufferedReader(log)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Matcher found = LINE.matcher(line);
        if (found.find()) {
          all =
              all.plus(
                  new Collected(1, Long.parseLong(found.group(1)), Long.parseLong(found.group(2))));
        }
      }
    }
    return all;
  }

  /** Both together. */
  public Collected plus(Collected other) {
    return new Collected(files + other.files, dropped + other.dropped, frozen + other.frozen);
  }

  /** Returns the difference from {@code earlier}. */
  public Collected since(Collected earlier) {
    return new Collected(files - earlier.files, dropped - earlier.dropped, frozen - earlier.frozen);
  }
}
