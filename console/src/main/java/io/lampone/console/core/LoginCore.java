package io.lampone.console.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decision about which principals may see the figures. A verdict of the primary on a name and
 * secret holds for a while, so that it is not asked for each request:
 *
 * <pre>
 *   unknown     checked; the request is to be repeated
 *   permitted   for {@link #PERMITTED}, checked again after {@link #RENEWED}; if no primary answers
 *               then, it stays permitted until its end
 *   refused     for {@link #REFUSED}
 * </pre>
 *
 * <p>Knows credentials by a digest only. Single-threaded; the time is given.
 */
public final class LoginCore {

  /** Maximum number of credentials; the one that was checked first goes. */
  static final int CAPACITY = 64;

  /** Maximum number of first checks under way. */
  static final int MAX_CHECKS = 8;

  static final Duration PERMITTED = Duration.ofMinutes(15);
  static final Duration RENEWED = Duration.ofMinutes(1);
  static final Duration REFUSED = Duration.ofSeconds(5);

  /** Answer to a request. */
  public enum Verdict {
    PERMITTED,
    REFUSED,
    /** Being checked. */
    PENDING,
    /** Too many are being checked. */
    BUSY,
    /** No primary could be asked. */
    UNKNOWN
  }

  /**
   * An answer.
   *
   * @param check whether the primary is to be asked now, and {@link #checked} to be called
   */
  public record Answer(Verdict verdict, boolean check) {}

  /**
   * Verdict on credentials.
   *
   * @param untilNanos end of the verdict; of a pending one, none
   * @param renewNanos time from which a permitted one is checked again
   */
  private record Known(Verdict verdict, long untilNanos, long renewNanos, boolean checking) {

    boolean hasEnded(long nowNanos) {
      return verdict != Verdict.PENDING && untilNanos - nowNanos <= 0;
    }
  }

  /** By digest, in the order of their first checks. */
  private final Map<String, Known> known = new LinkedHashMap<>();

  /** Answers a request with these credentials. */
  public Answer answer(String digest, long nowNanos) {
    Known found = known.get(digest);
    if (found == null || found.hasEnded(nowNanos)) {
      if (pending() >= MAX_CHECKS) {
        return new Answer(Verdict.BUSY, false);
      }
      known.remove(digest);
      known.put(digest, new Known(Verdict.PENDING, 0, 0, true));
      forgetSurplus();
      return new Answer(Verdict.PENDING, true);
    }
    boolean renew =
        found.verdict == Verdict.PERMITTED && !found.checking && found.renewNanos - nowNanos <= 0;
    if (renew) {
      known.put(digest, new Known(found.verdict, found.untilNanos, found.renewNanos, true));
    }
    return new Answer(found.verdict, renew);
  }

  /**
   * Takes the result of a check.
   *
   * @param permitted what the primary has said; empty if none could be asked
   */
  public void checked(String digest, Optional<Boolean> permitted, long nowNanos) {
    Known before = known.get(digest);
    if (before == null) {
      return; // forgotten meanwhile
    }
    if (permitted.isPresent()) {
      Verdict verdict = permitted.get() ? Verdict.PERMITTED : Verdict.REFUSED;
      Duration length = permitted.get() ? PERMITTED : REFUSED;
      known.put(
          digest,
          new Known(verdict, nowNanos + length.toNanos(), nowNanos + RENEWED.toNanos(), false));
    } else if (before.verdict == Verdict.PERMITTED) {
      known.put(
          digest,
          new Known(before.verdict, before.untilNanos, nowNanos + RENEWED.toNanos(), false));
    } else {
      known.put(digest, new Known(Verdict.UNKNOWN, nowNanos + REFUSED.toNanos(), 0, false));
    }
  }

  private long pending() {
    return known.values().stream().filter(each -> each.verdict == Verdict.PENDING).count();
  }

  /** Forgets the oldest entry beyond the capacity, one that permits nothing if there is one. */
  private void forgetSurplus() {
    if (known.size() <= CAPACITY) {
      return;
    }
    String oldest =
        known.entrySet().stream()
            .filter(
                each ->
                    each.getValue().verdict == Verdict.REFUSED
                        || each.getValue().verdict == Verdict.UNKNOWN)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseGet(() -> known.keySet().iterator().next());
    known.remove(oldest);
  }
}
