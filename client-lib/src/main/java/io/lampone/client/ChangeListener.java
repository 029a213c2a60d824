package io.lampone.client;

/**
 * Listener for the progress of a change to a table. An exception that it throws stops the change; a
 * repeated call of the same change resumes there.
 */
@FunctionalInterface
public interface ChangeListener {

  /** A listener that does nothing. */
  ChangeListener NONE = (step, done, total) -> {};

  /**
   * Reports progress.
   *
   * @param step name of the current step; a change has several, in sequence
   * @param done number of regions that are done
   * @param total number of regions of the table
   */
  void progress(String step, long done, long total);

  /** Reports what is left to do by hand after a change that is complete. */
  default void left(String work) {}
}
