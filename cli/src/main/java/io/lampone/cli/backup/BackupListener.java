package io.lampone.cli.backup;

/** Listener for the progress of a backup. Called from several threads. */
public interface BackupListener {

  /**
   * Receives the progress.
   *
   * @param what current activity
   * @param parts completed parts
   * @param ofParts all parts
   * @param rows rows so far
   * @param bytes bytes of cells so far
   */
  void progress(String what, long parts, long ofParts, long rows, long bytes);
}
