package io.lampone.tm.core.validation;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.wire.Transfer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of what the last primary gave to the registered validators, after an unplanned change of
 * the primary. Asks each validator until it has answered once, and the registry again and again: a
 * validator whose session ended comes back to it later. Ends after a while: a share that was lost
 * long ago must not return. Not thread-safe.
 */
public final class ShareReports {

  private static final Logger LOG = LoggerFactory.getLogger(ShareReports.class);

  private static final Duration INTERVAL = Duration.ofSeconds(3);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** The primary's side. */
  public interface Owner {

    /** Returns the registered validators; completes on the thread of the node. */
    CompletableFuture<List<Member>> registered();

    /** Returns the first answer of a validator; completes on the thread of the node. */
    CompletableFuture<Transfer.Reply.Voting> answer(String address);

    /** Gives a validator again what it reports; throws if that is impossible at the moment. */
    void adopt(String address, Transfer.Reply.Voting voting);
  }

  private final Owner owner;
  private final RareLine failures;

  /** Addresses of which an answer is awaited or has been adopted. */
  private final Set<String> asked = new HashSet<>();

  /** Reports that could not be adopted yet, by address. */
  private final Map<String, Transfer.Reply.Voting> kept = new HashMap<>();

  private boolean begun;
  private long begunNanos;
  private boolean ended;
  private long listedNanos;

  public ShareReports(Owner owner, Clock clock) {
    this.owner = owner;
    this.failures = new RareLine(clock);
  }

  /** Asks if that is due; a map that was inherited in a hand-over needs no reports. */
  public void tick(long now, BucketMap map) {
    boolean due = !begun || now - listedNanos >= INTERVAL.toNanos();
    begunNanos = begun ? begunNanos : now;
    ended |= !begun && map.isSharded() || now - begunNanos > LONGEST.toNanos();
    begun = true;
    Map.copyOf(kept).forEach(this::adopt);
    if (!ended && due) {
      listedNanos = now;
      owner
          .registered()
          .thenAccept(
              found -> {
                if (!ended) {
                  found.forEach(each -> ask(each.address()));
                }
              })
          .exceptionally(failure -> failed("the registered validators are unknown", failure));
    }
  }

  /** Ends this: an administrator has changed the map. */
  public void end() {
    ended = true;
  }

  private void ask(String address) {
    if (asked.add(address)) {
      owner
          .answer(address)
          .thenAccept(voting -> adopt(address, voting))
          .exceptionally(
              failure -> {
                asked.remove(address);
                return failed("validator keeps no buckets, address=" + address, failure);
              });
    }
  }

  /**
   * Adopts a report, or keeps it for the next tick: the validator may not have it any more then.
   */
  private void adopt(String address, Transfer.Reply.Voting voting) {
    if (ended) {
      return;
    }
    try {
      owner.adopt(address, voting);
      kept.remove(address);
    } catch (RuntimeException e) {
      kept.put(address, voting);
      failed("validator has no buckets yet, address=" + address, e);
    }
  }

  private Void failed(String what, Throwable failure) {
    failures
        .happened()
        .ifPresent(
            times ->
                LOG.warn("{}; trying again, cause={} times={}", what, failure.toString(), times));
    return null;
  }
}
