package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.protocol.tm.ManagerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Check of the record in ZooKeeper and of the managers listed there and in the znodes. */
public final class ManagersCheck {

  private static final String RECORD = "record";
  private static final String MANAGER = "manager";
  private static final String START = "start one: 'lampone tm run', docs/operations/tm.md";

  private static final Predicate<String> LOOPBACK =
      Pattern.compile("(127\\.[0-9.]+|localhost|\\[?::1\\]?|\\[?0:0:0:0:0:0:0:1\\]?):[0-9]+")
          .asMatchPredicate();

  private ManagersCheck() {}

  /**
   * Manager that is registered or named by the record.
   *
   * @param address address of the request
   * @param role reported role; empty if it does not respond
   * @param leaseRemainingMillis rest of its lease; -1 if it is not the primary
   * @param draining whether it must not become or remain primary
   * @param clusterKey whether it has one; true if it does not respond
   * @param version version of its code; empty if unknown
   * @param problem reason for the lack of a reply; empty if there is one
   * @param permissive that authentication or TLS is being switched on, and which clients lack it;
   *     empty if all is required
   * @param clockComplaint reason for distrusting its clock; empty if it is trusted
   */
  public record Manager(
      String address,
      String role,
      long leaseRemainingMillis,
      boolean draining,
      boolean clusterKey,
      String version,
      String problem,
      String permissive,
      String clockComplaint) {

    Manager(
        String address,
        String role,
        long leaseRemainingMillis,
        boolean draining,
        boolean clusterKey,
        String version,
        String problem) {
      this(address, role, leaseRemainingMillis, draining, clusterKey, version, problem, "", "");
    }

    boolean leads() {
      return role.equals("primary");
    }

    boolean mayTakeOver() {
      return problem.isEmpty() && !leads() && !draining;
    }
  }

  /** Returns the finding for a record that cannot be read at all. */
  static Finding unreadable(String problem) {
    return fail(
        RECORD,
        "",
        "cannot be read: " + problem,
        "it was written by another version or another program: see lampone.zookeeper.parent and"
            + " the rights of its znode");
  }

  /**
   * Returns the finding for znodes that all users may change; empty if there are none.
   *
   * @param open their paths
   */
  static Optional<Finding> open(List<String> open, List<Manager> managers) {
    if (open.isEmpty()) {
      return Optional.empty();
    }
    boolean local =
        !managers.isEmpty() && managers.stream().map(Manager::address).allMatch(LOOPBACK::test);
    String found = "every client of ZooKeeper may change " + String.join(", ", open);
    return Optional.of(
        local
            ? ok(RECORD, "", found + "; the transaction managers listen to this machine only")
            : fail(
                RECORD,
                "",
                found,
                "set lampone.tm.zookeeper.acl.digest.file, or let the transaction managers log in"
                    + " by SASL, and restart them one after the other: they mend it"));
  }

  static List<Finding> judge(Optional<ManagerRecord> record, List<Manager> managers) {
    List<Finding> findings = new ArrayList<>();
    findings.add(
        record
            .map(
                known ->
                    known.released() || known.address().isEmpty()
                        ? fail(
                            RECORD, "", "no process holds the lease, epoch " + known.epoch(), START)
                        : ok(
                            RECORD,
                            "",
                            "epoch " + known.epoch() + ", primary at " + known.address()))
            .orElseGet(
                () ->
                    fail(
                        RECORD,
                        "",
                        "no transaction manager has ever run here",
                        START + "; or lampone.zookeeper.parent is another one here than there")));
    managers.forEach(each -> findings.add(one(each)));
    managers.stream()
        .filter(each -> !each.clusterKey())
        .forEach(each -> findings.add(withoutKey(each)));
    managers.stream()
        .filter(each -> !each.permissive().isEmpty())
        .forEach(
            each ->
                findings.add(
                    warn(
                        MANAGER,
                        each.address(),
                        each.permissive(),
                        "when no client is missing: remove lampone.tm.security.phase and"
                            + " lampone.tm.security.tls.phase, docs/operations/security.md")));
    managers.stream()
        .filter(each -> !each.clockComplaint().isEmpty())
        .forEach(
            each ->
                findings.add(
                    fail(
                        MANAGER,
                        each.address(),
                        "its clock is not believed: " + each.clockComplaint(),
                        "put the wrong clock right, see the lines about clocks; until then a backup"
                            + " takes no epoch, and a primary hands over")));
    if (managers.stream().noneMatch(Manager::leads)) {
      findings.add(fail(MANAGER, "", "no primary answers: nothing can begin or commit", START));
    } else if (managers.stream().filter(Manager::leads).count() < 2
        && managers.stream().noneMatch(Manager::mayTakeOver)) {
      findings.add(
          warn(
              MANAGER,
              "",
              "there is no backup: when the primary dies, no other takes over",
              "start a second one on another machine"));
    }
    TreeSet<String> versions = new TreeSet<>();
    managers.stream().map(Manager::version).filter(each -> !each.isEmpty()).forEach(versions::add);
    if (versions.size() > 1) {
      findings.add(
          warn(
              MANAGER,
              "",
              "they are of different versions: " + versions,
              "finish the upgrade: docs/operations/upgrade.md"));
    }
    return findings;
  }

  private static Finding withoutKey(Manager manager) {
    String found = "has no cluster key: any client may decide the transactions of others";
    return LOOPBACK.test(manager.address())
        ? ok(MANAGER, manager.address(), found + "; it listens to this machine only")
        : warn(
            MANAGER,
            manager.address(),
            found,
            "make one: 'lampone tm keys', docs/operations/security.md");
  }

  private static Finding one(Manager manager) {
    if (!manager.problem().isEmpty()) {
      return fail(
          MANAGER,
          manager.address(),
          "does not answer: " + manager.problem(),
          "is the address one that can be reached from here (lampone.tm.advertised.host)? do the"
              + " secrets fit (docs/operations/security.md)?");
    }
    if (!manager.leads() && manager.draining()) {
      return warn(
          MANAGER,
          manager.address(),
          manager.role() + ", drained: it does not take over",
          "start it anew when it is to be a backup again, or stop it: docs/operations/tm.md");
    }
    if (!manager.leads()) {
      return ok(MANAGER, manager.address(), manager.role());
    }
    return manager.leaseRemainingMillis() > 0
        ? ok(
            MANAGER,
            manager.address(),
            "primary, lease for " + manager.leaseRemainingMillis() + " ms")
        : fail(
            MANAGER,
            manager.address(),
            "primary without a lease: it refuses all requests",
            "it could not renew: look at ZooKeeper and at its log");
  }
}
