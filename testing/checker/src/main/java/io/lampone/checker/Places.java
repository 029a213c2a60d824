package io.lampone.checker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The lowest places that obey whatever pushes commits up. */
final class Places {

  private final Map<OpenCommit, Moment> moments = new HashMap<>();
  private final Set<OpenCommit> onTheWay = new HashSet<>();
  private boolean areAllowed = true;

  private Places() {}

  static Places lowest(Collection<OpenCommit> open) {
    Places places = new Places();
    open.forEach(places::place);
    return places;
  }

  /** Returns true if no place is above its limit, and none is before itself. */
  boolean areAllowed() {
    return areAllowed;
  }

  Moment of(OpenCommit commit) {
    Moment found = moments.get(commit);
    if (found == null) {
      throw new IllegalArgumentException("not among those that are placed");
    }
    return found;
  }

  Map<Integer, Moment> byNumber() {
    Map<Integer, Moment> numbers = new HashMap<>();
    moments.forEach((commit, moment) -> numbers.put(commit.transaction().number(), moment));
    return numbers;
  }

  /** Places a commit after all that come before it, which have smaller numbers therefore. */
  private void place(OpenCommit last) {
    List<OpenCommit> path = new ArrayList<>(List.of(last));
    while (!path.isEmpty()) {
      OpenCommit commit = path.get(path.size() - 1);
      if (moments.containsKey(commit)) {
        path.remove(path.size() - 1);
        continue;
      }
      onTheWay.add(commit);
      List<OpenCommit> missing = new ArrayList<>();
      for (OpenCommit before : commit.after()) {
        if (!moments.containsKey(before)) {
          if (onTheWay.contains(before)) {
            // A cycle has no order; any assignment will be rejected.
            areAllowed = false;
          } else {
            missing.add(before);
          }
        }
      }
      if (missing.isEmpty()) {
        path.remove(path.size() - 1);
        assign(commit);
      } else {
        path.addAll(missing);
      }
    }
  }

  private void assign(OpenCommit commit) {
    long behind = commit.lowest();
    for (OpenCommit before : commit.after()) {
      Moment moment = moments.get(before);
      behind = moment == null ? behind : Math.max(behind, moment.timestamp());
    }
    long found = commit.openFrom(behind);
    areAllowed &= commit.isBelowLimit(found);
    moments.put(commit, new Moment(found, moments.size() + 1));
  }
}
