package io.lampone.cluster;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A cluster of processes on this machine. Its folder lists the running processes, so that another
 * process can open it later, inspect it, inject faults and stop it.
 *
 * <p>Signals go only to processes that the cluster has started itself: a process id is trusted only
 * together with the time at which the process began. Not thread-safe.
 */
public final class LocalCluster {

  private static final Duration POLL = Duration.ofMillis(50);

  /** A process to which no signal can be sent is gone by then. */
  private static final Duration SIGNALLED = Duration.ofSeconds(5);

  /** Time within which a signal takes effect, even if threads wait for a processor. */
  private static final Duration OBEYED = Duration.ofSeconds(30);

  private ClusterPlan plan;
  private final ClusterFile file;
  private final Map<String, ClusterMember> members;
  private MemberFiles files;
  private final Hosts hosts;
  private final Clock clock;

  private LocalCluster(
      ClusterPlan plan, Map<String, ClusterMember> members, Hosts hosts, Clock clock) {
    this.plan = plan;
    this.file = new ClusterFile(plan.folder());
    this.members = new LinkedHashMap<>(members);
    this.files = new MemberFiles(plan, members.values());
    this.hosts = hosts;
    this.clock = clock;
  }

  /**
   * Creates a cluster in an empty or absent folder; nothing is started.
   *
   * @throws ClusterException if the folder holds something else, or cannot be written
   */
  public static LocalCluster create(ClusterPlan plan, Clock clock, Random random) {
    return create(plan, Hosts.loopback(), clock, random);
  }

  /**
   * Same as {@link #create(ClusterPlan, Clock, Random)}, each member on a separate host. Such a
   * cluster cannot be opened by another process.
   */
  public static LocalCluster create(ClusterPlan plan, Hosts hosts, Clock clock, Random random) {
    requireEmpty(plan.folder());
    Ports ports = new Ports(random);
    Map<String, ClusterMember> members = new LinkedHashMap<>();
    for (MemberRole role : MemberRole.values()) {
      for (int i = 1; i <= plan.count(role); i++) {
        String name = role.prefix() + i;
        ClusterMember member = new ClusterMember(name, role, hosts.address(name), ports.next());
        members.put(member.name(), member);
      }
    }
    LocalCluster cluster = new LocalCluster(plan, members, hosts, clock);
    cluster.files.write();
    cluster.file.write(plan, members);
    return cluster;
  }

  /**
   * Opens the cluster of a folder, running or not.
   *
   * @throws ClusterException if there is none
   */
  public static LocalCluster open(Path folder, Clock clock) {
    ClusterFile file = new ClusterFile(folder.toAbsolutePath().normalize());
    return new LocalCluster(file.readPlan(), file.readMembers(), Hosts.loopback(), clock);
  }

  /** Returns true if a folder holds a cluster. */
  public static boolean exists(Path folder) {
    return new ClusterFile(folder).exists();
  }

  /**
   * Refuses settings other than those it was created with, which its processes already use.
   *
   * @return itself
   * @throws ClusterException if there is one that it does not have
   */
  public LocalCluster requireSettings(Map<String, String> given) {
    Map<String, String> others = new TreeMap<>(given);
    others.entrySet().removeAll(plan.settings().entrySet());
    if (!others.isEmpty()) {
      throw new ClusterException(
          "settings are given with the first start, and this cluster does not have these: "
              + others
              + "; start it without them, or make one in another folder (--data), folder="
              + plan.folder());
    }
    return this;
  }

  /** Returns the plan. */
  public ClusterPlan plan() {
    return plan;
  }

  /** All members, in the order in which they are started. */
  public List<ClusterMember> members() {
    return List.copyOf(members.values());
  }

  /**
   * The member of this name.
   *
   * @throws ClusterException if there is none
   */
  public ClusterMember member(String name) {
    ClusterMember found = members.get(name);
    if (found == null) {
      throw new ClusterException("no such member, name=" + name + " members=" + members.keySet());
    }
    return found;
  }

  /** An hbase-site.xml for clients. */
  public Path clientSite() {
    return files.clientSite();
  }

  /** ZooKeeper's servers, {@code host:port} with commas between them. */
  public String quorum() {
    return files.quorum();
  }

  /** Returns the file of a member's output. */
  public Path log(String name) {
    return files.log(member(name));
  }

  /**
   * Changes settings: members started from now on use these in place of others of the same name;
   * running members keep theirs.
   */
  public void configure(Map<String, String> changed) {
    plan = plan.with(changed);
    files = new MemberFiles(plan, members.values());
    files.write();
    file.write(plan, members);
  }

  /** Starts every member that does not run. */
  public void startAll() {
    members.keySet().stream().toList().stream()
        .filter(name -> member(name).process().isEmpty())
        .forEach(this::start);
  }

  /**
   * Starts a member that does not run.
   *
   * @throws ClusterException if it does
   */
  public void start(String name) {
    start(name, System.getProperty("java.class.path"));
  }

  /**
   * Starts a member that does not run, with the given jars instead of this process's: another
   * version, or one of them missing.
   *
   * @param classPath in Java's format, without the member's settings
   * @throws ClusterException if it does run
   */
  public void start(String name, String classPath) {
    ClusterMember before = member(name);
    ClusterMember started = new Launcher(files, hosts).start(before, classPath);
    members.put(name, started);
    try {
      file.write(plan, members);
    } catch (ClusterException e) {
      // An unrecorded process could not be found again.
      started.process().ifPresent(ProcessHandle::destroyForcibly);
      members.put(name, before);
      throw e;
    }
  }

