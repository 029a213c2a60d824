package io.lampone.benchmarks.load;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Validators in processes of their own, beside a primary on the same ZooKeeper. */
public final class ValidatorSet implements AutoCloseable {

  private static final List<String> JVM_OPTIONS = List.of("-Xmx256m", "-XX:+UseSerialGC");
  private static final String CAPACITY = "65536";
  private static final long REGISTRATION_MILLIS = 60_000;
  private static final long LOOK_MILLIS = 50;
  private static final int ADDITIONS = 5;

  private final InetSocketAddress primary;
  private final Map<String, String> properties;
  private final Path folder;
  private final CommandClient commands =
      new CommandClient(TransactionManagerClientConfig.builder().build());
  private final List<ManagerProcess> processes = new ArrayList<>();

  /**
   * @param properties properties that find the primary's ZooKeeper
   * @param folder folder for logs
   */
  public ValidatorSet(InetSocketAddress primary, Map<String, String> properties, Path folder) {
    this.primary = primary;
    this.properties = properties;
    this.folder = folder;
  }

  /** Starts a validator, without a share. */
  public ManagerProcess start(String name) throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(properties);
    all.put("lampone.tm.validator.name", name);
    all.put("lampone.tm.conflict.table.capacity", CAPACITY);
    ManagerProcess started =
        ManagerProcess.start(all, false, List.of(), JVM_OPTIONS, folder.resolve(name + ".log"));
    processes.add(started);
    for (long waited = 0; !send("validators", "").contains('"' + name + '"'); ) {
      waited += LOOK_MILLIS;
      if (waited > REGISTRATION_MILLIS) {
        throw new IOException("the validator does not register itself, name=" + name);
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return started;
  }

  /** Gives a validator its share; asks again while the validator is too busy to answer in time. */
  public void add(String name) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        send("validator-add", "validator=" + name);
        return;
      } catch (IOException e) {
        if (attempt == ADDITIONS) {
          throw e;
        }
      }
    }
  }

  /** Gives its share to the others; no transaction needs its vote any more. */
  public void remove(String name, boolean now) throws IOException, InterruptedException {
    send("validator-remove", "validator=" + name + (now ? " now=true" : ""));
  }

  /** Returns the owners of the buckets. */
  public BucketMap map() throws IOException, InterruptedException {
    return BucketMap.decode(send("buckets", ""));
  }

  private String send(String command, String argument) throws IOException, InterruptedException {
    try {
      CommandAnswer answer = commands.ask(primary, command, argument).get();
      if (!answer.succeeded()) {
        throw new IOException(command + " was refused: " + answer.text());
      }
      return answer.text();
    } catch (ExecutionException e) {
      throw new IOException(command + " had no answer", e);
    }
  }

  @Override
  public void close() {
    processes.forEach(ManagerProcess::close);
    commands.close();
  }
}
