package io.lampone.cli.shell;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReader.Option;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Input from a terminal, with editing, persistent history, completion and a pager. Ctrl-C clears
 * the line at the prompt and interrupts a running statement.
 */
final class TerminalLines implements LineSource {

  private static final int HISTORY_LINES = 1000;

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");

  private final Terminal terminal;
  private final LineReader reader;
  private final Pager pager;
  private final PrintWriter writer;

  /** Thread of the running statement, or null; guarded by this. */
  private @Nullable Thread running;

  /** True if Ctrl-C was pressed since the last {@link #takeInterrupt}; guarded by this. */
  private boolean interrupted;

  TerminalLines(Terminal terminal, Path history, Completer completer) {
    protect(history);
    this.terminal = terminal;
    this.pager = new Pager(terminal);
    this.writer = new PrintWriter(pager);
    this.reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("lampone")
            .parser(ShellCompleter.words())
            .completer(completer)
            .variable(LineReader.HISTORY_FILE, history)
            .variable(LineReader.HISTORY_SIZE, HISTORY_LINES)
            .variable(LineReader.HISTORY_FILE_SIZE, HISTORY_LINES)
            // The shell parses the line: no ! history, no escapes of the line editor.
            .option(Option.DISABLE_EVENT_EXPANSION, true)
            .build();
    terminal.handle(Signal.INT, signal -> interrupt());
  }

  /** Makes the history, which has keys and values, private; it stays as it is if that fails. */
  private static void protect(Path history) {
    try {
      if (Files.notExists(history)) {
        Files.createFile(history, PosixFilePermissions.asFileAttribute(PRIVATE));
      }
      Files.setPosixFilePermissions(history, PRIVATE);
    } catch (IOException | UnsupportedOperationException e) {
      // Another user's folder, or a file system without these permissions.
    }
  }

  /** Returns the writer for output, which does not mix with editing. */
  PrintWriter writer() {
    return writer;
  }

  /** Returns the encoding of the terminal. */
  Charset encoding() {
    return terminal.encoding();
  }

  @Override
  public Optional<String> next(String prompt) {
    try {
      return Optional.of(reader.readLine(prompt));
    } catch (UserInterruptException e) {
      synchronized (this) {
        interrupted = true;
      }
      return Optional.of("");
    } catch (EndOfFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public void run(Running statement) throws IOException {
    synchronized (this) {
      running = Thread.currentThread();
      interrupted = false;
    }
    pager.begin();
    try {
      statement.run();
    } finally {
      boolean cancelled;
      synchronized (this) {
        running = null;
        cancelled = interrupted;
        Thread.interrupted(); // the interrupt was meant for the statement, not the shell
      }
      writer.flush();
      pager.end(cancelled);
    }
  }

  private synchronized void interrupt() {
    if (running != null) {
      interrupted = true;
      running.interrupt();
    }
  }

  @Override
  public synchronized boolean takeInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  @Override
  public void close() throws IOException {
    terminal.close();
  }
}
