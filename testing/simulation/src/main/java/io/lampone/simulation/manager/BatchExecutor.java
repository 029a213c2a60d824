package io.lampone.simulation.manager;

import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tm.admission.TableTurnover;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.validation.BatchOutcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Executes the batches of requests that arrive at a node, as the event loop of the real server
 * does, and reports replies to the invariants.
 */
public final class BatchExecutor {

  /** Least age at which a flooding principal displaces the entries of others. */
  public static final Duration TABLE_AGE = Duration.ofSeconds(1);

  static final int MAX_MESSAGES = 64;
  private static final int LONGEST_RETRY_MILLIS = 20;

  private final SimulatedMachine machine;
  private final SimulatedNetwork network;
  private final ManagerNode node;
  private final boolean validator;
  private final Parts parts;
  private final InvariantChecker invariantChecker;
  private final Runnable assigned;
  private final RequestCursor cursor = new RequestCursor(MAX_MESSAGES);
  private final ReplyWriter writer = new ReplyWriter(Proofs.OPEN);
  private final TableTurnover turnover;
  private final ReservationsAreHints reservations;

  /**
   * @param machine of the node
   * @param validator whether the node is one
   * @param assigned called when a transaction has been assigned a commit timestamp
   */
  BatchExecutor(
      SimulatedMachine machine,
      SimulatedNetwork network,
      ManagerNode node,
      boolean validator,
      Parts parts,
      InvariantChecker invariantChecker,
      Runnable assigned) {
    this.machine = machine;
    this.network = network;
    this.node = node;
    this.validator = validator;
    this.parts = parts;
    this.invariantChecker = invariantChecker;
    this.assigned = assigned;
    Plan plan = parts.plan();
    this.turnover =
        new TableTurnover(
            plan.memory(), plan.decisions(), plan.flooded() ? TABLE_AGE : Duration.ZERO);
    this.reservations = new ReservationsAreHints(machine.world());
  }

  /** Executes a frame, and replies if the outcome is {@link BatchOutcome.Answered}. */
  BatchOutcome execute(Link link, ByteBuffer frame) {
    cursor.open(frame, link.capabilities(), link);
    if (!link.increases(cursor.firstId(), cursor.lastId())) {
      machine
          .world()
          .violated("NothingUnforeseen", "ids do not increase, first=" + cursor.firstId());
    }
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(cursor.count()));
    writer.start(target);
    int laterMillis = retryAfterMillis(link);
    if (laterMillis > 0) {
      refuse(laterMillis);
      link.toClient(finish(target));
      return BatchOutcome.ANSWERED;
    }
    BatchOutcome outcome = parts.handle(node, cursor, writer);
    if (outcome instanceof BatchOutcome.Answered) {
      ByteBuffer replies = finish(target);
      hearReplies(replies.duplicate());
      link.toClient(replies);
    } else {
      executed(List.of());
    }
    return outcome;
  }

  /** Returns 0 if the open frame may be executed, else the delay before a retry. */
  private int retryAfterMillis(Link link) {
    if (validator) {
      return 0;
    }
    return network.isOverloaded() && node.leading().isPresent()
        ? machine.world().chance().between(1, LONGEST_RETRY_MILLIS)
        : admit(link.principal());
  }

  private ByteBuffer finish(ByteBuffer target) {
    int bytes = writer.finish();
    return target.position(0).limit(bytes);
  }

  private int admit(String principal) {
    int validations = cursor.validations();
    long hashes = cursor.recordedHashes();
    int laterMillis =
        turnover.admit(
            "", parts.principal(principal), validations, hashes, machine.clock().monotonicNanos());
    if (laterMillis == 0 && validations > 0) {
      Plan plan = parts.plan();
      double fraction =
          Math.max(hashes / (double) plan.memory(), validations / (double) plan.decisions());
      invariantChecker.admitted(machine.name(), principal, fraction);
    }
    return laterMillis;
  }

  /** Executes nothing: refuses each request with the delay before a retry. */
  private void refuse(int retryAfterMillis) {
    cursor.cut(Integer.MAX_VALUE);
    while (cursor.next()) {
      if (cursor.type() == RequestType.VALIDATE) {
        writer.refused(cursor.id(), Validator.Reason.OVERLOADED, retryAfterMillis);
      } else {
        writer.failed(cursor.id(), WireReply.Failure.OVERLOADED, retryAfterMillis);
      }
    }
  }

  private void executed(List<WireReply> replies) {
    reservations.executed(
        cursor, replies, () -> node.vitals().reservations(), machine.clock().monotonicNanos());
  }

  private void hearReplies(ByteBuffer frame) {
    long epoch = node.status().record().map(record -> record.epoch()).orElse(0L);
    List<WireReply> replies = WireReply.readBatch(FrameReader.open(frame));
    executed(replies);
    for (WireReply reply : replies) {
      if (machine.world().isTraced()) {
        machine.say(() -> "answers " + reply);
      }
      if (!validator) {
        invariantChecker.answered(machine.name(), epoch, reply);
      }
      if (reply instanceof WireReply.Validated validated
          && validated.validation() instanceof Validator.Validation.Assigned) {
        assigned.run();
      }
    }
  }
}
