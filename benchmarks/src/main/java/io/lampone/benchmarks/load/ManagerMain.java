package io.lampone.benchmarks.load;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.RecordStore;
import java.io.IOException;
import java.util.Properties;

/**
 * Transaction manager in a separate process, for a tool that measures or kills it. Arguments are
 * properties, {@code name=value}; {@code store=memory} runs it without ZooKeeper. It prints each
 * change of its state as a line, and exits at the end of its standard input.
 */
final class ManagerMain {

  /** Begins the line with the address on which it listens. */
  static final String LISTENING = "LISTENING ";

  /** Begins the line with the epoch of which it is the primary. */
  static final String PRIMARY = "PRIMARY ";

  /** Argument to run without ZooKeeper. */
  static final String IN_MEMORY = "store=memory";

  private static final int EXIT_ORPHANED = 5;

  private ManagerMain() {}

  /** Runs until it retires, or its parent has gone. */
  public static void main(String[] arguments) throws IOException {
    Properties properties = new Properties();
    boolean inMemory = false;
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (argument.equals(IN_MEMORY)) {
        inMemory = true;
      } else if (equals > 0) {
        properties.setProperty(argument.substring(0, equals), argument.substring(equals + 1));
      } else {
        throw new IllegalArgumentException("not name=value, argument=" + argument);
      }
    }
    Thread parent = new Thread(ManagerMain::endWithTheParent, "parent");
    parent.setDaemon(true);
    parent.start();
    TransactionManagerConfig config = TransactionManagerConfig.fromProperties(properties);
    MetricRegistry metrics = new MetricRegistry();
    try (TransactionManagerServer server =
        inMemory
            ? TransactionManagerServer.start(
                config, metrics, new RecordStore.InMemory(), SystemClock.INSTANCE)
            : TransactionManagerServer.start(config, metrics)) {
      say(LISTENING + server.address());
      server.whenPrimary().thenAccept(epoch -> say(PRIMARY + epoch));
      server.whenRetired().join();
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void endWithTheParent() {
    try {
      while (System.in.read() >= 0) {
        // Input is ignored.
      }
    } catch (IOException e) {
      // It has gone too.
    }
    Runtime.getRuntime().halt(EXIT_ORPHANED);
  }
}
