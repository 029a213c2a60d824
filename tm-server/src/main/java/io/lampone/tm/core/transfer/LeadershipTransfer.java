package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.SuccessorRecord;
import io.lampone.protocol.wire.Transfer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A primary's side of a planned hand-over (protocol page, section 7): the primary copies its
 * complete state to one backup while it continues to decide. When little is left it stops deciding,
 * sends the rest, and names the successor in the record.
 *
 * <pre>
 *   CONNECTING -> COPYING    the backup has been reached
 *   COPYING    -> SEALED     little was left and the last rounds were short ({@link CatchUpProbe}):
 *                            nothing is decided from here on; the rest has been sent
 *   SEALED     -> COMPLETE   the backup has everything
 *   COMPLETE   -> WRITING    the compare-and-set that names the successor has been sent
 *   WRITING    -> WRITTEN    it is in the record, or must have been: there is no way back
 *   WRITING    -> FAILED     the record shows that it was not applied, and a later write that it never will
 *   CONNECTING, COPYING, SEALED, COMPLETE -> FAILED     refused, connection lost, too slow
 *   WRITTEN    -> DONE       the successor leads, or had the time to
 * </pre>
 *
 * <p>Invariant: between SEALED and DONE nothing is decided, and the transition to FAILED requires
 * that no record will ever name this hand-over. So a node that reads its name in the record knows
 * that everything ever decided was sent under that name.
 */
public final class LeadershipTransfer implements TransferLink.Listener {

  /** Maximum parts under way; answers of the backup make room for more. */
  static final int WINDOW_CHUNKS = 4;

  /** Maximum silence of a backup while no client waits for it. */
  static final Duration PROGRESS_PATIENCE = Duration.ofSeconds(2);

  /** Time limit for the entire copy, regardless of progress. */
  static final Duration COPY_PATIENCE = Duration.ofMinutes(2);

  /** Time limit for a backup to become fast enough; no client waits meanwhile. */
  static final Duration REHEARSAL_PATIENCE = Duration.ofSeconds(3);

  /** Time limit for the backup to confirm completeness, while clients wait. */
  public static final Duration SEAL_PATIENCE = Duration.ofMillis(60);

  /** Time limit for the successor to lead; afterwards clients are redirected anyway. */
  public static final Duration LEAD_PATIENCE = Duration.ofSeconds(1);

  private enum Phase {
    CONNECTING,
    COPYING,
    SEALED,
    COMPLETE,
    WRITING,
    WRITTEN,
    DONE,
    FAILED
  }

  /** Effects of a hand-over on its primary. */
  public interface Owner {

    /** Returns true if deciding may stop now: no operation of the store is under way. */
    boolean maySeal();

    /** Stops all decisions and answers. */
    void sealed();

    /** Resumes decisions and answers. */
    void unsealed();

    /** Checks for due work: {@link LeadershipTransfer#wantsWrite}. */
    void proceed();

    /** Reports that the successor leads, or will. */
    void done();
  }

  /**
   * Parameters of a hand-over.
   *
   * @param address where the successor listens
   * @param succession the entry for the record
   * @param epoch the epoch of this primary
   * @param chunk maximum entries in a part; the last so many are sent after decisions have stopped
   */
  public record Plan(String address, SuccessorRecord succession, long epoch, int chunk) {}

  private final Owner owner;
  private final Clock clock;
  private final Plan plan;
  private final TransferLink link;
  private final CompletableFuture<TransferResult> result = new CompletableFuture<>();
  private final SentState sent;
  private final CatchUpProbe rehearsal;

  /** Start of the hand-over. */
  private final long begunNanos;

  private Phase phase = Phase.CONNECTING;

  /** Time at which little was left for the first time. */
  private OptionalLong rehearsingSinceNanos = OptionalLong.empty();

  /** Time of the backup's last answer. */
  private long progressNanos;

  /** Start of the current phase, if clients wait in it. */
  private long waitingSinceNanos;

  /** Time at which deciding stopped. */
  private long sealedNanos;

