package io.lampone.benchmarks.command;

import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.cli.CommandException;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedZooKeeper;
import io.lampone.tm.TransactionManagerJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Transaction manager in a separate process, with its ZooKeeper, if it needs one. */
final class LocalManager implements AutoCloseable {

  /** Default JVM options of a transaction manager; see docs/operations/tm.md. */
  static final List<String> JVM_OPTIONS = TransactionManagerJvm.options();

  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  private final ScratchFolder folder;
  private final Optional<EmbeddedZooKeeper> zooKeeper;
  private final ManagerProcess process;

  private LocalManager(
      ScratchFolder folder, Optional<EmbeddedZooKeeper> zooKeeper, ManagerProcess process) {
    this.folder = folder;
    this.zooKeeper = zooKeeper;
    this.process = process;
  }

  /** Starts it and waits until it is the primary. */
  static LocalManager start(LocalOptions options, List<String> prefix)
      throws IOException, InterruptedException {
    boolean inMemory = options.store == LocalOptions.Store.MEMORY;
    ScratchFolder folder = ScratchFolder.create("lampone-tm-load");
    Optional<EmbeddedZooKeeper> zooKeeper = Optional.empty();
    try {
      Map<String, String> properties = new LinkedHashMap<>();
      if (!inMemory) {
        zooKeeper = Optional.of(startZooKeeper(folder.path()));
        properties.put("lampone.tm.zookeeper.quorum", zooKeeper.get().connectString());
      }
      for (String property : options.properties) {
        int equals = property.indexOf('=');
        if (equals < 1) {
          throw new CommandException(
              "not a property: '" + property + "'", "write --tm-property NAME=VALUE");
        }
        properties.put(property.substring(0, equals), property.substring(equals + 1));
      }
      List<String> jvm = new ArrayList<>(JVM_OPTIONS);
      jvm.addAll(options.javaOptions);
      ManagerProcess process =
          ManagerProcess.start(
              properties, inMemory, prefix, jvm, folder.path().resolve("manager.log"));
      LocalManager manager = new LocalManager(folder, zooKeeper, process);
      process.awaitPrimary(START_TIMEOUT);
      return manager;
    } catch (IOException | InterruptedException | RuntimeException e) {
      zooKeeper.ifPresent(EmbeddedZooKeeper::close);
      throw e; // the folder stays, for its log
    }
  }

  static EmbeddedZooKeeper startZooKeeper(Path folder) throws IOException {
    return EmbeddedZooKeeper.start(folder.resolve("zookeeper"), 0, SESSION_TIMEOUT);
  }

  InetSocketAddress address() {
    return process.address();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.close();
    zooKeeper.ifPresent(EmbeddedZooKeeper::close);
    folder.close();
  }
}
