package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The versions of one key in the order of their commit timestamps. */
final class Timeline {

  private final String key;
  private final boolean isList;
  private final List<Version> versions;

  /** Elements of all versions; a list at a version is a prefix of them, a register one element. */
  private final List<Long> elements = new ArrayList<>();

  /** By version: how much of {@link #elements} is there with it. */
  private final int[] lengths;

  /** After how many versions an element is the newest one. */
  private final Map<Long, Integer> countByNewest = new HashMap<>();

  record Version(Moment commit, HistoryTransaction writer) {}

  Timeline(String key, boolean isList, List<Version> unsorted) {
    this.key = key;
    this.isList = isList;
    this.versions = new ArrayList<>(unsorted);
    versions.sort(Comparator.comparing(Version::commit));
    this.lengths = new int[versions.size()];
    for (int i = 0; i < versions.size(); i++) {
      elements.addAll(WriterIndex.written(versions.get(i).writer(), key));
      lengths[i] = elements.size();
      if (!elements.isEmpty()) {
        countByNewest.put(elements.get(elements.size() - 1), i + 1);
      }
    }
  }

  String key() {
    return key;
  }

  List<Version> versions() {
    return versions;
  }

  /**
   * Returns the number of versions that a snapshot sees: those with a commit timestamp below it.
   */
  int countBelow(long snapshot) {
    return count(commit -> commit.isBelow(snapshot));
  }

  /** Returns the number of versions that are not after a moment. */
  int countUpTo(Moment moment) {
    return count(commit -> commit.compareTo(moment) <= 0);
  }

  private int count(Predicate<Moment> isCounted) {
    int low = 0;
    int high = versions.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isCounted.test(versions.get(middle).commit())) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the content of the key after so many versions. */
  List<Long> after(int count) {
    if (count == 0) {
      return List.of();
    }
    int end = lengths[count - 1];
    return isList ? elements.subList(0, end) : elements.subList(end - 1, end);
  }

  /** Returns the number of versions after which the key holds exactly this; -1 if it never does. */
  int find(List<Long> observed) {
    if (observed.isEmpty()) {
      return 0;
    }
    int count = countByNewest.getOrDefault(observed.get(observed.size() - 1), -1);
    return count > 0 && after(count).equals(observed) ? count : -1;
  }
}
