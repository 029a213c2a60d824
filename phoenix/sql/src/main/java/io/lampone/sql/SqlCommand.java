package io.lampone.sql;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone sql}. */
@Command(
    name = "sql",
    subcommands = {AdoptCommand.class, CheckIndexCommand.class},
    description = "SQL by Apache Phoenix, in transactions of Lampone; see docs/sql.md.",
    footer = {
      "",
      "Without FILE and -e, statements are read from the terminal or from a pipe, by sqlline: !help"
          + " lists its",
      "commands, '!autocommit off' begins transactions of several statements, !quit leaves.",
      "Exit codes: 0 done; 1 the cluster lacks something, or a statement of -e or FILE failed; 2"
          + " wrong options."
    })
public final class SqlCommand implements Callable<Integer>, LamponeCommand {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENT",
      description = "Runs this statement and ends.")
  @Nullable String statement;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "A script of statements.")
  @Nullable Path script;

  /** Made by {@link java.util.ServiceLoader}. */
  @Override
  public Integer call() throws IOException {
    if (script != null && statement != null) {
      throw new ParameterException(spec.commandLine(), "give either FILE or -e, not both");
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    List<String> arguments = arguments();
    SqlChecks.require(connection.reachable(errors));
    return SqlPrompt.run(arguments) ? 0 : 1;
  }

  private List<String> arguments() {
    if (statement != null) {
      return List.of("-e", statement);
    }
    if (script == null) {
      return List.of();
    }
    if (!Files.isReadable(script)) {
      throw new CommandException("no such file, or it cannot be read: " + script, "");
    }
    return List.of("--run=" + script);
  }
}
