package io.lampone.cli.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/** Source of the shell's input: a person, a script, a pipe. */
public interface LineSource extends AutoCloseable {

  /** A statement that runs. */
  @FunctionalInterface
  interface Running {
    void run() throws IOException;
  }

  /**
   * The next line, without its end; empty after the last one.
   *
   * @param prompt what a person is asked with
   */
  Optional<String> next(String prompt) throws IOException;

  /**
   * Runs a statement on this thread, which is interrupted if a person cancels the statement; the
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

  /** Lines of a script, without prompts. */
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
