package io.lampone.tm.core;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.Shares;
import io.lampone.tm.core.validation.ValidatorIdentity;
import io.lampone.tm.core.validation.VotingCore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A process that only votes on conflicts, from its start to its end. It decides nothing, so it has
 * no lease, and does not use the record.
 */
final class ValidatorRole implements NodeRole {

  /** Epoch in the welcome of a validator: clients send requests only to a server that has one. */
  private static final long EPOCH = 1;

  /** Time after the last question of a primary from which on the others have the buckets. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(5);

  /**
   * Time after the last question of a primary that knows this process from which on its share is
   * not reported: it may have been lost or removed. New primaries use reports for a minute.
   */
  private static final Duration OUTDATED = Duration.ofMinutes(2);

  private final ManagerNode node;
  private final ManagerSettings settings;
  private final ValidatorIdentity identity;
  private final Clock clock;
  private final ManagerRecord welcome;
  private final VotingCore core;

  /** Connections of primaries that have asked. */
  private final Set<TransferSource> acquainted = new HashSet<>();

  /** The buckets that the last primary has named. */
  private String share = "";

  /** The number of buckets in {@link #share}. */
  private int buckets;

  /** Time of the last question of a primary that knows this process. */
  private long namedNanos;

  ValidatorRole(
      ManagerNode node, ManagerSettings settings, ValidatorIdentity identity, Clock clock) {
    this.node = node;
    this.identity = identity;
    this.clock = clock;
    this.settings = settings;
    this.core =
        new VotingCore(
            identity.incarnation(), settings.conflictCapacity(), settings.proofs(), clock);
    this.welcome =
        new ManagerRecord(
            EPOCH,
            settings.holder(),
            settings.address(),
            0,
            settings.leaseDuration().toMillis(),
            false,
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty());
  }

  @Override
  public NodeMetrics.Name name() {
    return NodeMetrics.Name.VALIDATOR;
  }

  @Override
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    return core.handle(requests, replies);
  }

  @Override
  public Optional<ManagerRecord> leading() {
    return Optional.of(welcome);
  }

  @Override
  public void receive(TransferSource from, Transfer part) {
    if (part instanceof Transfer.Offer) {
      from.reply(new Transfer.Reply.Refused("a validator does not take over"));
    } else if (part instanceof Transfer.Ping ping) {
      boolean outdated = clock.monotonicNanos() - namedNanos > OUTDATED.toNanos();
      String lastShare = outdated ? "" : share;
      // A new primary does not know it yet; its second question shows that it has the answer.
      if (!acquainted.add(from)) {
        namedNanos = clock.monotonicNanos();
        if (!ping.share().equals(share)) {
          buckets = Shares.decode(ping.share()).size();
          share = ping.share();
        }
      }
      from.reply(
          new Transfer.Reply.Voting(
              identity.name(),
              identity.incarnation(),
              markOf(ping.timestamp()),
              new Transfer.Reply.Counts(
                  settings.conflictCapacity(),
                  core.entries(),
                  core.votes(),
                  core.hashes(),
                  core.low()),
              lastShare));
    } else {
      throw new MalformedException("part of a transfer without an offer");
    }
  }

  @Override
  public void left(TransferSource from) {
    acquainted.remove(from);
  }

  /** Shows the primary that this process has the same cluster key; 0 without keys. */
  private long markOf(long timestamp) {
    return settings.proofs().knowsTerm(timestamp) ? settings.proofs().mark(timestamp) : 0;
  }

  @Override
  public NodeMetrics metrics(long storeSilentNanos, boolean draining, String clockComplaint) {
    return new NodeMetrics(
        name(),
        0,
        -1,
        0,
        0,
        0,
        core.low(),
        0,
        0,
        0,
        core.entries(),
        0,
        core.reservations(),
        clock.monotonicNanos() - namedNanos > FORGOTTEN.toNanos() ? 0 : buckets,
        draining,
        true,
        "");
  }

  @Override
  public void release() {
    node.retire(NodeListener.Retirement.RELEASED);
  }
}
