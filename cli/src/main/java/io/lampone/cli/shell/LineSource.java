package io.lampone.cli.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/** Source of the shell's input: a terminal, a script or a pipe. */
public interface LineSource extends AutoCloseable {

  /** Execution of a statement. */
  @FunctionalInterface
  interface Running {
    void run() throws IOException;
  }

  /**
   * Returns the next line without its line terminator; empty at the end of the input.
   *
   * @param prompt prompt shown at a terminal
   */
  Optional<String> next(String prompt) throws IOException;

  /**
   * Runs a statement on this thread, which is interrupted if the user cancels the statement; the
   * thread's interrupt status is clear afterwards.
   */
  default void run(Running statement) throws IOException {
    statement.run();
  }

  /**
   * Returns true if the user has cancelled the statement that was begun, or that ran; clears the
   * mark.
   */
  boolean takeInterrupt();

  @Override
  void close() throws IOException;

  /** Returns the lines of a script; shows no prompts. */
  static LineSource script(Reader reader) {
    BufferedReader lines = new BufferedReader(reader);
    return new LineSource() {
      @Override
      public Optional<String> next(String prompt) throws IOException {
        return Optional.ofNullable(lines.readLine());
      }

      @Override
      public boolean takeInterrupt() {
        return false;
      }

      @Override
      public void close() throws IOException {
        lines.close();
      }
    };
  }
}
