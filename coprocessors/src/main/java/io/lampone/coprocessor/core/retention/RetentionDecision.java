package io.lampone.coprocessor.core.retention;

/** Decision on a stored cell in a flush or compaction. */
public enum RetentionDecision {
  /** The cell stays as it is. */
  KEEP,
  /** No reader, writer or healer that is still admitted can need it. */
  DROP,
  /**
   * The cell stays as a version committed at birth, without the id of its operation: see {@link
   * FamilyCollector#frozen}.
   */
  FREEZE
}
