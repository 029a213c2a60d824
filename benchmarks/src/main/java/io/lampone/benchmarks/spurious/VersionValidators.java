package io.lampone.benchmarks.spurious;

import io.lampone.tm.core.validation.VoteTable;
import java.util.List;

/** Centiman's validators (paper 003, Figure 2), on the tables of Lampone's. */
final class VersionValidators implements ModelValidators {

  /** More writes than a validator keeps by the longest truncation. */
  private static final int CAPACITY = 1 << 20;

  private static final int STEPS_PER_SECOND = 100;

  private final VoteTable[] tables;
  private final Rule rule;

  /** By step: the first commit timestamp that arrived in it; for truncation. */
  private final long[] firstOfStep;

  private int step;

  VersionValidators(Rule rule, int validators, int steps) {
    this.rule = rule;
    this.tables = new VoteTable[validators];
    for (int i = 0; i < validators; i++) {
      tables[i] = new VoteTable(CAPACITY);
    }
    this.firstOfStep = new long[steps];
  }

  @Override
  public void validate(List<ModelTransaction> arrived) {
    long before = step == 0 ? 0 : firstOfStep[step - 1];
    firstOfStep[step] = arrived.isEmpty() ? before : arrived.get(0).commit;
    long forgotten = forgotten();
    for (ModelTransaction each : arrived) {
      for (int i = 0; i < each.reads.length; i++) {
        int owner = each.reads[i] % tables.length;
        long last = tables[owner].highest(ModelValidators.hash(each.reads[i]));
        if (last > checkedFrom(each, i) && last >= forgotten) {
          each.refusals |= 1 << owner;
        }
      }
      for (int key : each.writes) {
        int owner = key % tables.length;
        if (!each.isRefusedBy(owner)) {
          tables[owner].record(ModelValidators.hash(key), each.commit);
        }
      }
    }
    step++;
  }

  /** Returns the commit timestamp below which writes have been forgotten. */
  private long forgotten() {
    return rule instanceof Rule.Truncation truncation
        ? firstOfStep[Math.max(0, step - truncation.seconds() * STEPS_PER_SECOND)]
        : 0;
  }

  @Override
  public long checkedFrom(ModelTransaction transaction, int read) {
    return rule instanceof Rule.Watermark
        ? Math.max(transaction.versions[read], transaction.watermark)
        : transaction.versions[read];
  }

  @Override
  public boolean checksWrites() {
    return false;
  }
}
