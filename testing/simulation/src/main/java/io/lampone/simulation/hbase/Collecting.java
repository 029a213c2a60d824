package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.coprocessor.core.retention.RetentionDecision;

/** The real collector; a mutant changes its input or its decision. */
public class Collecting {

  private final FamilyCollector collector;

  public Collecting(CollectionScope scope) {
    this.collector = new FamilyCollector(scope);
  }

  public void beginRow() {
    collector.beginRow();
  }

  public void head(StoredCell cell, long sequence) {
    collector.head(cell, sequence);
  }

  public RetentionDecision dispose(StoredCell cell, long sequence) {
    return collector.dispose(cell, sequence);
  }
}
