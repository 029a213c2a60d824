package io.lampone.tm.core.validation;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.transfer.TransferLink;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A primary's connection to a validator: pings it, one ping at a time, and ends when an answer does
 * not arrive in time or is not that of a validator of this cluster. Not thread-safe.
 */
public final class ValidatorContact implements TransferLink.Listener {

  private static final String RESTARTED = "it has been started again";

  /** Interval of pings. */
  public static final Duration PING_INTERVAL = Duration.ofMillis(200);

  /** Time limit of the first answer of a validator. */
  private static final Duration CONTACT_PATIENCE = Duration.ofSeconds(3);

  /** Number of pauses between two answers that are no silence of the validator. */
  private static final int FORGIVEN_PAUSES = 3;

  /** The primary's side of a contact. */
  public interface Owner {

    /** Returns true if this node leads. */
    boolean leads();

    /** Returns the owners of the buckets; throws if this node does not lead. */
    BucketMap map();

    /** Returns the last timestamp issued; throws if this node does not lead. */
    long lastTimestamp();

    /** Forgets a contact that ends; returns false if it is not known. */
    boolean forget(ValidatorContact ended);

    /** Reports that the validators for which {@code which} is true are lost. */
    void lost(Predicate<BucketMap.Node> which, String problem);
  }

  private final Owner owner;
  private final Clock clock;
  private final Proofs proofs;
  private final Duration silence;
  private final String address;
  private final TransferLink.Connector connector;
  private TransferLink link;
  private CompletableFuture<Transfer.Reply.Voting> first = new CompletableFuture<>();
  private boolean opened;

  /** True from the end of a connection to the first answer on the next one. */
  private boolean reconnecting;

  private long heardNanos;

  /** Number of pauses of this process since the last answer that have been forgiven. */
  private int pauses;

  private long pingedNanos;
  private long askedTimestamp;

  /** True from a ping to its answer: an answer belongs to the only ping under way. */
  private boolean asked;

  private Optional<Transfer.Reply.Voting> last = Optional.empty();
  private double votesPerSecond;

  /**
   * Connects.
   *
   * @param silence maximum silence of a validator that has been reached
   */
  public ValidatorContact(
      Owner owner,
      String address,
      TransferLink.Connector connector,
      Clock clock,
      Proofs proofs,
      Duration silence) {
    this.owner = owner;
    this.clock = clock;
    this.proofs = proofs;
    this.silence = silence;
    this.address = address;
    this.connector = connector;
    this.heardNanos = clock.monotonicNanos();
    this.pingedNanos = heardNanos;
    this.link = connector.connect(address, this);
  }

  public String address() {
    return address;
  }

  /** Completes with the first answer, or fails with the remedy. */
  public CompletableFuture<Transfer.Reply.Voting> answered() {
    return first;
  }

  /** Returns the counts in the last answer. */
  public Optional<Transfer.Reply.Counts> counts() {
    return last.map(Transfer.Reply.Voting::counts);
  }

  /** Returns the votes between the last two answers. */
  public double votesPerSecond() {
    return votesPerSecond;
  }

  /** Returns the time since the last answer. */
  public long silentNanos(long now) {
    return now - heardNanos;
  }

  /**
   * Pings if that is due, and checks the time limits.
   *
   * @param pause how long this process was paused, in ns: answers may still be unread
   */
  public void tick(long now, long pause, BucketMap map) {
    if (pause > 0 && pauses < FORGIVEN_PAUSES) {
      pauses++;
      heardNanos = Math.min(now, heardNanos + pause);
    }
    Duration patience = opened || reconnecting ? silence : CONTACT_PATIENCE;
    if (now - heardNanos > patience.toNanos()) {
      end("no answer for " + patience);
    } else if (opened && !asked && now - pingedNanos >= PING_INTERVAL.toNanos()) {
      ping(now, map);
    }
  }

  /** Pings at once, or after the answer to the ping under way. */
  public void pingSoon(BucketMap map) {
    if (opened && !asked) {
      ping(clock.monotonicNanos(), map);
    } else {
      pingedNanos -= PING_INTERVAL.toNanos();
    }
  }

  private void ping(long now, BucketMap map) {
    pingedNanos = now;
    asked = true;
    askedTimestamp = owner.lastTimestamp();
    link.send(new Transfer.Ping(askedTimestamp, Shares.encode(address, map)));
  }

  @Override
  public void opened(long capabilities) {
    if (!Capabilities.has(capabilities, Capabilities.BUCKETS)) {
      end("the process there is older and does not vote");
    } else if (owner.leads()) {
      opened = true;
      ping(clock.monotonicNanos(), owner.map());
    }
  }

  @Override
  public void received(Transfer.Reply reply) {
    long now = clock.monotonicNanos();
    asked = false;
    reconnecting = false;
    pauses = 0;
    if (!(reply instanceof Transfer.Reply.Voting voting)) {
      end("the process there is no validator");
    } else if (proofs.knowsTerm(askedTimestamp) && voting.mark() != proofs.mark(askedTimestamp)) {
      end("it has another cluster key: give it the one of this cluster");
    } else if (last.isPresent() && last.get().incarnation() != voting.incarnation()) {
      end(RESTARTED);
    } else {
      last.ifPresent(old -> rate(old, voting, now));
      heardNanos = now;
      last = Optional.of(voting);
      owner.lost(
          each -> each.address().equals(address) && each.incarnation() != voting.incarnation(),
          RESTARTED);
      first.complete(voting);
    }
  }

  private void rate(Transfer.Reply.Voting old, Transfer.Reply.Voting voting, long now) {
    double seconds = Math.max(1, now - heardNanos) / (double) Duration.ofSeconds(1).toNanos();
    votesPerSecond = (voting.counts().votes() - old.counts().votes()) / seconds;
  }

  /**
   * Connects once more to a validator that has answered: the lifetime of the connection may be
   * over, or its credentials replaced. Nothing but pings is sent here, and clients' votes name the
   * incarnation. So until the validator answers or is lost, it is as if it were silent.
   */
  @Override
  public void closed(String problem) {
    if (last.isEmpty() || reconnecting) {
      end(problem);
      return;
    }
    reconnecting = true;
    first = new CompletableFuture<>(); // another process may answer
    opened = false;
    asked = false;
    heardNanos = clock.monotonicNanos();
    link = connector.connect(address, this);
  }

  /** Ends the contact of a node that no longer leads. */
  public void close() {
    owner.forget(this);
    link.close();
    first.completeExceptionally(new IllegalStateException("no longer the primary"));
  }

  private void end(String problem) {
    if (!owner.forget(this)) {
      return;
    }
    link.close();
    first.completeExceptionally(
        new IllegalStateException(
            "no validator can be used there: check that 'lampone validator run' runs, address="
                + address
                + " problem="
                + problem));
    owner.lost(each -> each.address().equals(address), problem);
  }
}
