package io.lampone.client;

/**
 * Hears how far a change of a table is. What it throws ends the change where it is; done again, it
 * goes on from there.
 */
@FunctionalInterface
public interface ChangeListener {

  /** Hears nothing. */
  ChangeListener NONE = (step, done, total) -> {};

  /**
   * Something more is done.
   *
   * @param step which; a change has several, one after the other
   * @param done regions of the table that are done
   * @param total regions of the table
   */
  void progress(String step, long done, long total);
}
