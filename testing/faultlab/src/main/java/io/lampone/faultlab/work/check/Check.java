package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import java.util.List;

/**
 * Conditions of a workload, besides those that the judge checks. Checks use the history only, and
 * no timestamp of the product.
 */
public interface Check {

  /** Returns one line for each violation; empty if there is none. */
  List<String> violations(History history);
}
