package io.lampone.cli.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/** Source of the shell's input: a person, a script, a pipe. */
public interface LineSource extends AutoCloseable {

  /**
   * The next line, without its end; empty after the last one.
   *
   * @param prompt what a person is asked with
   */
  Optional<String> next(String prompt) throws IOException;

  /** Returns true if the user has cancelled the statement that was begun; clears the mark. */
  boolean takeInterrupt();

  @Override
  void close() throws IOException;

  /** Lines of a script; nobody is asked. */
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
