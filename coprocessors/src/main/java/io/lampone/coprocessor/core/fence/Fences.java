package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.ClockAgreement;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.ProofsFrom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Floor, safe point and bound, as known to one region server (protocol page, section 6). They come
 * from ZooKeeper only: a request that carries a newer value triggers a read, and is refused as
 * retryable (R9). No caller ever waits for ZooKeeper. A record that contradicts itself or all known
 * clocks yields only the address for tick requests, and only while no better one is known.
 *
 * <p>Reads are numbered when they are sent. Knowledge that must be newer than some event (the
 * opening of a region [M2, M12], the arrival of an unknown timestamp) must come from a read whose
 * number was assigned after the event. One read is in progress at a time; another one follows if
 * needed.
 */
public final class Fences {

  private static final Logger LOG = LoggerFactory.getLogger(Fences.class);

  /** Maximum number of timestamps above the known bound that a later read has to judge. */
  private static final int MAX_SUSPECTS = 64;

  /** Known state, with the number of the read that returned it. */
  private record Knowledge(
      long read,
      boolean absent,
      long floor,
      long safePoint,
      long bound,
      long epoch,
      Optional<ProofsFrom> proofsFrom) {
    static final Knowledge NONE = new Knowledge(0, false, 0, 0, 0, 0, Optional.empty());
  }

  private final ManagerRecordSource node;
  private final Clock clock;
  private final CollectionLimit collection;
  private final ClockAgreement agreement;
  private final RareLine line;

  /** The last tick that the transaction manager issued to this server; 0 before the first. */
  private volatile long issued;

  /** Replaced under the lock, read by any thread; its values, and {@code read}, never decrease. */
  private volatile Knowledge knowledge = Knowledge.NONE;

  /** Newest record read; null before the first. Set by the answering thread. */
  private volatile @Nullable ManagerRecord manager;

  /** Number of the newest read that was sent; under the lock. */
  private long sent;

  /** True if that read is in progress; under the lock. */
  private boolean underWay;

  /** True if another read must follow it; under the lock. */
  private boolean again;

  /** True if the newest read failed, so that no watch may be set; set under the lock. */
  private volatile boolean failed;

