package io.lampone.cli.manager;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.SiteFile;
import io.lampone.cli.manager.ManagerOperations.Answer;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Commands that run transaction managers or validators, or ask transaction managers. */
abstract class ServerCommands implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommands.class);

  @Spec CommandSpec spec;

  @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Shows stack traces.")
  boolean debug;

  private final String commands;

  /** Action on transaction managers; returns the exit code. */
  @FunctionalInterface
  interface Work {
    int run(ManagerOperations operations) throws IOException, InterruptedException;
  }

  /**
   * @param commands for a command line without one
   */
  ServerCommands(String commands) {
    this.commands = commands;
  }

  @Override
  public final void run() {
    throw new ParameterException(spec.commandLine(), commands);
  }

  /** Performs an action, and returns the exit code. */
  final int manage(ConnectionOptions connection, Work work) {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access)) {
      int exit = work.run(operations);
      out().flush();
      return exit;
    } catch (IOException | InterruptedException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  /** Prints an answer: as JSON, or as lines for people. */
  final void print(Answer answer, boolean json, Function<Answer, List<String>> lines) {
    if (json) {
      out().println(answer.json());
    } else {
      lines.apply(answer).forEach(out()::println);
    }
  }

  /** Prints an answer: as JSON, or for people, who also read what was done, and which was asked. */
  final void print(Answer answer, boolean json, String done) {
    if (!json) {
      out().println(done + ", asked " + answer.asked());
    }
    print(answer, json, Answer::lines);
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /**
   * Runs a process until it retires, and returns the exit code.
   *
   * @param file a properties file, or a site file if its name ends in .xml
   * @param settings properties by full name
   */
  final int runProcess(
      @Nullable Path file, @Nullable String zooKeeper, Map<String, String> settings) {
    Logging.ofServer(debug);
    boolean site = file == null || file.toString().endsWith(".xml");
    Properties properties;
    try {
      if (file != null && Files.exists(file) && !Files.isRegularFile(file)) {
        throw new CommandException(
            "no regular file, file=" + file, "write the properties to a file: it is read twice");
      }
      Configuration read = known(SiteFile.readAny(file));
      properties = site ? SiteFile.managerProperties(read) : new Properties();
    } catch (CommandException e) {
      Failure.print(spec.commandLine().getErr(), e, debug);
      return CommandLine.ExitCode.USAGE;
    }
    LOG.info("{}", SiteFile.origin(file));
    if (zooKeeper != null) {
      properties.setProperty(TransactionManagerConfig.PREFIX + "zookeeper.quorum", zooKeeper);
    }
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      if (!setting.getKey().startsWith(TransactionManagerConfig.PREFIX)) {
        throw new ParameterException(
            spec.commandLine(),
            "not a property of a transaction manager: "
                + setting.getKey()
                + "; they begin with "
                + TransactionManagerConfig.PREFIX);
      }
      properties.setProperty(setting.getKey(), setting.getValue());
    }
    String[] arguments = site ? new String[0] : new String[] {String.valueOf(file)};
    return TransactionManagerMain.run(arguments, properties, System.err);
  }

  /** Requires that each name is known, including those of clients. */
  private static Configuration known(Configuration settings) {
    List<String> unknown = SiteFile.unknown(settings);
    if (!unknown.isEmpty()) {
      throw new CommandException(
          "wrong configuration: " + String.join("; ", unknown),
          "'lampone config validate' says whether a file makes sense");
    }
    return settings;
  }
}
