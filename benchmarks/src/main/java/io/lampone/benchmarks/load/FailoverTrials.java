package io.lampone.benchmarks.load;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Two transaction managers, whose primary is stopped or replaced repeatedly. */
public final class FailoverTrials implements AutoCloseable {

  /** Name of the file with the logs of both. */
  public static final String LOG = "managers.log";

  private static final Duration BOUND = Duration.ofMinutes(2);

  /** Longer than any request of the client may wait: requests must wait and not fail. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(3);

  /** Answers before a fault, and after it: half a second of them. */
  private static final long STEADY_ANSWERS = 500;

  /** Time in which a resumed primary must not reply. */
  private static final Duration WOKEN_BOUND = Duration.ofSeconds(2);

  private static final int MAX_HAND_OVER_ATTEMPTS = 10;

  private static final Duration SETTLING_TIME = Duration.ofMillis(300);
  private static final double NANOS_PER_MILLI = 1e6;

  private final String quorum;
  private final List<String> jvmOptions;
  private final Path folder;
  private final TransactionManagerClient client;
  private final CommandClient commands;
  private final Heartbeat heartbeat;

  /** Leads; set by the constructor and by each trial. */
  private ManagerProcess primary;

  /** The backup; likewise. */
  private ManagerProcess backup;

  private FailoverTrials(
      String quorum,
      List<String> jvmOptions,
      Path folder,
      Clock clock,
      ManagerProcess primary,
      ManagerProcess backup) {
    this.quorum = quorum;
    this.jvmOptions = jvmOptions;
    this.folder = folder;
    this.primary = primary;
    this.backup = backup;
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().requestTimeout(REQUEST_TIMEOUT).build();
    this.client = TransactionManagerClient.connect(config, quorum, ManagerRecord.DEFAULT_PARENT);
    this.commands = new CommandClient(config);
    this.heartbeat = new Heartbeat(client, clock);
  }

  /**
   * Starts both and waits until one of them is the primary.
   *
   * @param jvmOptions options of their JVMs
   * @param folder folder of their logs
   */
  public static FailoverTrials start(
      String quorum, List<String> jvmOptions, Path folder, Clock clock)
      throws IOException, InterruptedException {
    ManagerProcess first = launch(quorum, jvmOptions, folder);
    try {
      first.awaitPrimary(BOUND);
      ManagerProcess second = launch(quorum, jvmOptions, folder);
      return new FailoverTrials(quorum, jvmOptions, folder, clock, first, second);
    } catch (IOException | InterruptedException | RuntimeException e) {
      first.close();
      throw e;
    }
  }

  /**
   * Removes the primary once and starts a new backup.
   *
   * @return the longest time without a reply, in milliseconds
   * @throws IOException if a request fails, or an invariant is violated
   */
  public double run(PrimaryLoss kind) throws IOException, InterruptedException {
    // By then the backup has read the record, and the client's connections are healthy.
    heartbeat.awaitAnswers(STEADY_ANSWERS, BOUND);
    heartbeat.reset();
    switch (kind) {
      case KILL -> primary.kill();
      case PAUSE -> pause();
      case PLANNED -> handOver();
    }
    backup.awaitPrimary(BOUND);
    heartbeat.awaitAnswers(STEADY_ANSWERS, BOUND);
    double millis = heartbeat.longestGapNanos() / NANOS_PER_MILLI;
    primary.awaitEnd(BOUND);
    primary = backup;
    backup = launch(quorum, jvmOptions, folder);
    return millis;
  }

  /**
   * Stops the primary. When the other one has been primary for a while, sends requests to the
   * stopped one on an old connection, resumes it, and checks that it replies to requests neither
   * from before nor from after.
   */
  private void pause() throws IOException, InterruptedException {
    try (OldConnection old = new OldConnection(primary.address())) {
      primary.signal("STOP");
      try {
        backup.awaitPrimary(BOUND);
        heartbeat.awaitAnswers(STEADY_ANSWERS, BOUND);
        old.ask(1);
      } finally {
        primary.signal("CONT");
      }
      if (old.isAnswered(WOKEN_BOUND)) {
        throw new IOException("a primary that was woken after its lease has answered");
      }
    }
  }

  /**
   * Transfers the leadership. The primary refuses a slow backup and remains primary; the transfer
   * is then repeated, as an operator would do. The waiting times of clients meanwhile count.
   */
  private void handOver() throws IOException, InterruptedException {
    String refusal = "";
    for (int attempt = 0; attempt < MAX_HAND_OVER_ATTEMPTS; attempt++) {
      CommandAnswer answer;
      try {
        answer = commands.ask(primary.address(), "handover", "").get();
      } catch (ExecutionException e) {
        throw new IOException(
            "the planned kind needs a transaction manager that takes the command handover", e);
      }
      if (answer.succeeded()) {
        return;
      }
      refusal = answer.text();
      heartbeat.awaitAnswers(STEADY_ANSWERS, BOUND);
    }
    throw new IOException("the primary does not hand over: " + refusal);
  }

  @Override
  public void close() {
    heartbeat.close();
    client.close();
    commands.close();
    primary.close();
    backup.close();
  }

  private static ManagerProcess launch(String quorum, List<String> jvmOptions, Path folder)
      throws IOException, InterruptedException {
    ManagerProcess started =
        ManagerProcess.start(
            Map.of("lampone.tm.zookeeper.quorum", quorum),
            false,
            List.of(),
            jvmOptions,
            folder.resolve(LOG));
    // It listens; let it also register and read the record.
    TimeUnit.NANOSECONDS.sleep(SETTLING_TIME.toNanos());
    return started;
  }
}
