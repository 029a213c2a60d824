package io.lampone.faultlab.work.client;

import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeClient;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.work.ClientTally;
import io.lampone.faultlab.work.LabClientSession;
import io.lampone.faultlab.work.LabWorkload;
import io.lampone.faultlab.work.LineWriter;
import io.lampone.faultlab.work.Recorder;
import io.lampone.faultlab.work.Stamps;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/** Work of a client in one round: some threads for each workload, until it is stopped. */
final class ClientRound {

  private static final long STATUS_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MICROS = 6_000;

  private final ClientPlan plan;
  private final Clock clock;
  private final Consumer<String> say;
  private final Stamps stamps;
  private final ClientTally tally;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<LabWorkload> workloads = new ArrayList<>();
  private final List<HistoryWriter> writers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param say receives the progress
   */
  ClientRound(ClientPlan plan, Clock clock, Consumer<String> say) {
    this.plan = plan;
    this.clock = clock;
    this.say = say;
    this.stamps = new Stamps(plan.number());
    this.tally = new ClientTally(plan.workloads());
  }

  ClientPlan plan() {
    return plan;
  }

  /** Stops the work, from any thread; operations under way are finished. */
  void stop() {
    stop.countDown();
  }

  /** Works until it is stopped; all files are written when it returns. */
  void run(LamponeClient client) throws IOException, InterruptedException {
    for (WorkloadKind kind : plan.workloads()) {
      start(client, kind);
    }
    while (!stop.await(STATUS_MILLIS, TimeUnit.MILLISECONDS)) {
      say(client);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (HistoryWriter writer : writers) {
      writer.close();
    }
    say(client);
  }

  private void say(LamponeClient client) {
    say.accept(ClientMain.STATUS + tally.take());
    EventCounts events = EventCounts.of(client.metrics()).plus(tally.steps());
    for (LabWorkload workload : workloads) {
      events = events.plus(workload.events());
    }
    say.accept(ClientMain.EVENTS + events);
  }

  private void start(LamponeClient client, WorkloadKind kind) throws IOException {
    Path file = ClientPlan.part(plan.folder(), kind, plan.number());
    List<TableName> tables = kind.tables(plan.round());
    HistoryWriter writer =
        new HistoryWriter(
            new LineWriter(Files.newBufferedWriter(file)),
            ClientMain.header(kind, tables, plan.seed()),
            "lampone",
            clock::monotonicNanos);
    if (WorkloadKind.HONEST.contains(kind)) {
      // The others do not use this client.
      writer.ofClient(plan.number());
    }
    writers.add(writer);
    LabWorkload workload = kind.create(plan.site());
    workloads.add(workload);
    for (int i = 0; i < plan.threadsEach(); i++) {
      Random random = new Random(plan.seed() * 31 + threads.size());
      Recorder recorder = new Recorder(kind, writer, stamps, tally, clock);
      LabClientSession session =
          new LabClientSession(
              client,
              tables,
              recorder,
              stamps,
              random,
              plan.longestWaitMillis(),
              plan.serializablePercent());
      WorkThread work =
          new WorkThread(
              stop,
              () -> random.nextLong(LONGEST_PAUSE_MICROS),
              () -> workload.step(session),
              session::violation,
              tally);
      Thread thread = new Thread(work, kind.label() + "-" + i);
      threads.add(thread);
      thread.start();
    }
  }
}
