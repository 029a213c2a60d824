package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.cli.CommandException;
import io.lampone.cli.check.ClocksCheck.Skew;
import io.lampone.cli.check.ManagersCheck.Manager;
import io.lampone.cli.manager.ValidatorsReport;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.zookeeper.KeeperException;

/**
 * Runs all checks in turn. An unreachable server is a finding too and does not stop the other
 * checks. Changes nothing except for a temporary znode.
 */
public final class ClusterCheck {

  private static final String ZOOKEEPER = "zookeeper";
  private static final String MANAGER = "manager";
  private static final String CLOCK = "clock";
  private static final long MANAGER_SECONDS = 15;

  private final Target target;
  private final Clock clock;
  private final List<Finding> findings = new ArrayList<>();
  private final List<Skew> clocks = new ArrayList<>();

  /**
   * Target of a check.
   *
   * @param configuration how to reach HBase
   * @param quorum ZooKeeper's servers
   * @param parent the znode of the transaction managers
   * @param managerClient how to reach them
   * @param settingsProblems problems of the settings, which are read elsewhere
   */
  public record Target(
      Configuration configuration,
      String quorum,
      String parent,
      TransactionManagerClientConfig managerClient,
      List<String> settingsProblems) {}

  /** Query of the transaction managers, made after ZooKeeper has responded. */
  @FunctionalInterface
  public interface ManagerQuestion {
    List<Manager> ask() throws IOException, InterruptedException;

    /** Returns the primary's report on validators; empty if there is none. */
    default Optional<ValidatorsReport> validators() throws IOException, InterruptedException {
      return Optional.empty();
    }
  }

  /** Receiver of the progress. */
  @FunctionalInterface
  public interface Steps {
    /**
     * Receives a step.
     *
     * @param done those of {@code total} servers that have been asked
     */
    void at(String step, int done, int total);
  }

  public ClusterCheck(Target target, Clock clock) {
    this.target = target;
    this.clock = clock;
  }

  /**
   * Runs the checks and returns the findings, in the order in which they should be corrected.
   *
   * @param steps receives each step before it begins
   */
  public List<Finding> run(ManagerQuestion managers, Steps steps) throws InterruptedException {
    settings();
    steps.at("managers", 0, 1);
    if (zooKeeper(managers)) {
      hbase(steps);
      findings.addAll(ClocksCheck.judge(clocks));
    }
    return List.copyOf(findings);
  }

  /** Returns the findings about the region servers only. */
  public static List<Finding> ofServers(Configuration configuration, Clock clock)
      throws IOException {
    try (HBaseProbe probe = HBaseProbe.connect(configuration, clock)) {
      return ServersCheck.judge(probe.servers((step, done, total) -> {}));
    }
  }

  /** Returns the findings about the descriptors of tables; of plain tables there are none. */
  public static List<Finding> ofTables(List<TableDescriptor> tables) {
    return TablesCheck.judge(tables, Map.of(), 0);
  }

  private void settings() {
    if (target.settingsProblems().isEmpty()) {
      findings.add(ok("settings", "", "every property is known, and has a usable value"));
    }
    for (String problem : target.settingsProblems()) {
      findings.add(fail("settings", "", problem, "docs/operations/properties.md lists them"));
    }
  }

  private boolean zooKeeper(ManagerQuestion managers) throws InterruptedException {
    try {
      Optional<ZooKeeperProbe> connected = ZooKeeperProbe.connect(target.quorum(), clock);
      if (connected.isEmpty()) {
        findings.add(
            fail(
                ZOOKEEPER,
                target.quorum(),
                "does not answer",
                "is it running? --zookeeper HOST:PORT or --config FILE say where"));
        return false;
      }
      try (ZooKeeperProbe probe = connected.get()) {
        findings.add(ok(ZOOKEEPER, target.quorum(), "answers"));
        managers(probe, managers);
        zooKeeperClock(probe);
      }
      return true;
    } catch (IOException e) {
      findings.add(
          fail(ZOOKEEPER, target.quorum(), "cannot be asked: " + e, "correct the address"));
      return false;
    }
  }

