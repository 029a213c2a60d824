package io.lampone.faultlab.fault;

import io.lampone.cluster.MemberRole;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Fault that can be injected into a cluster. */
public enum FaultKind {
  /** SIGKILL of a server; started again later. */
  KILL("kill", Track.SERVERS, 1_000, 4_000),
  /** SIGKILL of two servers at once, of one role or of two; started again later. */
  KILL_TWO("kill-two", Track.SERVERS, 1_000, 4_000),
  /** SIGSTOP for longer than leases and sessions live, then SIGCONT. */
  PAUSE("pause", Track.SERVERS, 4_000, 8_000),
  /** Loss of all traffic between a server and all others, or some of them. */
  PARTITION("partition", Track.SERVERS, 3_000, 8_000),
  /** The same in one direction only. */
  ONE_WAY("one-way", Track.SERVERS, 3_000, 8_000),
  /** The wall clock of a server jumps, and runs wrong until it is healed. */
  CLOCK("clock", Track.SERVERS, 3_000, 8_000),
  /** Transaction managers or region servers are restarted, one after the other. */
  ROLLING("rolling", Track.SERVERS, 0, 0),
  /** A planned hand-over of the transaction manager. */
  HAND_OVER("hand-over", Track.SERVERS, 0, 0),
  /** A region moves to another server. */
  MOVE("move", Track.REGIONS, 0, 0),
  /** A region is split. */
  SPLIT("split", Track.REGIONS, 0, 0),
  /** Two neighbours are merged. */
  MERGE("merge", Track.REGIONS, 0, 0),
  /** All tables are flushed. */
  FLUSH("flush", Track.REGIONS, 0, 0),
  /** All tables are compacted, down to one file. */
  COMPACT("compact", Track.REGIONS, 0, 0),
  /** SIGKILL of a client; another one replaces it. */
  CLIENT_KILL("client-kill", Track.CLIENTS, 0, 0),
  /** SIGSTOP of a client for longer than leases and sessions live, then SIGCONT. */
  CLIENT_PAUSE("client-pause", Track.CLIENTS, 3_000, 8_000),
  /** A client that is not trusted forges requests in the names of others. */
  HOSTILE("hostile", Track.CLIENTS, 3_000, 6_000),
  /** Delays each sync and each write of a server. */
  SLOW_DISK("slow-disk", Track.SERVERS, 3_000, 8_000),
  /** A server cannot write to files any more. */
  FULL_DISK("full-disk", Track.SERVERS, 3_000, 8_000),
  /** SIGKILL, and loss of all writes that a ZooKeeper server had not synced. */
  POWER_CUT("power-cut", Track.SERVERS, 1_000, 4_000),
  /** SIGKILL of a validator; started again later, and added again. */
  VALIDATOR_KILL("validator-kill", Track.VALIDATORS, 1_000, 4_000),
  /** SIGSTOP of a validator until the primary has replaced it, then SIGCONT; added again. */
  VALIDATOR_PAUSE("validator-pause", Track.VALIDATORS, 3_000, 6_000),
  /** Some buckets move from one owner to another. */
  BUCKET_MOVE("bucket-move", Track.VALIDATORS, 0, 0);

  private final String label;
  private final Track track;
  private final int shortestMillis;
  private final int longestMillis;

  FaultKind(String label, Track track, int shortestMillis, int longestMillis) {
    this.label = label;
    this.track = track;
    this.shortestMillis = shortestMillis;
    this.longestMillis = longestMillis;
  }

  /** Faults of one track follow each other; those of different tracks happen at the same time. */
  public enum Track {
    SERVERS(5_000, 5_000, 9_000),
    REGIONS(4_000, 1_500, 4_500),
    CLIENTS(8_000, 8_000, 15_000),
    VALIDATORS(4_000, 2_000, 5_000);

    private final int firstMillis;
    private final int shortestGapMillis;
    private final int longestGapMillis;

    Track(int firstMillis, int shortestGapMillis, int longestGapMillis) {
      this.firstMillis = firstMillis;
      this.shortestGapMillis = shortestGapMillis;
      this.longestGapMillis = longestGapMillis;
    }

    /** Before its first fault. */
    int firstMillis() {
      return firstMillis;
    }

    int shortestGapMillis() {
      return shortestGapMillis;
    }

    int longestGapMillis() {
      return longestGapMillis;
    }
  }

  /** Returns the kinds of {@code all}. */
  public static List<FaultKind> usual(boolean validators) {
    return Arrays.stream(values()).filter(kind -> validators || !kind.needsValidators()).toList();
  }

  /** As a person writes it. */
  public String label() {
    return label;
  }

  /** Returns the track of its targets. */
  public Track track() {
    return track;
  }

  int shortestMillis() {
    return shortestMillis;
  }

  int longestMillis() {
    return longestMillis;
  }

  /** Returns true if it needs validators besides the primary. */
  public boolean needsValidators() {
    return track == Track.VALIDATORS;
  }

  /** Returns true if it needs hosts with separate networks. */
  public boolean needsNetwork() {
    return this == PARTITION || this == ONE_WAY;
  }

  /** Returns true if it needs {@link LibcFaults}. */
  public boolean needsSabotage() {
    return this == CLOCK || this == POWER_CUT || meetsDisks();
  }

  /** Returns true if it affects only processes that write to files. */
  boolean meetsDisks() {
    return this == SLOW_DISK || this == FULL_DISK;
  }

  /**
   * Returns true if servers of this role may end by themselves because it met one of {@code met}.
   * The end of one that it kills is no such end.
   */
  boolean ends(MemberRole role, MemberRole met) {
    boolean isNeeded =
        switch (met) {
          case ZOOKEEPER -> true;
          case MASTER -> role == MemberRole.REGION_SERVER;
          case REGION_SERVER -> role == MemberRole.MASTER;
          case MANAGER -> role == MemberRole.VALIDATOR;
          case VALIDATOR -> false;
        };
    return switch (this) {
      case MOVE, SPLIT, MERGE, FLUSH, COMPACT, CLIENT_KILL, CLIENT_PAUSE, HOSTILE, BUCKET_MOVE ->
          false;
      case KILL, KILL_TWO, VALIDATOR_KILL, POWER_CUT, ROLLING -> isNeeded;
      case PAUSE, PARTITION, ONE_WAY, CLOCK, HAND_OVER, SLOW_DISK, FULL_DISK, VALIDATOR_PAUSE ->
          isNeeded || role == met;
    };
  }

  /** Returns why a fault of this kind that lasted so long does not count; empty if it does. */
  String shortfall(long lastedMillis) {
    return lastedMillis < shortestMillis
        ? "the end came after " + lastedMillis + " of " + shortestMillis + " ms"
        : "";
  }

  /** The one of this label. */
  public static Optional<FaultKind> of(String label) {
    return Arrays.stream(values()).filter(kind -> kind.label.equals(label)).findFirst();
  }

  @Override
  public String toString() {
    return label;
  }
}
