package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import java.util.List;

/**
 * What a workload promises of its own, whoever judges the rest. Looks at nothing but the history,
 * and at no timestamp of the product.
 */
public interface Check {

  /** A line for each thing that must not be; none if all is well. */
  List<String> violations(History history);
}
