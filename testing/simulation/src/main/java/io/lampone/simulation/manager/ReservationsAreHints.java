package io.lampone.simulation.manager;

import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.world.World;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Invariant that reservations are hints (ADR 96): no validation and no vote is refused but for a
 * newer commit, a reservation is refused but for one that was renewed within its lifetime, and no
 * connection has more than its share. There is one for each transaction manager and validator.
 */
public final class ReservationsAreHints {

  private static final long LIFETIME_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int CAPACITY = 1 << 16;
  private static final int MAX_OF_SENDER = 1 << 12;

  private static final WireReply MADE = new WireReply.Reserved(1, new Validation.Voted());

  private final World world;

  /** Times of the last renewals, by start timestamp. */
  private final Map<Long, Long> renewed = new HashMap<>();

  /** The same by connection. */
  private final Map<Object, Long> senders = new HashMap<>();

  public ReservationsAreHints(World world) {
    this.world = world;
  }

  /**
   * A frame has been executed.
   *
   * @param replies none if it is not answered: its reservations may have been made
   * @param reservations returns the number of reserved hashes
   */
  public void executed(
      RequestCursor requests, List<WireReply> replies, IntSupplier reservations, long nowNanos) {
    requests.rewind();
    for (int i = 0; requests.next(); i++) {
      WireReply reply = replies.isEmpty() ? MADE : replies.get(i);
      boolean renews =
          requests.type() == RequestType.RESERVE && !requests.has(FrameLayout.FLAG_RELEASE);
      if (renews || reply instanceof WireReply.Validated) {
        answered(requests.sender(), requests.startTimestamp(), reply, nowNanos);
      }
    }
    if (!senders.isEmpty()) {
      counted(reservations.getAsInt(), nowNanos);
    }
  }

  /** A validation or vote is answered, or a reservation that does not release. */
  void answered(Object sender, long start, WireReply reply, long nowNanos) {
    if (reply instanceof WireReply.Validated validated
        && validated.validation() instanceof Validation.Conflict conflict
        && conflict.winnerCommitTimestamp() <= start) {
      violated("no newer commit, start=" + start + " " + conflict);
    }
    Validation answer = reply instanceof WireReply.Reserved reserved ? reserved.answer() : null;
    if (answer instanceof Validation.Voted) {
      renewed.put(start, nowNanos);
      senders.put(sender, nowNanos);
    } else if (answer instanceof Validation.Held held
        && nowNanos - renewed.getOrDefault(held.startTimestamp(), nowNanos - LIFETIME_NANOS)
            >= LIFETIME_NANOS) {
      violated("has expired: " + held);
    }
  }

  void counted(int reservations, long nowNanos) {
    senders.values().removeIf(last -> nowNanos - last >= LIFETIME_NANOS);
    if (reservations > Math.min(CAPACITY, senders.size() * MAX_OF_SENDER)) {
      violated("too many, reservations=" + reservations + " connections=" + senders.size());
    }
  }

  private void violated(String text) {
    world.violated("ReservationsAreHints", text);
  }
}
