package io.lampone.faultlab.fault;

import io.lampone.cluster.MemberRole;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A fault that has happened.
 *
 * @param kind of the fault
 * @param target member or client
 * @param injectedNanos time of the injection, on the clock of the histories
 * @param healedNanos time of its end
 * @param problem what prevented it; empty if it was done as planned
 */
public record InjectedFault(
    FaultKind kind, String target, long injectedNanos, long healedNanos, String problem) {

  /** Begins the target of a fault that meets all processes of a role. */
  static final String ALL = "all ";

  /** Beginning of the problem of a fault that has revealed a hole. */
  static final String BREACH = "BREACH";

  private static final Pattern NOT_LETTERS = Pattern.compile("[^a-z]+");

  /** Returns true if a request was executed that must be refused. */
  public boolean isBreach() {
    return problem.contains(BREACH);
  }

  /** Returns true if the fault was done. */
  public boolean isDone() {
    return problem.isEmpty();
  }

  /** Returns the roles of the servers that it met, and of those it cut them off from. */
  Set<MemberRole> met() {
    Set<MemberRole> met = EnumSet.noneOf(MemberRole.class);
    List<String> names = List.of(NOT_LETTERS.split(target));
    for (MemberRole role : MemberRole.values()) {
      if (names.contains(role.prefix())) {
        met.add(role);
      }
    }
    return met;
  }

  /**
   * The role of the process that it met: {@code rs} of {@code rs1}, {@code tm} of {@code tm2>zk};
   * {@code all zk} if it met all of them; empty if it met none in particular.
   */
  public String role() {
    if (target.startsWith(ALL)) {
      return target;
    }
    int end = 0;
    while (end < target.length() && Character.isLetter(target.charAt(end))) {
      end++;
    }
    return target.substring(0, end);
  }
}
