package io.lampone.benchmarks.operations;

import java.io.IOException;

/** Something that is measured. Fails if it did not do what it is for. */
@FunctionalInterface
interface MeasuredOperation {

  void run(Worker worker) throws IOException;
}