  /**
   * Waits until all live region servers have registered and, if a manager is alive, one is the
   * primary.
   *
   * @param progress receives each step
   * @throws ClusterException if it takes longer than {@code bound}
   */
  public void awaitUsable(Duration bound, Consumer<String> progress) throws InterruptedException {
    int regionServers = alive(MemberRole.REGION_SERVER);
    new Readiness(plan, files, clock, progress)
        .await(regionServers, alive(MemberRole.MANAGER) > 0, bound);
  }

  /**
   * Requires that no member has ended by itself: one of two transaction managers is enough for
   * work, but is not the cluster that was requested.
   *
   * @throws ClusterException if there is one; names its log
   */
  public void requireAllAlive() {
    for (ClusterMember member : members.values()) {
      if (member.state() == ClusterMember.State.DEAD) {
        throw new ClusterException(
            "a process has ended right after its start; its log says why, and when that is put"
                + " right a second start starts it again, name="
                + member.name()
                + " log="
                + files.log(member));
      }
    }
  }

  /**
   * Sends a signal to a member. A member that has ended is ignored. A member to be paused has
   * stopped when this returns: the signal takes effect only once its threads get a processor.
   *
   * @throws ClusterException if it does not run, or does not obey
   */
  public void signal(String name, Signal signal) throws InterruptedException {
    ClusterMember member = member(name);
    ProcessHandle process =
        member.process().orElseThrow(() -> new ClusterException("it does not run, name=" + name));
    send(member, process, signal);
    if (signal == Signal.STOP
        && !await(() -> member.state() != ClusterMember.State.RUNNING, OBEYED)) {
      throw new ClusterException("it does not stand still after the signal, name=" + name);
    }
  }

  private void send(ClusterMember member, ProcessHandle process, Signal signal)
      throws InterruptedException {
    String name = member.name();
    try {
      int code =
          new ProcessBuilder("kill", "-" + signal.name(), Long.toString(process.pid()))
              .inheritIO()
              .start()
              .waitFor();
      if (code != 0 && !awaitGone(List.of(member), SIGNALLED).isEmpty()) {
        throw new ClusterException("the signal could not be sent, name=" + name);
      }
    } catch (IOException e) {
      throw new ClusterException("the signal could not be sent, name=" + name, e);
    }
  }

  /** Terminates a member and waits until it is gone; kills it if that takes too long. */
  public void stop(String name, Duration grace) throws InterruptedException {
    ClusterMember member = member(name);
    if (member.process().isPresent()) {
      signalIfAlive(member, Signal.CONT);
      signalIfAlive(member, Signal.TERM);
      if (!awaitGone(List.of(member), grace).isEmpty()) {
        kill(name);
      }
    }
  }

  /** Kills a member and waits until it is gone. */
  public void kill(String name) throws InterruptedException {
    ClusterMember member = member(name);
    if (member.process().isPresent()) {
      signalIfAlive(member, Signal.KILL);
      awaitGone(List.of(member), Duration.ofSeconds(10));
    }
  }

  /**
   * Stops all members: transaction managers, region servers, masters, ZooKeeper, role by role. A
   * member that does not end in time is killed.
   *
   * @return the names of those that had to be killed
   */
  public List<String> stopAll(Duration graceForEachRole) throws InterruptedException {
    List<String> killed = new ArrayList<>();
    List<MemberRole> roles = new ArrayList<>(List.of(MemberRole.values()));
    Collections.reverse(roles);
    for (MemberRole role : roles) {
      List<ClusterMember> running =
          members.values().stream()
              .filter(member -> member.role() == role && member.process().isPresent())
              .toList();
      for (ClusterMember member : running) {
        // A paused process would not react to the signal.
        signalIfAlive(member, Signal.CONT);
        signalIfAlive(member, Signal.TERM);
      }
      for (ClusterMember late : awaitGone(running, graceForEachRole)) {
        killed.add(late.name());
        kill(late.name());
      }
    }
    return killed;
  }

  /** Signals a member unless it has ended, which it may by itself at any time. */
  private void signalIfAlive(ClusterMember member, Signal signal) throws InterruptedException {
    Optional<ProcessHandle> process = member.process();
    if (process.isPresent()) {
      send(member, process.get(), signal);
    }
  }

  /** Those that are still there when the time is up. */
  private List<ClusterMember> awaitGone(List<ClusterMember> leaving, Duration bound)
      throws InterruptedException {
    if (await(() -> leaving.stream().noneMatch(each -> each.process().isPresent()), bound)) {
      return List.of();
    }
    return leaving.stream().filter(each -> each.process().isPresent()).toList();
  }

  /** Returns true if the condition came true in time. */
  private boolean await(BooleanSupplier condition, Duration bound) throws InterruptedException {
    long deadline = clock.monotonicNanos() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      if (clock.monotonicNanos() - deadline >= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }
    return true;
  }

  private int alive(MemberRole role) {
    return (int)
        members.values().stream()
            .filter(member -> member.role() == role && member.process().isPresent())
            .count();
  }

  /**
   * Refuses a folder that is not empty.
   *
   * @throws ClusterException if it is not empty, or cannot be read
   */
  public static void requireEmpty(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      Optional<Path> any = entries.filter(entry -> !entry.endsWith(ClusterLock.NAME)).findAny();
      if (any.isPresent()) {
        throw new ClusterException(
            "the folder is not empty; choose another one, or remove it, folder=" + folder);
      }
    } catch (IOException e) {
      throw new ClusterException("not a folder that can be read, folder=" + folder, e);
    }
  }

  /** Signal to a process. */
  public enum Signal {
    /** Requests termination. */
    TERM,
    /** Kills the process. */
    KILL,
    /** Pauses the process. */
    STOP,
    /** Resumes the process. */
    CONT
  }
}