  /** Capabilities of the backup. */
  private long capabilities;

  public LeadershipTransfer(
      Owner owner,
      Clock clock,
      PrimaryState primaryState,
      Plan plan,
      TransferLink.Connector connector) {
    this.owner = owner;
    this.clock = clock;
    this.plan = plan;
    this.sent = new SentState(primaryState, plan.chunk(), this::sendAnswered);
    this.rehearsal = new CatchUpProbe(clock);
    this.begunNanos = clock.monotonicNanos();
    this.progressNanos = begunNanos;
    this.link = connector.connect(plan.address(), this);
  }

  /** Returns the result; its failure has the remedy. */
  public CompletableFuture<TransferResult> result() {
    return result;
  }

  public SuccessorRecord succession() {
    return plan.succession();
  }

  public String successorAddress() {
    return plan.address();
  }

  /** Returns true if nothing may be decided or answered. */
  public boolean isSealed() {
    return switch (phase) {
      case SEALED, COMPLETE, WRITING, WRITTEN, DONE -> true;
      case CONNECTING, COPYING, FAILED -> false;
    };
  }

  /** Returns true if this node can no longer prevent the hand-over. */
  public boolean isBeyondReturn() {
    return phase == Phase.WRITING || phase == Phase.WRITTEN || phase == Phase.DONE;
  }

  public boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  /** Returns true if the record must name the successor now. */
  public boolean wantsWrite() {
    return phase == Phase.COMPLETE;
  }

  /** Returns true if the write is under way or its outcome unknown. */
  public boolean isWriting() {
    return phase == Phase.WRITING;
  }

  public boolean isWritten() {
    return phase == Phase.WRITTEN;
  }

  @Override
  public void opened(long capabilities) {
    if (phase == Phase.CONNECTING) {
      this.capabilities = capabilities;
      phase = Phase.COPYING;
      progressNanos = clock.monotonicNanos();
      sendAnswered(new Transfer.Offer(plan.epoch(), plan.succession().handOver()));
      pump();
    }
  }

  @Override
  public void received(Transfer.Reply reply) {
    progressNanos = clock.monotonicNanos();
    if (reply instanceof Transfer.Reply.Received more) {
      sent.acknowledged(more.entries());
      rehearsal.answered();
      pump();
    } else if (reply instanceof Transfer.Reply.Complete all) {
      onComplete(all);
    } else if (reply instanceof Transfer.Reply.Leading) {
      if (phase == Phase.WRITTEN) {
        end(true);
      }
    } else if (reply instanceof Transfer.Reply.Refused refused) {
      fail("the backup refuses: " + refused.text(), false);
    }
  }

  @Override
  public void closed(String problem) {
    fail("connection to the backup lost: " + problem, false);
  }

  /** Checks the time limits. */
  public void tick() {
    long now = clock.monotonicNanos();
    switch (phase) {
      case CONNECTING, COPYING -> {
        if (now - progressNanos >= PROGRESS_PATIENCE.toNanos()) {
          fail("the backup does not answer, waited=" + PROGRESS_PATIENCE, false);
        } else if (now - begunNanos >= COPY_PATIENCE.toNanos()) {
          fail("copying takes too long, limit=" + COPY_PATIENCE, false);
        } else if (rehearsingSinceNanos.isPresent()
            && now - rehearsingSinceNanos.getAsLong() >= REHEARSAL_PATIENCE.toNanos()) {
          fail(
              "the backup answers too slowly for clients to wait for it, rounds="
                  + rehearsal.rounds()
                  + " last="
                  + rehearsal.lastRound()
                  + " wanted="
                  + CatchUpProbe.SHORT_ROUND,
              false);
        } else {
          pump();
        }
      }
      case SEALED, COMPLETE -> {
        if (now - waitingSinceNanos >= SEAL_PATIENCE.toNanos()) {
          fail("the backup was too slow at the end, waited=" + SEAL_PATIENCE, true);
        }
      }
      case WRITTEN -> {
        if (now - waitingSinceNanos >= LEAD_PATIENCE.toNanos()) {
          end(false);
        }
      }
      case WRITING, DONE, FAILED -> {
        // the record decides, or nothing is left to do
      }
    }
  }

