package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.http.HttpSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a transaction manager until it retires. Argument: optionally the name of a properties file;
 * system properties ({@code -Dlampone.tm...}) have precedence over the file.
 *
 * <p>The constants below are the exit codes. A superseded process should be restarted; it becomes a
 * backup.
 */
public final class TransactionManagerMain {

  /** Gave back the lease or handed over, on command. */
  static final int EXIT_RELEASED = 0;

  /** Could not be started, e.g. because the port is taken. */
  static final int EXIT_NOT_STARTED = 1;

  /** Arguments or configuration are wrong. */
  static final int EXIT_BAD_CONFIGURATION = 2;

  /** Another transaction manager has taken the epoch. */
  static final int EXIT_SUPERSEDED = 3;

  /** An invariant of the protocol is violated: please report the log. */
  static final int EXIT_INVARIANT_VIOLATED = 4;

  /**
   * Stopped by SIGTERM after releasing the lease. This is the JVM's own code: exiting with another
   * one would cut short other shutdown work, such as the dump of a recording.
   */
  static final int EXIT_TERMINATED = 143;

  private static final Logger LOG = LoggerFactory.getLogger(TransactionManagerMain.class);

  private TransactionManagerMain() {}

  /** Runs the process. */
  public static void main(String[] arguments) {
    System.exit(run(arguments, System.getProperties(), System.err));
  }

  /** Runs until it retires and returns the exit code, for commands that wrap this one. */
  public static int run(String[] arguments, Properties system, PrintStream errors) {
    TransactionManagerConfig config;
    try {
      config = TransactionManagerConfig.fromProperties(properties(arguments, system));
    } catch (IOException | IllegalArgumentException e) {
      errors.println("wrong configuration: " + e.getMessage());
      return EXIT_BAD_CONFIGURATION;
    }
    MetricRegistry metrics = new MetricRegistry();
    try (TransactionManagerServer server = TransactionManagerServer.start(config, metrics);
        MonitoringEndpoint monitoringEndpoint =
            new MonitoringEndpoint(http(config), server.security(), metrics, server.watch())) {
      LOG.info(
          "transaction manager started, address={} httpPort={} authentication={} tls={}",
          server.address(),
          monitoringEndpoint.port().map(String::valueOf).orElse("off"),
          config.security().authentication(),
          config.security().tls().isPresent());
      if (config.exposure().isLoopbackOnly(config.bindHost(), config.security())) {
        LOG.info(
            "only this machine's processes reach this transaction manager: {}",
            Exposure.HOW_TO_OPEN);
      }
      Thread hook = new Thread(server::close, "lampone-tm-shutdown");
      Runtime.getRuntime().addShutdownHook(hook);
      return exitCode(server.whenRetired().join());
    } catch (IllegalArgumentException e) {
      errors.println("wrong configuration: " + e.getMessage());
      return EXIT_BAD_CONFIGURATION;
    } catch (IOException e) {
      errors.println("not started: " + e.getMessage());
      return EXIT_NOT_STARTED;
    }
  }

  /** Returns the settings of the HTTP port, whose address by default is that of the server. */
  static HttpSettings http(TransactionManagerConfig config) {
    String host = config.http().host().isBlank() ? config.bindHost() : config.http().host();
    return new HttpSettings(
        config.exposure().host(host, config.security()),
        config.http().port(),
        config.http().tokenFile(),
        config.exposure().open());
  }

  private static Properties properties(String[] arguments, Properties system) throws IOException {
    if (arguments.length > 1) {
      throw new IllegalArgumentException("at most one argument, the name of a properties file");
    }
    Properties properties = new Properties();
    if (arguments.length == 1) {
      Path file = Path.of(arguments[0]);
      if (!Files.isReadable(file)) {
        throw new IllegalArgumentException("no readable properties file, file=" + file);
      }
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
    }
    for (String name : system.stringPropertyNames()) {
      if (name.startsWith(TransactionManagerConfig.PREFIX)) {
        properties.setProperty(name, system.getProperty(name));
      }
    }
    return properties;
  }

  private static int exitCode(Retirement retirement) {
    return switch (retirement) {
      case RELEASED, HANDED_OVER -> EXIT_RELEASED;
      case SUPERSEDED -> EXIT_SUPERSEDED;
      case INVARIANT_VIOLATED -> EXIT_INVARIANT_VIOLATED;
    };
  }
}
