package io.lampone.cli.backup;

/** Hears how far a backup is. Called from several threads. */
public interface BackupListener {

  /**
   * Something more is done.
   *
   * @param what is being done
   * @param parts that are complete
   * @param ofParts of how many
   * @param rows so far
   * @param bytes of cells so far
   */
  void progress(String what, long parts, long ofParts, long rows, long bytes);
}
