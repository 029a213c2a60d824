package io.lampone.simulation;

import io.lampone.coprocessor.core.CollectionScope;
import io.lampone.coprocessor.core.Disposal;
import io.lampone.coprocessor.core.FamilyCollector;
import io.lampone.coprocessor.core.StoredRow.StoredCell;

/** The real collector; a mutant sees something else, or disposes of it otherwise. */
class Collecting {

  private final FamilyCollector collector;

  Collecting(CollectionScope scope) {
    this.collector = new FamilyCollector(scope);
  }

  void beginRow() {
    collector.beginRow();
  }

  void head(StoredCell cell, long sequence) {
    collector.head(cell, sequence);
  }

  Disposal dispose(StoredCell cell, long sequence) {
    return collector.dispose(cell, sequence);
  }
}
