package io.lampone.client.core.progress;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;

/** Receiver of progress reports: a port. */
@FunctionalInterface
public interface ProgressPort {

  /** See {@link io.lampone.protocol.tm.TimestampOracle#progress}. */
  Step<StartBlock> progress(ProgressReport report);
}
