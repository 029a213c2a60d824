package io.lampone.faultlab.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Attacks that have reached a server, which has refused or ignored them. Thread-safe. */
public final class AttackTally {

  /** An attack on the transaction manager; the others are on region servers. */
  public static final String MANAGER = "manager";

  /** A forged commit in tables of its own, beside the others. */
  public static final String FORGED = "forged";

  /** Those that have their turns. */
  private static final List<String> KINDS =
      List.of(
          "commit",
          "finish",
          "heal-committed",
          "heal-aborted",
          "flush",
          "one-region",
          "abort",
          "maintain",
          "certify",
          "read",
          MANAGER);

  private final Map<String, Integer> answered = new ConcurrentHashMap<>();

  /** Returns the kind of the attack with this number: each has its turn. */
  public static String kind(long number) {
    return KINDS.get((int) (number % KINDS.size()));
  }

  /** A server has answered an attack of this kind. */
  public void answered(String kind) {
    answered.merge(kind, 1, Integer::sum);
  }

  /** Returns the kinds of which no attack has reached a server. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>(KINDS);
    missing.add(FORGED);
    missing.removeAll(answered.keySet());
    return missing;
  }
}
