package io.lampone.tm.admission;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The quotas of all tenants. Immutable; a changed file makes new ones.
 *
 * <pre>
 *   file  = *( line newline )
 *   line  = "" | "#" comment | tenant *( key "=" number )     separated by spaces or tabs
 *   key   = "requests" | "burst" | "outstanding" | "connections"
 * </pre>
 *
 * <p>Omitted keys are unlimited; the default of a burst is the requests of one second. The tenant
 * {@code *} stands for all tenants without a line: they share one quota, because clients that need
 * not authenticate could invent any number of names.
 *
 * @param byTenant the quotas of tenants with a line
 * @param others the quota that all others share
 */
public record Quotas(Map<String, Quota> byTenant, Quota others) {

  /** No limits. */
  public static final Quotas UNLIMITED = new Quotas(Map.of(), Quota.NONE);

  /** Maximum number of lines. */
  public static final int MAX_LINES = 1_000;

  private static final String OTHERS = "*";
  private static final String NAME = "[A-Za-z0-9._@=-]{1,64}";

  public Quotas {
    byTenant = Map.copyOf(byTenant);
  }

  /**
   * Parses the lines of a file.
   *
   * @throws IllegalArgumentException if a line is invalid; the message names it
   */
  public static Quotas parse(List<String> lines) {
    require(lines.size() <= MAX_LINES, "too many lines, lines=" + lines.size());
    Map<String, Quota> quotas = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        String[] fields = line.split("[ \t]+");
        require(
            fields[0].equals(OTHERS) || fields[0].matches(NAME),
            "wrong name of a tenant, tenant=" + fields[0]);
        require(quotas.put(fields[0], quota(fields)) == null, "second line of tenant=" + fields[0]);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(e.getMessage() + ", line=" + (i + 1), e);
      }
    }
    Quota others = quotas.getOrDefault(OTHERS, Quota.NONE);
    quotas.remove(OTHERS);
    return new Quotas(quotas, others);
  }

  private static Quota quota(String[] fields) {
    Map<String, Integer> numbers = new HashMap<>();
    for (int i = 1; i < fields.length; i++) {
      int equals = fields[i].indexOf('=');
      require(equals > 0, "not of the form key=number, field=" + fields[i]);
      String key = fields[i].substring(0, equals);
      require(
          key.equals("requests")
              || key.equals("burst")
              || key.equals("outstanding")
              || key.equals("connections"),
          "unknown key, key=" + key + " known=requests,burst,outstanding,connections");
      int number = number(fields[i].substring(equals + 1));
      require(numbers.put(key, number) == null, "given twice, key=" + key);
    }
    int requests = numbers.getOrDefault("requests", Quota.UNLIMITED);
    return new Quota(
        requests,
        numbers.getOrDefault("burst", requests),
        numbers.getOrDefault("outstanding", Quota.UNLIMITED),
        numbers.getOrDefault("connections", Quota.UNLIMITED));
  }

  private static int number(String text) {
    try {
      int number = Integer.parseInt(text);
      require(number >= 1, "must be at least 1, value=" + number);
      return number;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number, value=" + text, e);
    }
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem);
    }
  }
}
