package io.lampone.benchmarks.operations;

import java.io.IOException;

/** Measured operation. Fails if its result is wrong. */
@FunctionalInterface
interface MeasuredOperation {

  void run(Worker worker) throws IOException;
}
