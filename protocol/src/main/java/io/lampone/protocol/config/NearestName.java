package io.lampone.protocol.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests the known name nearest to a misspelt one. */
public final class NearestName {

  /** Number of characters per admitted mistake; a more distant suggestion would be a guess. */
  private static final int CHARACTERS_PER_MISTAKE = 4;

  /** Maximum length of a name to compare: the cost is the product of both lengths. */
  private static final int MAX_LENGTH = 256;

  private NearestName() {}

  /** Returns the known name with the smallest edit distance, if that is small. */
  public static Optional<String> of(String unknown, Collection<String> known) {
    if (unknown.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    int most = Math.max(2, unknown.length() / CHARACTERS_PER_MISTAKE);
    return known.stream()
        .filter(name -> distance(unknown, name) <= most)
        .min(
            Comparator.comparingInt((String name) -> distance(unknown, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Returns advice on {@code unknown} for an error message. */
  public static String advice(String unknown, Collection<String> known) {
    return of(unknown, known)
        .map(name -> "did you mean " + name + "?")
        .orElse("remove it, or look it up in docs/operations/properties.md");
  }

  /** Returns the Levenshtein distance. */
  private static int distance(String from, String to) {
    int[] previous = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(previous[j], row[j - 1]));
      }
      previous = row;
    }
    return previous[to.length()];
  }
}
