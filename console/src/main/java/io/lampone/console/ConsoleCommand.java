package io.lampone.console;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import io.lampone.cli.StopSignal;
import io.lampone.cli.check.AskedManagers;
import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone console}. */
@Command(
    name = "console",
    sortOptions = false,
    description = {
      "Serves a web page on the state of the cluster, and /api/overview as JSON.",
      "It asks the managers once a second as the principal of the configuration, and runs the"
          + " checks of 'lampone check' once a minute. All but the managers' roles and the checks"
          + " needs the role administrator. If the configuration has credentials, the printed"
          + " address has a token, without which the figures are refused."
    },
    footer = {"", "Exit codes: 0 stopped by a signal; 1 failed; 2 wrong options."})
public final class ConsoleCommand implements Callable<Integer>, LamponeCommand {

  private static final int DEFAULT_PORT = 17312;
  private static final int MAX_PORT = 65_535;
  private static final int TOKEN_BYTES = 16;

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--port", paramLabel = "PORT", description = "0 for any. Default: 17312.")
  int port = DEFAULT_PORT;

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS",
      description = {
        "Listens on this address. Default: loopback.",
        "On another one --token-file or --open is needed; a browser must still reach it as"
            + " localhost, as by a published port or a tunnel."
      })
  @Nullable InetAddress listen;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the token, of 16 characters or more, which only its owner can read.")
  @Nullable Path tokenFile;

  @Option(
      names = "--open",
      description = "Serves the figures without a token to all that reach the address.")
  boolean open;

  @Option(
      names = "--doctor",
      paramLabel = "FILE",
      description =
          "Output of 'lampone doctor --json', whose findings are shown; read again every minute.")
  @Nullable Path doctor;

  @Option(names = "--debug", description = "Shows stack traces and logs.")
  boolean debug;

  @Override
  public Integer call() {
    if (port < 0 || port > MAX_PORT) {
      throw new ParameterException(spec.commandLine(), "no such port: " + port);
    }
    InetAddress address = listen == null ? InetAddress.getLoopbackAddress() : listen;
    if (!address.isLoopbackAddress() && tokenFile == null && !open) {
      throw new ParameterException(
          spec.commandLine(),
          "others can reach "
              + address.getHostAddress()
              + ": give --token-file, or --open if all may see the figures");
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (StopSignal signal = StopSignal.forThisThread();
        ManagerAccess access = ManagerAccess.open(connection, errors)) {
      return serve(signal, access, address);
    } catch (RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }

  private int serve(StopSignal signal, ManagerAccess access, InetAddress address) {
    Optional<String> token = given().or(() -> open ? Optional.empty() : token(access.security()));
    try (ManagerOperations operations = ManagerOperations.open(access);
        CheckPoller checks = checks(access, operations);
        OverviewPoller poller =
            new OverviewPoller(operations::status, checks::describe, SystemClock.INSTANCE);
        Logins logins = new Logins(operations::isAdministrator, SystemClock.INSTANCE);
        ConsoleServer server = open(address, poller, token, logins)) {
      poller.start();
      checks.start();
      PrintWriter out = spec.commandLine().getOut();
      out.println("Console: http://localhost:" + server.port() + "/" + shown(token));
      out.flush();
      return await(signal);
    }
  }

  private CheckPoller checks(ManagerAccess access, ManagerOperations operations) {
    Configuration configuration = connection.configuration(new PrintWriter(Writer.nullWriter()));
    ClusterCheck.Target target = AskedManagers.target(configuration, access);
    return new CheckPoller(
        () ->
            new ClusterCheck(target, SystemClock.INSTANCE)
                .run(AskedManagers.question(operations), (step, done, total) -> {}),
        Optional.ofNullable(doctor),
        SystemClock.INSTANCE);
  }

  private static int await(StopSignal signal) {
    try {
      signal.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  /** Returns what follows the printed address: a fresh token, but not that of a file. */
  private String shown(Optional<String> token) {
    return tokenFile != null ? "#TOKEN, of " + tokenFile : token.map(each -> "#" + each).orElse("");
  }

  private Optional<String> given() {
    if (tokenFile == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(SecurityFiles.token(tokenFile));
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException(
          "cannot use the token: " + e.getMessage(),
          "openssl rand -hex 16 > " + tokenFile + "; chmod 600 " + tokenFile,
          e);
    }
  }

  /** Returns a fresh token if the managers disclose more to this principal than to any user. */
  static Optional<String> token(ClientSecurity security) {
    if (security.secret().isEmpty() && security.tls().isEmpty() && security.kerberos().isEmpty()) {
      return Optional.empty();
    }
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    return Optional.of(HexFormat.of().formatHex(random));
  }

  private ConsoleServer open(
      InetAddress address, OverviewPoller poller, Optional<String> token, Logins logins) {
    try {
      return new ConsoleServer(new InetSocketAddress(address, port), poller::json, token, logins);
    } catch (IOException e) {
      throw new CommandException(
          "cannot listen on " + address.getHostAddress() + ":" + port + ": " + e.getMessage(),
          "name another one: --port",
          e);
    }
  }
}
