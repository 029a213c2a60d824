package io.lampone.tm;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.Member;
import io.lampone.tm.command.HandOverCommands;
import io.lampone.tm.core.ClockJudgment;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.oracle.WallReading;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process on the list of members. Each time that it is written there the node's clock is
 * compared with ZooKeeper's, which has dated the write, and with those of the other members, which
 * wrote what their clocks said. A primary whose clock is ahead hands over.
 */
final class Membership {

  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

  private final ManagerNode node;
  private final Members members;
  private final Member me;
  private final HandOverCommands handOvers;
  private final Executor loop;
  private final Clock clock;
  private final long limitMillis;
  private final RareLine complaints;
  private final RareLine reliefs;
  private final CompletableFuture<Void> listed = new CompletableFuture<>();

  /** For gauges. */
  private volatile long clockAheadMillis;

  /**
   * Begins with nothing.
   *
   * @param loop the node's
   * @param limit an answer that took longer tells no time
   */
  Membership(
      ManagerNode node,
      Members members,
      Member me,
      HandOverCommands handOvers,
      Executor loop,
      Clock clock,
      Duration limit) {
    this.node = node;
    this.members = members;
    this.me = me;
    this.handOvers = handOvers;
    this.loop = loop;
    this.clock = clock;
    this.limitMillis = limit.toMillis();
    this.complaints = new RareLine(clock);
    this.reliefs = new RareLine(clock);
  }

  /** Returns the entry of this process. */
  static Member member(String holder, String address, Clock clock) {
    String version = Membership.class.getPackage().getImplementationVersion();
    return new Member(
        holder, address, clock.wallMillis(), Objects.requireNonNullElse(version, "development"));
  }

  /** Completes when this process is on the list, and its clock was compared if it could be. */
  CompletableFuture<Void> whenListed() {
    return listed.copy();
  }

  /** Returns how far the wall clock is ahead of the others'. Any thread. */
  long clockAheadMillis() {
    return clockAheadMillis;
  }

  /** To be called again and again, on the loop: a lost session takes it off. */
  void join() {
    WallReading sent = WallReading.of(clock);
    members
        .join(me.at(sent.wallMillis()))
        .thenCompose(written -> clocks(written, sent))
        .whenCompleteAsync(
            (comparison, failure) -> {
              if (failure == null) {
                comparison.ifPresent(this::compare);
                listed.complete(null);
              } else {
                LOG.debug("not on the list of members, holder={}", me.holder(), failure);
              }
            },
            loop);
  }

  /** Takes this process off the list. */
  void leave() {
    members.leave(me);
  }

  /** Lead of a reading over ZooKeeper's clock and over each of the other members', in ms. */
  private record Comparison(WallReading sent, long aheadOfStore, List<Long> aheadOfMembers) {}

  /** Returns the comparison with the clocks of others; empty if ZooKeeper's is unknown. */
  private CompletableFuture<Optional<Comparison>> clocks(OptionalLong written, WallReading sent) {
    long tookMillis = sent.tookMillis(WallReading.of(clock));
    if (written.isEmpty() || tookMillis > limitMillis) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    // It was written between the two: whatever speaks for this clock is assumed.
    long least = sent.wallMillis() - written.getAsLong();
    long ahead = least > 0 ? least : Math.min(0, least + tookMillis);
    return members
        .clocksOfOthers(me)
        .exceptionally(failure -> List.of())
        .thenApply(
            others ->
                Optional.of(
                    new Comparison(
                        sent, ahead, others.stream().map(other -> ahead - other).toList())));
  }

  private void compare(Comparison comparison) {
    node.clockCompared(comparison.sent(), comparison.aheadOfStore(), comparison.aheadOfMembers());
    ClockJudgment judgment = node.trust().wall();
    clockAheadMillis = judgment.aheadMillis();
    if (!node.vitals().clockComplaint().isEmpty()) {
      complaints
          .happened()
          .ifPresent(
              times ->
                  LOG.warn(
                      "{}: a backup takes no epoch, and a primary hands over if it can; put the"
                          + " clock right, or ZooKeeper's if that is wrong"
                          + " (lampone.tm.clock.ahead.limit=0ms does without), times={}",
                      node.vitals().clockComplaint(),
                      times));
    } else if (judgment.finding() == ClockJudgment.Finding.BEHIND) {
      complaints
          .happened()
          .ifPresent(
              times ->
                  LOG.warn(
                      "the clock is behind the others': timestamps go on, put it right,"
                          + " aheadMillis={} witnesses={} times={}",
                      judgment.aheadMillis(),
                      judgment.witnesses(),
                      times));
    }
    if (node.leading().isPresent()
        && node.trust().wantsRelief()
        && reliefs.happened().isPresent()) {
      handOvers
          .handOver(Optional.empty())
          .whenComplete(
              (report, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "not handed over though the clock is wrong: this primary goes on by its"
                          + " monotonic clock, cause={}",
                      failure.toString());
                }
              });
    }
  }
}
