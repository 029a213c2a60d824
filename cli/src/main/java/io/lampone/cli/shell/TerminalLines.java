package io.lampone.cli.shell;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReader.Option;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.completer.StringsCompleter;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** A person at a terminal, with editing, history across sessions, and completion of commands. */
final class TerminalLines implements LineSource {

  private static final int HISTORY_LINES = 1000;

  private final Terminal terminal;
  private final LineReader reader;

  /** True if Ctrl-C was pressed since the last {@link #takeInterrupt}; one thread only. */
  private boolean interrupted;

  private TerminalLines(Terminal terminal, LineReader reader) {
    this.terminal = terminal;
    this.reader = reader;
  }

  static TerminalLines open(Path history, List<String> commands) throws IOException {
    Terminal terminal = TerminalBuilder.builder().system(true).build();
    LineReader reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("lampone")
            .completer(new StringsCompleter(commands))
            .variable(LineReader.HISTORY_FILE, history)
            .variable(LineReader.HISTORY_SIZE, HISTORY_LINES)
            .variable(LineReader.HISTORY_FILE_SIZE, HISTORY_LINES)
            // The line is ours to parse: no ! history, no escapes of the line editor.
            .option(Option.DISABLE_EVENT_EXPANSION, true)
            .build();
    return new TerminalLines(terminal, reader);
  }

  /** Returns the writer for output, which does not mix with editing. */
  PrintWriter writer() {
    return terminal.writer();
  }

  @Override
  public Optional<String> next(String prompt) {
    try {
      return Optional.of(reader.readLine(prompt));
    } catch (UserInterruptException e) {
      interrupted = true;
      return Optional.of("");
    } catch (EndOfFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean takeInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  @Override
  public void close() throws IOException {
    terminal.close();
  }
}
