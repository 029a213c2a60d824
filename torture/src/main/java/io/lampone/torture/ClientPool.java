package io.lampone.torture;

import io.lampone.cluster.Hosts;
import io.lampone.protocol.time.Clock;
import io.lampone.torture.fault.Clients;
import io.lampone.torture.work.ClientPlan;
import io.lampone.torture.work.ClientStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The clients of a run. Thread-safe. */
final class ClientPool implements Clients {

  private final LabPlan plan;
  private final Hosts hosts;
  private final Path site;
  private final Path parts;
  private final Clock clock;
  private final List<ClientProcess> present = new ArrayList<>();
  private final List<ClientProcess> gone = new ArrayList<>();

  /**
   * @param site hbase-site.xml of the cluster
   * @param parts where they write what they do
   */
  ClientPool(LabPlan plan, Hosts hosts, Path site, Path parts, Clock clock) {
    this.plan = plan;
    this.hosts = hosts;
    this.site = site;
    this.parts = parts;
    this.clock = clock;
  }

  /** Starts all of them and waits until each is connected. */
  void start(Duration bound) throws IOException, InterruptedException {
    List<ClientProcess> started = new ArrayList<>();
    for (int i = 0; i < plan.size().clients(); i++) {
      started.add(launch(i));
    }
    for (ClientProcess client : started) {
      client.awaitReady(bound);
    }
  }

  @Override
  public int count() {
    return plan.size().clients();
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

  private synchronized ClientProcess launch(int index) throws IOException {
    int number = present.size() + gone.size();
    ClientPlan client =
        new ClientPlan(
            site,
            parts,
            number,
            plan.seed() * 1_000 + number,
            plan.size().threads(),
            plan.workloads());
    Path log = LabLogs.folder(plan.folder()).resolve("client-" + number + ".log");
    ClientProcess started =
        ClientProcess.start(
            client, hosts.prefix(host(index)), LabLogs.javaOption(plan.folder()), log, clock);
    if (index < present.size()) {
      gone.add(present.set(index, started));
    } else {
      present.add(started);
    }
    return started;
  }

  /** All together: counts since the start, the worst of the percentiles. */
  synchronized ClientStatus status() {
    ClientStatus sum = ClientStatus.NONE;
    for (ClientProcess client : gone) {
      sum = add(sum, client.status(), false);
    }
    for (ClientProcess client : present) {
      sum = add(sum, client.status(), true);
    }
    return sum;
  }

  private static ClientStatus add(ClientStatus sum, ClientStatus one, boolean lives) {
    return new ClientStatus(
        sum.ok() + one.ok(),
        sum.failed() + one.failed(),
        sum.unknown() + one.unknown(),
        lives ? Math.max(sum.p50Micros(), one.p50Micros()) : sum.p50Micros(),
        lives ? Math.max(sum.p99Micros(), one.p99Micros()) : sum.p99Micros());
  }

  /** Whether each client that is there has finished something since {@code before}. */
  synchronized List<ClientStatus> each() {
    return present.stream().map(ClientProcess::status).toList();
  }

  /**
   * Lets all of them end.
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
