package io.lampone.benchmarks.spurious;

/** Transaction of the model. */
final class ModelTransaction {

  final int processor;
  final int[] reads;
  final int[] writes;

  /** By read: the version seen. */
  final long[] versions;

  /** The watermark known when it read. */
  long watermark;

  /** The last commit timestamp issued when it read. */
  long snapshot;

  long commit;

  /** Bits of the validators that have found a conflict. */
  int refusals;

  ModelTransaction(int processor, int[] reads, int[] writes) {
    this.processor = processor;
    this.reads = reads;
    this.writes = writes;
    this.versions = new long[reads.length];
  }

  boolean isRefusedBy(int validator) {
    return (refusals >> validator & 1) != 0;
  }
}