  private void managers(ZooKeeperProbe probe, ManagerQuestion question)
      throws InterruptedException {
    Optional<ManagerRecord> record;
    try {
      record = probe.record(target.parent());
    } catch (KeeperException | MalformedException e) {
      findings.add(ManagersCheck.unreadable(String.valueOf(e.getMessage())));
      return;
    }
    List<Manager> managers;
    try {
      managers = question.ask();
    } catch (CommandException e) {
      findings.add(fail(MANAGER, "", "cannot be asked: " + e.getMessage(), e.advice()));
      return;
    } catch (IOException | RuntimeException e) {
      findings.add(ManagersCheck.unreadable(String.valueOf(e.getMessage())));
      return;
    }
    findings.addAll(ManagersCheck.judge(record, managers));
    try {
      ManagersCheck.open(probe.open(target.parent()), managers).ifPresent(findings::add);
    } catch (KeeperException e) {
      findings.add(
          warn(ZOOKEEPER, target.parent(), "its ACL cannot be read: " + e.getMessage(), ""));
    }
    if (managers.stream().anyMatch(Manager::leads)) {
      begin();
      validators(question);
    }
  }

  private void validators(ManagerQuestion question) throws InterruptedException {
    try {
      question
          .validators()
          .map(each -> ValidatorsCheck.judge(each, Instant.ofEpochMilli(clock.wallMillis())))
          .ifPresent(findings::addAll);
    } catch (IOException | RuntimeException e) {
      findings.add(warn("validator", "", "the primary cannot be asked for them: " + e, ""));
    }
  }

  /** Begins a transaction as every client does: the answer includes the manager's time. */
  private void begin() throws InterruptedException {
    try (TransactionManagerClient client =
        TransactionManagerClient.connect(
            target.managerClient(), target.quorum(), target.parent())) {
      // The first request connects; its duration would be mistaken for clock skew.
      client.begin().get(MANAGER_SECONDS, TimeUnit.SECONDS);
      long asked = clock.wallMillis();
      long start = client.begin().get(MANAGER_SECONDS, TimeUnit.SECONDS).startTimestamp();
      long came = clock.wallMillis();
      clocks.add(
          0,
          Skew.between(
              "the transaction manager", asked, Timestamps.toInstant(start).toEpochMilli(), came));
      findings.add(ok(MANAGER, "", "gives timestamps to this client"));
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      findings.add(
          fail(
              MANAGER,
              "",
              "gives no timestamp to this client: " + e.getMessage(),
              "do the secrets fit (docs/operations/security.md)? is the port open?"));
    }
  }

  private void zooKeeperClock(ZooKeeperProbe probe) throws InterruptedException {
    try {
      clocks.add(probe.skew(target.parent()));
    } catch (KeeperException.NoNodeException e) {
      findings.add(
          warn(
              CLOCK,
              "ZooKeeper",
              "cannot be read: there is no znode " + target.parent(),
              "the first transaction manager makes it; or correct lampone.zookeeper.parent"));
    } catch (KeeperException e) {
      findings.add(
          warn(
              CLOCK,
              "ZooKeeper",
              "cannot be read: " + e.getMessage(),
              "it takes a znode below "
                  + target.parent()
                  + ", which this user may not make; the transaction managers' user may"));
    }
  }

  private void hbase(Steps steps) {
    try (HBaseProbe probe = HBaseProbe.connect(target.configuration(), clock)) {
      findings.addAll(ServersCheck.judge(probe.servers(steps)));
      clocks.addAll(probe.clocks());
      HBaseProbe.Tables tables = probe.tables();
      findings.addAll(TablesCheck.judge(tables.shown(), probe.misplaced(steps), tables.hidden()));
      findings.addAll(PermissionsCheck.judge(probe.permissions()));
    } catch (IOException | RuntimeException e) {
      findings.add(
          fail(
              "hbase",
              "",
              "does not answer: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
              "is the master running, and may this user use HBase?"));
    }
  }
}
