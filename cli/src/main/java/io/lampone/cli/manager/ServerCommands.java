package io.lampone.cli.manager;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.SiteFile;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Steps shared by the commands of transaction managers and validators. */
final class ServerCommands {

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommands.class);

  private ServerCommands() {}

  /** Action on transaction managers. */
  @FunctionalInterface
  interface Work {
    int run(ManagerOperations operations) throws IOException, InterruptedException;
  }

  /** Performs an action, and returns the exit code. */
  static int manage(CommandSpec spec, boolean debug, ConnectionOptions connection, Work work) {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access)) {
      int exit = work.run(operations);
      spec.commandLine().getOut().flush();
      return exit;
    } catch (IOException | InterruptedException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  /**
   * Runs a process until it retires, and returns the exit code.
   *
   * @param file a properties file, or a site file if its name ends in .xml
   * @param settings properties by full name
   */
  static int run(
      CommandSpec spec,
      boolean debug,
      @Nullable Path file,
      @Nullable String zooKeeper,
      Map<String, String> settings) {
    Logging.ofServer(debug);
    boolean site = file == null || file.toString().endsWith(".xml");
    Properties properties;
    try {
      properties = site ? siteProperties(file) : new Properties();
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

  /** Reads the properties and reports misspelt names, including those of clients. */
  private static Properties siteProperties(@Nullable Path file) {
    Configuration settings = SiteFile.read(file);
    List<String> unknown = SiteFile.unknown(settings);
    if (!unknown.isEmpty()) {
      throw new CommandException(
          "wrong configuration: " + String.join("; ", unknown),
          "'lampone config validate' says whether a file makes sense");
    }
    return SiteFile.managerProperties(settings);
  }
}