  /** Suspect timestamp to the number of the read that will judge it; under the lock. */
  private final Map<Long, Long> suspects =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > MAX_SUSPECTS;
        }
      };

  public Fences(ManagerRecordSource node, Clock clock) {
    this.node = node;
    this.clock = clock;
    this.collection = new CollectionLimit(clock);
    this.agreement = new ClockAgreement(clock);
    this.line = new RareLine(clock);
  }

  /** Records a tick issued to this server, a lower bound of the transaction manager's time. */
  public void issued(long tick) {
    issued = Math.max(issued, tick);
    agreement.issued(tick);
    if (failed) {
      // The record may have been rejected as too far ahead of what was known.
      refresh();
    }
  }

  /** Returns the fence of a region that has just opened, which requires a read sent from now on. */
  public RegionFence regionOpened() {
    return new RegionFence(this, refresh());
  }

  /**
   * Starts a read, now or after the one in progress.
   *
   * @return the number of a read that is sent after this call began
   */
  public long refresh() {
    synchronized (this) {
      if (underWay) {
        again = true;
        return sent + 1;
      }
      underWay = true;
      sent++;
    }
    return send();
  }

  /** Reads again if the last read failed; called periodically. */
  public void retry() {
    if (failed) {
      refresh();
    }
  }

  /** Returns the newest known record of the transaction manager. */
  public Optional<ManagerRecord> manager() {
    return Optional.ofNullable(manager);
  }

  /** Returns the smallest start timestamp that is still admissible. */
  public long floor() {
    return knowledge.floor();
  }

  /** Returns the oldest snapshot that is still readable. */
  public long safePoint() {
    return knowledge.safePoint();
  }

  /**
   * Returns the newest record's statement about the proofs of stored leaders, not verified; empty
   * before a record of this version. It comes from the same read as the bound of its epoch.
   */
  public Optional<ProofsFrom> proofsFrom() {
    return knowledge.proofsFrom();
  }

  /** Returns true if the record of {@code epoch}, or of a later one, has been read. */
  public boolean isEpochRead(long epoch) {
    return epoch <= knowledge.epoch();
  }

  /**
   * Returns the limit below which data may be collected and undecided transactions ended: never
   * above {@link #safePoint}, and below it while that has risen faster than time passes.
   */
  public long collectableBelow() {
    return collection.current();
  }

  /** Returns {@code retention} for collection: without lifetimes unless the clocks agree. */
  public FamilyRetention collectedBy(FamilyRetention retention) {
    return !retention.isLimited() || agreement.holds() ? retention : retention.withoutLifetimes();
  }

  /**
   * Returns true if the record was found by read {@code wanted} or a later one, and names no epoch
   * newer than {@code epoch}.
   */
  boolean isEpochInCharge(long wanted, long epoch) {
    Knowledge known = knowledge;
    return known.read() >= wanted && !known.absent() && epoch >= known.epoch();
  }

  /**
   * Refuses as retryable until read {@code wanted} or a later one has returned a floor that is not
   * older than {@code requestFloor}.
   */
  void requireKnown(long wanted, long requestFloor) {
    Knowledge known = knowledge;
    if (known.read() < wanted || known.absent() || known.floor() < requestFloor) {
      refresh();
      throw Refused.because(Refusal.Code.NOT_READY, whyNotReady(known, wanted));
    }
  }

  /**
   * Refuses a timestamp that no transaction manager can have issued: it would corrupt the local
   * version clock (D11). A bound is durable before a timestamp below it is sent. So a timestamp
   * that is above the bound of a read sent after its arrival was never issued.
   */
  void requirePossible(long timestamp) {
    if (timestamp < knowledge.bound()) {
      return;
    }
    long judge;
    synchronized (this) {
      judge = suspects.getOrDefault(timestamp, Long.MAX_VALUE);
      if (judge <= knowledge.read()) {
        suspects.remove(timestamp);
        throw Refused.because(
            Refusal.Code.IMPOSSIBLE_TIMESTAMP,
            "timestamp is above the bound, timestamp=" + timestamp + " bound=" + knowledge.bound());
      }
    }
    long wanted = refresh();
    synchronized (this) {
      suspects.putIfAbsent(timestamp, wanted);
    }
    throw Refused.because(
        Refusal.Code.NOT_READY, "timestamp is above the bound known here, timestamp=" + timestamp);
  }

  private long send() {
    long number;
    synchronized (this) {
      number = sent;
    }
    node.read(new NumberedAnswer(number));
    return number;
  }

  private void answered(long number, @Nullable Knowledge learnt) {
    boolean more;
    synchronized (this) {
      if (number != sent || !underWay) {
        return; // a second answer to the same read
      }
      failed = learnt == null;
      if (learnt != null) {
        knowledge = learnt;
        // Reads refuse snapshots below the safe point before anything may be collected by it.
        collection.published(learnt.safePoint());
      }
      more = again;
      again = false;
      underWay = more;
      if (more) {
        sent++;
      }
    }
    if (more) {
      send();
    }
  }

  /** Returns the latest time that this server knows: its clock, or the last tick. */
  long latest() {
    return latest(0);
  }

  /** Returns the same, or ZooKeeper's time if later. */
  private long latest(long writtenMillis) {
    return Math.max(
        issued, Timestamps.ceilingOfMillis(Math.max(clock.wallMillis(), writtenMillis)));
  }

  private static String whyNotReady(Knowledge known, long wanted) {
    if (known.read() < wanted) {
      return "the floor has not been read since the region was opened";
    }
    if (known.absent()) {
      return "no transaction manager has ever run here: its znode is absent";
    }
    return "the floor known here is older than the request's, floor=" + known.floor();
  }

  /** Receives the answer of one read. */
  private final class NumberedAnswer implements ManagerRecordSource.Answer {

    private final long number;

    NumberedAnswer(long number) {
      this.number = number;
    }

    @Override
    public void record(ManagerRecord record, long writtenMillis) {
      Knowledge old = knowledge;
      ManagerRecord known = manager;
      Optional<String> contradiction = record.contradiction(latest(writtenMillis));
      if (contradiction.isPresent()) {
        if (old.read() == 0) {
          manager = record;
        }
        line.happened()
            .ifPresent(
                times ->
                    LOG.error(
                        "the transaction manager's record in ZooKeeper is not believed: {}, times={}",
                        contradiction.get(),
                        times));
        answered(number, null);
        return;
      }
      if (known == null || record.epoch() >= known.epoch()) {
        manager = record;
      }
      answered(
          number,
          new Knowledge(
              number,
              false,
              Math.max(old.floor(), record.floor()),
              Math.max(old.safePoint(), record.safePoint()),
              Math.max(old.bound(), record.bound()),
              Math.max(old.epoch(), record.epoch()),
              record.proofsFrom().or(old::proofsFrom)));
    }

    @Override
    public void absent() {
      Knowledge old = knowledge;
      answered(
          number,
          new Knowledge(
              number,
              true,
              old.floor(),
              old.safePoint(),
              old.bound(),
              old.epoch(),
              old.proofsFrom()));
    }

    @Override
    public void failed(String why) {
      // A client refused for this reason sends its request again, and retry() runs periodically.
      answered(number, null);
    }
  }
}
