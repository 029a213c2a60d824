package io.lampone.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST;
import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING;

import io.lampone.cli.backup.ExportCommand;
import io.lampone.cli.backup.RestoreCommand;
import io.lampone.cli.manager.HoldCommand;
import io.lampone.cli.manager.SnapshotCommand;
import io.lampone.cli.manager.TmCommand;
import io.lampone.cli.manager.ValidatorCommand;
import io.lampone.cli.quickstart.BankCommand;
import io.lampone.cli.quickstart.QuickstartCommand;
import io.lampone.cli.shell.ShellCommand;
import io.lampone.cli.ycsb.YcsbCommand;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * Root of the {@code lampone} command. It only holds its subcommands: those of this package, and
 * each {@link LamponeCommand} that another module brings.
 */
@Command(
    name = "lampone",
    description = "ACID transactions on Apache HBase.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      QuickstartCommand.class,
      ShellCommand.class,
      TableCommand.class,
      TmCommand.class,
      ValidatorCommand.class,
      HoldCommand.class,
      SnapshotCommand.class,
      ExportCommand.class,
      RestoreCommand.class,
      DoctorCommand.class,
      BankCommand.class,
      CheckCommand.class,
      YcsbCommand.class,
      ConfigCommand.class,
      CompletionCommand.class,
      VersionCommand.class,
      HelpCommand.class
    })
public final class Lampone implements Runnable {

  @Spec private CommandSpec spec;

  private Lampone() {}

  /** Writer to {@code System.out} that knows whether output was lost. */
  private static final class StandardOutput extends PrintWriter {
    StandardOutput(PrintWriter out) {
      super(out, true);
    }

    @Override
    public boolean checkError() {
      return super.checkError() | System.out.checkError();
    }
  }

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    CommandLine line = commandLine();
    line.setOut(new StandardOutput(line.getOut()));
    int code = line.execute(args);
    if (line.getOut().checkError() && code == CommandLine.ExitCode.OK) {
      Failure.OUTPUT_LOST.print(line.getErr(), "");
      code = CommandLine.ExitCode.SOFTWARE;
    }
    System.exit(code);
  }

  /** Returns the complete command line, ready to execute. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Lampone());
    List<LamponeCommand> others =
        ServiceLoader.load(LamponeCommand.class).stream()
            .map(ServiceLoader.Provider::get)
            .sorted(Comparator.comparing(LamponeCommand::parent)) // one without a parent may be one
            .toList();
    others.forEach(command -> find(line, command.parent()).addSubcommand(command));
    MissingPart.addTo(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    line.getHelpSectionMap().put(SECTION_KEY_COMMAND_LIST, new CommandGroups());
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          OptionSpec debug = command.getCommandSpec().findOption("--debug");
          if (debug == null) {
            Failure.printWithoutDebug(command.getErr(), failure);
          } else {
            Failure.print(command.getErr(), failure, Boolean.TRUE.equals(debug.getValue()));
          }
          return CommandLine.ExitCode.SOFTWARE;
        });
    explainExitCodes(line);
    return line;
  }

  /** Returns the subcommand of that name; {@code line} itself if the name is empty. */
  static CommandLine find(CommandLine line, String name) {
    return name.isEmpty() ? line : Objects.requireNonNull(line.getSubcommands().get(name), name);
  }

  /** Adds the common exit codes to every command that does not explain its own. */
  private static void explainExitCodes(CommandLine line) {
    String[] footer = line.getCommandSpec().usageMessage().footer();
    if (line.getSubcommands().isEmpty() && !String.join(" ", footer).contains("xit code")) {
      List<String> lines = new ArrayList<>(List.of(footer));
      lines.add("");
      lines.add("Exit codes: 0 done; 1 failed, and the message says what to do; 2 wrong options.");
      line.getCommandSpec().usageMessage().footer(lines.toArray(String[]::new));
    }
    line.getSubcommands().values().forEach(Lampone::explainExitCodes);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