  /** Sends what may be sent; seals when little is left. */
  public void pump() {
    if (phase != Phase.COPYING) {
      return;
    }
    sent.skipForgotten();
    Optional<String> obstacle = sent.obstacle(capabilities);
    if (obstacle.isPresent()) {
      fail(obstacle.get(), false);
      return;
    }
    long window = (long) WINDOW_CHUNKS * plan.chunk();
    while (sent.remaining() > plan.chunk() && sent.unacknowledged() < window) {
      sent.sendChunk();
    }
    if (sent.remaining() > plan.chunk()) {
      return;
    }
    if (rehearsal.isPassed()) {
      if (owner.maySeal()) {
        seal();
      }
    } else if (rehearsal.mayBegin()) {
      rehearse();
    }
  }

  /** Sends all that is left, as after sealing, except that more may follow. */
  private void rehearse() {
    if (rehearsingSinceNanos.isEmpty()) {
      rehearsingSinceNanos = OptionalLong.of(clock.monotonicNanos());
    }
    rehearsal.begin();
    while (sent.remaining() > 0) {
      sent.sendChunk();
    }
    sendAnswered(new Transfer.Holds(List.of()));
  }

  /** Records that the compare-and-set was sent: from here on the record decides. */
  public void writing() {
    phase = Phase.WRITING;
  }

  /** Records that the record names the successor. */
  public void written() {
    phase = Phase.WRITTEN;
    waitingSinceNanos = clock.monotonicNanos();
    link.send(new Transfer.Written());
  }

  /** Records that the successor has taken the epoch. */
  public void taken() {
    phase = Phase.WRITTEN;
    end(true);
  }

  /** Records that the record will certainly never name this hand-over. */
  public void neverWritten() {
    if (phase == Phase.WRITING) {
      phase = Phase.COMPLETE;
      fail("the record could not be written", true);
    }
  }

  /** Abandons the hand-over after a takeover or a stop; this node will not decide again. */
  public void abandon(String reason) {
    if (isOver()) {
      return;
    }
    phase = Phase.FAILED;
    link.close();
    result.completeExceptionally(new TransferFailedException("not handed over: " + reason, false));
  }

  /**
   * Fails the hand-over if that is still possible, and resumes deciding.
   *
   * @param passing whether an immediate retry may succeed
   */
  private void fail(String reason, boolean passing) {
    if (isOver() || isBeyondReturn()) {
      return;
    }
    boolean wasSealed = isSealed();
    phase = Phase.FAILED;
    link.close();
    if (wasSealed) {
      owner.unsealed();
    }
    result.completeExceptionally(
        new TransferFailedException(
            "not handed over, this one remains the primary: "
                + reason
                + "; look at the backup's log and status and try again, backup="
                + plan.address(),
            passing));
  }

  private void onComplete(Transfer.Reply.Complete all) {
    if (phase != Phase.SEALED) {
      return;
    }
    if (!sent.equalsReceived(all)) {
      fail("the backup has something else than was sent", false);
      return;
    }
    phase = Phase.COMPLETE;
    owner.proceed();
  }

  private void seal() {
    phase = Phase.SEALED;
    sealedNanos = clock.monotonicNanos();
    waitingSinceNanos = sealedNanos;
    owner.sealed();
    sent.skipForgotten();
    while (sent.remaining() > 0) {
      sent.sendChunk();
    }
    sent.sendHoldsAndBuckets();
    link.send(sent.last());
  }

  private void end(boolean leading) {
    phase = Phase.DONE;
    link.close();
    Duration gap = Duration.ofNanos(clock.monotonicNanos() - sealedNanos);
    result.complete(sent.result(plan.address(), leading, gap, rehearsal.rounds()));
    owner.done();
  }

  private void sendAnswered(Transfer part) {
    rehearsal.sent();
    link.send(part);
  }
}
