package io.lampone.console;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import io.lampone.cli.StopSignal;
import io.lampone.cli.Versions;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone console}. */
@Command(
    name = "console",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false,
    description = {
      "Serves a web page on the state of the transaction managers, and /api/overview as JSON, on"
          + " this machine's loopback address.",
      "It asks the managers once a second as the principal of the configuration; rates and the"
          + " safe point need the role administrator."
    },
    footer = {"", "Exit codes: 0 stopped by a signal; 1 failed; 2 wrong options."})
public final class ConsoleCommand implements Callable<Integer>, LamponeCommand {

  private static final int DEFAULT_PORT = 17312;
  private static final int MAX_PORT = 65_535;

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--port", paramLabel = "PORT", description = "0 for any. Default: 17312.")
  int port = DEFAULT_PORT;

  @Option(names = "--debug", description = "Shows stack traces and logs.")
  boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the field
  public ConsoleCommand() {}

  @Override
  public Integer call() {
    if (port < 0 || port > MAX_PORT) {
      throw new ParameterException(spec.commandLine(), "no such port: " + port);
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (StopSignal signal = StopSignal.forThisThread();
        ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access);
        OverviewPoller poller = new OverviewPoller(operations::status, SystemClock.INSTANCE);
        ConsoleServer server = open(poller)) {
      poller.start();
      server.start();
      PrintWriter out = spec.commandLine().getOut();
      out.println("Console: http://localhost:" + server.port() + "/");
      out.flush();
      return await(signal);
    } catch (RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  private static int await(StopSignal signal) {
    try {
      signal.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  private ConsoleServer open(OverviewPoller poller) {
    try {
      return new ConsoleServer(port, poller::json);
    } catch (IOException e) {
      throw new CommandException(
          "cannot listen on port " + port + ": " + e.getMessage(), "name another one: --port", e);
    }
  }
}
