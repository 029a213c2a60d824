package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import java.util.List;

/**
 * Conditions of a workload, besides those that the judge checks. Checks use the history only, and
 * no timestamp of the product.
 */
public interface Check {

  /** A line for each thing that must not be; none if all is well. */
  List<String> violations(History history);
}
