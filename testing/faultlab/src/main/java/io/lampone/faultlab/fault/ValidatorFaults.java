package io.lampone.faultlab.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cluster.ClusterMember;
import io.lampone.cluster.LocalCluster.Signal;
import io.lampone.cluster.MemberRole;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The faults of validators, and their shares of the buckets. */
final class ValidatorFaults {

  private static final String PRIMARY = "primary";

  /** Covers a takeover, and the start of a process on a machine that much else uses. */
  private static final Duration BOUND = Duration.ofSeconds(90);

  private static final long PAUSE_MILLIS = 300;

  private final Machines machines;
  private final PrimaryLocator primary;
  private final Clock clock;

  /** By validator, and their sum over all processes; guarded by this. */
  private final Map<String, Long> lastVotes = new HashMap<>();

  private long votes;

  ValidatorFaults(Machines machines, PrimaryLocator primary, Clock clock) {
    this.machines = machines;
    this.primary = primary;
    this.clock = clock;
  }

  /** Returns the names of all validators. */
  List<String> names() throws InterruptedException {
    return members().stream().map(ClusterMember::name).toList();
  }

  private List<ClusterMember> members() throws InterruptedException {
    return machines.members().stream()
        .filter(member -> member.role() == MemberRole.VALIDATOR)
        .toList();
  }

  /** Kills one that has a share. */
  Fault kill(String target) {
    return Fault.of(
        target,
        () -> {
          add(List.of(target));
          machines.kill(target);
        },
        () -> {
          machines.ensureRunning(target);
          add(List.of(target));
        });
  }

  /** Pauses one that has a share until another owner has it. */
  Fault pause(String target) {
    return Fault.of(
        target,
        () -> {
          add(List.of(target));
          machines.signal(target, Signal.STOP);
        },
        () -> {
          boolean replaced = isReplaced(target);
          machines.ensureRunning(target);
          add(List.of(target));
          if (!replaced) {
            throw new FaultNotAppliedException("the primary did not replace it");
          }
        });
  }

  /** Returns true if the primary of now gives it no buckets, or there is none. */
  private boolean isReplaced(String name) throws InterruptedException {
    try {
      return shares().getOrDefault(name, 0) == 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Moves some buckets of one owner to another. */
  void moveBuckets(int choice) throws IOException, InterruptedException {
    add(running());
    Map<String, Integer> shares = shares();
    List<String> givers = new ArrayList<>(shares.keySet());
    givers.removeIf(name -> shares.getOrDefault(name, 0) == 0);
    String from = givers.get(choice % givers.size());
    List<String> takers = new ArrayList<>(shares.keySet());
    takers.remove(from);
    if (takers.isEmpty()) {
      throw new FaultNotAppliedException("there is one owner only");
    }
    String to = takers.get(choice / givers.size() % takers.size());
    int count = 1 + choice / 64 % shares.getOrDefault(from, 1);
    primary.ask("validator-move", "from=" + from + " to=" + to + " buckets=" + count);
  }

  /**
   * Gives those their share that have none.
   *
   * @throws IOException if that is impossible for a long time
   */
  void add(List<String> names) throws IOException, InterruptedException {
    long deadline = clock.monotonicNanos() + BOUND.toNanos();
    while (true) {
      try {
        addOnce(names);
        return;
      } catch (IOException e) {
        if (clock.monotonicNanos() - deadline >= 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }

  /** Same for all that run, as an operator would; later if it is impossible now. */
  void addIdle() throws InterruptedException {
    try {
      addOnce(running());
    } catch (IOException ignored) {
      // A fault is in the way.
    }
  }

  private void addOnce(List<String> names) throws IOException, InterruptedException {
    Map<String, Integer> shares = names.isEmpty() ? Map.of() : shares();
    for (String name : names) {
      if (shares.getOrDefault(name, 0) == 0) {
        primary.ask("validator-add", "validator=" + name);
      }
    }
  }

  private List<String> running() throws InterruptedException {
    return members().stream()
        .filter(member -> member.state() == ClusterMember.State.RUNNING)
        .map(ClusterMember::name)
        .toList();
  }

  /** Returns how many buckets each owner has, also those that have none any more. */
  private Map<String, Integer> shares() throws IOException, InterruptedException {
    JsonNode seen = new ObjectMapper().readTree(primary.ask("validators", ""));
    Map<String, Integer> shares = new TreeMap<>();
    shares.put(PRIMARY, seen.path("bucketsOfPrimary").asInt());
    for (JsonNode each : seen.path("validators")) {
      String name = each.path("name").asText();
      shares.merge(name, each.path("buckets").asInt(), Integer::sum);
      count(name, each.path("votes").asLong());
    }
    return shares;
  }

  /** A count that has fallen began again at zero, with its process. */
  private synchronized void count(String name, long seen) {
    long before = lastVotes.getOrDefault(name, seen);
    votes += seen < before ? seen : seen - before;
    lastVotes.put(name, seen);
  }

  /** Returns the votes that have been seen; those between two looks at a killed one are missing. */
  synchronized long votes() {
    return votes;
  }
}
