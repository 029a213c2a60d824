package io.lampone.faultlab;

import io.lampone.cluster.Hosts;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.fault.Clients;
import io.lampone.faultlab.work.client.ClientPlan;
import io.lampone.faultlab.work.client.ClientStatus;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The clients of a lab, in one round after the other. Thread-safe. */
final class ClientPool implements Clients {

  private final LabPlan lab;
  private final Hosts hosts;
  private final Path site;
  private final Clock clock;

  /** One for each host. */
  private final List<ClientProcess> present = new ArrayList<>();

  /** Those that were killed in this round. */
  private final List<ClientProcess> gone = new ArrayList<>();

  /** The round in which they are. */
  private LabPlan plan;

  /** Number of clients of this round so far. */
  private int numbers;

  /** Number of client processes so far. */
  private int processes;

  /**
   * @param lab has their number, and the folder of their logs
   * @param site hbase-site.xml of the cluster
   */
  ClientPool(LabPlan lab, Hosts hosts, Path site, Clock clock) {
    this.lab = lab;
    this.plan = lab;
    this.hosts = hosts;
    this.site = site;
    this.clock = clock;
  }

  /** Begins a round with all of them and waits until each is connected. */
  void begin(LabPlan round, Duration bound) throws IOException, InterruptedException {
    List<ClientProcess> all;
    synchronized (this) {
      plan = round;
      numbers = 0;
      for (int i = 0; i < lab.size().clients(); i++) {
        if (i < present.size() && present.get(i).isAlive()) {
          present.get(i).begin(next());
        } else {
          launch(i);
        }
      }
      // Those that had died since the last round do not count in this one.
      gone.clear();
      all = List.copyOf(present);
    }
    for (ClientProcess client : all) {
      client.awaitReady(bound);
    }
  }

  @Override
  public int count() {
    return lab.size().clients();
  }

  @Override
  public String host(int index) {
    return LabSize.clientHost(index);
  }

  @Override
  public void replace(int index) throws IOException, InterruptedException {
    ClientProcess old;
    synchronized (this) {
      old = present.get(index);
    }
    old.kill();
    launch(index);
  }

  @Override
  public void pause(int index, boolean stop) throws IOException, InterruptedException {
    ClientProcess client;
    synchronized (this) {
      client = present.get(index);
    }
    client.signal(stop);
  }

  private ClientPlan next() {
    int number = numbers++;
    return new ClientPlan(
        site,
        plan.parts(),
        number,
        plan.seed(),
        plan.seed() * 1_000 + number,
        plan.retention().longestWait().toMillis(),
        plan.size().threads(),
        plan.serializablePercent(),
        plan.workloads());
  }

  private synchronized void launch(int index) throws IOException {
    Path log = LabLogs.folder(lab.folder()).resolve("client-" + processes++ + ".log");
    ClientProcess started =
        ClientProcess.start(
            next(), hosts.prefix(host(index)), LabLogs.javaOption(lab.folder()), log, clock);
    if (index < present.size()) {
      gone.add(present.set(index, started));
    } else {
      present.add(started);
    }
  }

  /** All together: counts of this round, the worst of the percentiles. */
  synchronized ClientStatus status() {
    ClientStatus sum = ClientStatus.NONE;
    for (ClientProcess client : gone) {
      sum = sum.plus(client.status());
    }
    for (ClientProcess client : present) {
      ClientStatus one = client.status();
      sum =
          sum.plus(one)
              .with(
                  Math.max(sum.p50Micros(), one.p50Micros()),
                  Math.max(sum.p99Micros(), one.p99Micros()));
    }
    return sum;
  }

  /** Returns the events of this round, of all clients together. */
  synchronized EventCounts events() {
    EventCounts sum = EventCounts.NONE;
    for (ClientProcess client : gone) {
      sum = sum.plus(client.events());
    }
    for (ClientProcess client : present) {
      sum = sum.plus(client.events());
    }
    return sum;
  }

  /** Of each client that is there. */
  synchronized List<ClientStatus> each() {
    return present.stream().map(ClientProcess::status).toList();
  }

  /**
   * Lets all of them end their round.
   *
   * @return how many had to be killed
   */
  int stop(Duration bound) throws IOException, InterruptedException {
    List<ClientProcess> all;
    synchronized (this) {
      all = List.copyOf(present);
    }
    all.forEach(ClientProcess::askToStop);
    int killed = 0;
    for (ClientProcess client : all) {
      if (!client.awaitEnd(bound)) {
        killed++;
      }
    }
    return killed;
  }

  /** Kills whatever is left. */
  void kill() throws InterruptedException {
    List<ClientProcess> all;
    synchronized (this) {
      all = List.copyOf(present);
    }
    for (ClientProcess client : all) {
      client.kill();
    }
  }
}
