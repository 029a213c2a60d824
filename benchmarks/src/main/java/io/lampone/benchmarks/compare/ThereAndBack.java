package io.lampone.benchmarks.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Order of contenders: by chance, and then backwards (A B C C B A), so that what changes slowly
 * meets all of them.
 */
public final class ThereAndBack {

  private ThereAndBack() {}

  /** Returns each of them twice. */
  public static <T> List<T> of(Collection<T> all, Random random) {
    List<T> order = new ArrayList<>(all);
    Collections.shuffle(order, random);
    List<T> thereAndBack = new ArrayList<>(order);
    Collections.reverse(order);
    thereAndBack.addAll(order);
    return thereAndBack;
  }
}
