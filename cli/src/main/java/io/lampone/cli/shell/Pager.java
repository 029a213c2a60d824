package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import java.io.BufferedWriter;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jline.builtins.Less;
import org.jline.builtins.Source;
import org.jline.terminal.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * Output to a terminal. The first screen of a statement's output appears at once; if more follows,
 * all of it goes to a temporary file, and when the statement has ended the pager shows the file.
 * Not thread-safe.
 */
final class Pager extends Writer {

  /** Longest output of one statement, in characters. */
  static final long MAX_CHARACTERS = 256L * 1024 * 1024;

  private final Terminal terminal;

  /** Output of the running statement as long as it fits the screen. */
  private final StringBuilder screen = new StringBuilder();

  private boolean running;
  private int line;
  private int column;
  private long characters;
  private @Nullable Path file;
  private @Nullable Writer spool;

  Pager(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Begins the output of a statement. */
  void begin() {
    running = canPage();
    screen.setLength(0);
    line = 0;
    column = 0;
    characters = 0;
  }

  /**
   * Ends the output of a statement, and returns when the user has seen it.
   *
   * @param cancelled true if the user has cancelled the statement
   */
  void end(boolean cancelled) throws IOException {
    running = false;
    Path shown = file;
    Writer written = spool;
    file = null;
    spool = null;
    if (shown == null || written == null) {
      return;
    }
    try {
      written.close();
      if (cancelled) {
        terminal.writer().println();
        return;
      }
      Less less = new Less(terminal, shown.toAbsolutePath().getParent());
      less.quitIfOneScreen = true;
      less.run(new Source.PathSource(shown, "q leaves, h helps"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Files.delete(shown);
    }
  }

  private boolean canPage() {
    return !terminal.getType().startsWith(Terminal.TYPE_DUMB)
        && terminal.getHeight() > 1
        && terminal.getWidth() > 1;
  }

  @Override
  public void write(char[] text, int offset, int length) throws IOException {
    if (!running) {
      terminal.writer().write(text, offset, length);
      return;
    }
    characters += length;
    if (characters > MAX_CHARACTERS) {
      throw new CommandException(
          "the output is longer than " + MAX_CHARACTERS + " characters",
          "give a LIMIT; or write to a file: lampone shell -e STATEMENT > FILE");
    }
    Writer longer = spool;
    if (longer == null) {
      screen.append(text, offset, length);
      if (isLonger(text, offset, length)) {
        file = Files.createTempFile("lampone-shell", ".txt");
        // No channel: an interrupt of the statement would close it.
        longer = new BufferedWriter(new FileWriter(file.toFile(), StandardCharsets.UTF_8));
        spool = longer;
        longer.append(screen);
        terminal.flush();
      } else {
        terminal.writer().write(text, offset, length);
      }
    } else {
      longer.write(text, offset, length);
    }
  }

  /** Advances past the text; returns true if the output no longer fits the screen. */
  private boolean isLonger(char[] text, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      column++;
      if (text[i] == '\n' || column > terminal.getWidth()) {
        line++;
        column = 0;
      }
    }
    return line >= terminal.getHeight();
  }

  @Override
  public void flush() {
    terminal.flush();
  }

  @Override
  public void close() {
    flush();
  }
}
