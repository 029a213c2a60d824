package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Logging;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone shell}. */
@Command(
    name = "shell",
    description = "Transactions by hand, in the manner of the HBase shell.",
    footer = {
      "",
      "Without FILE and -e, statements are read from the terminal or from a pipe. A script stops"
          + " at",
      "its first error with exit code 1 and the number of the line."
    })
public final class ShellCommand implements Callable<Integer> {

  private static final String HISTORY = ".lampone_history";

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENTS",
      description = "Runs these statements (; between them) and ends.")
  @Nullable String statements;

  @Option(names = "--continue", description = "Goes on after an error; the exit code stays 1.")
  boolean goOn;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "A script; - is a pipe.")
  @Nullable String script;

  @Override
  public Integer call() throws IOException {
    if (script != null && statements != null) {
      throw new ParameterException(spec.commandLine(), "give either FILE or -e, not both");
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    return isInteractive() ? runTerminal(errors) : runScript(errors);
  }

  @SuppressWarnings("SystemConsoleNull") // not with this property, which newer JDKs know
  private boolean isInteractive() {
    System.setProperty("jdk.console", "java.base");
    return script == null && statements == null && System.console() != null;
  }

  private int runTerminal(PrintWriter errors) throws IOException {
    Path history = Path.of(System.getProperty("user.home"), HISTORY);
    try (Database database = connection.connect(errors);
        NameLookup names = new NameLookup(database, SystemClock.INSTANCE);
        TerminalLines lines =
            new TerminalLines(
                TerminalBuilder.builder().system(true).build(),
                history,
                new ShellCompleter(ShellVerbs.all().values(), names));
        ShellSession session =
            new ShellSession(database, new ShellOutput(lines.writer(), lines.encoding()))) {
      session.setTiming(true);
      session.reportTo(errors);
      session.output().line("Lampone shell. 'help' lists the commands, 'exit' leaves.");
      new Shell(lines, session, lines.writer(), Shell.Mode.interactive(debug)).run();
      return 0;
    }
  }

  private int runScript(PrintWriter errors) throws IOException {
    // Opened first, so that a missing file is reported before connecting.
    try (Reader reader = reader();
        LineSource lines = LineSource.script(reader);
        Database database = connection.connect(errors);
        ShellSession session =
            new ShellSession(
                database, new ShellOutput(spec.commandLine().getOut(), Charset.defaultCharset()))) {
      session.reportTo(errors);
      Shell shell = new Shell(lines, session, errors, new Shell.Mode(name(), goOn, debug));
      int failures = shell.runScript();
      return failures == 0 ? 0 : 1;
    }
  }

  private Reader reader() throws IOException {
    if (statements != null) {
      return new StringReader(statements);
    }
    if (script == null || script.equals("-")) {
      return utf8(System.in);
    }
    try {
      return utf8(Files.newInputStream(Path.of(script)));
    } catch (NoSuchFileException e) {
      throw new CommandException("no such file: " + script, "", e);
    }
  }

  /** Decodes text; the parser refuses what stands for malformed bytes, with the line's number. */
  private static Reader utf8(InputStream input) {
    return new InputStreamReader(input, StandardCharsets.UTF_8);
  }

  private String name() {
    if (statements != null) {
      return "-e";
    }
    return script == null || script.equals("-") ? "input" : script;
  }
}
