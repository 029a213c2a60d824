package io.lampone.simulation.mutant;

import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionStore;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.simulation.hbase.CertifySteps;
import io.lampone.simulation.hbase.Collecting;
import io.lampone.simulation.hbase.FastReadSteps;
import io.lampone.simulation.hbase.RangeSteps;
import io.lampone.simulation.world.Plan;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.RecordStore;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tmclient.Transport;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/**
 * The seams between the protocol's code and the simulated world. Here everything passes through
 * unchanged; a mutant is a subclass that puts something else into one seam.
 */
public class Parts {

  private final Plan plan;

  public Parts(Plan plan) {
    this.plan = plan;
  }

  public Plan plan() {
    return plan;
  }

  /** The record as a transaction manager reaches it. */
  public RecordStore recordStore(RecordStore store) {
    return store;
  }

  /** The clock that a transaction manager looks at. */
  public Clock managerClock(Clock clock) {
    return clock;
  }

  /** A frame at a transaction manager. */
  public BatchOutcome handle(ManagerNode node, RequestCursor requests, ReplyWriter replies) {
    return node.handle(requests, replies);
  }

  /** Returns the transport of the transaction manager's client. */
  public Transport transport(Transport transport) {
    return transport;
  }

  /** The transaction manager as a client sees it. */
  public TransactionManager manager(TransactionManager manager) {
    return manager;
  }

  /** Returns the mark above which a session takes start timestamps at hand. */
  public long sessionMark(long mark) {
    return mark;
  }

  /** Whom a read of the fast path asks for a timestamp when it has met intents. */
  public TimestampOracle readingOracle(TimestampOracle oracle, Session session) {
    return oracle;
  }

  /** The epoch of the primary from which a region server has ticks. */
  public long epochOfTicks(long epoch, Fences fences) {
    return epoch;
  }

  /** A read of the fast path as a region makes it. */
  public FastReadSteps fastReads() {
    return new FastReadSteps();
  }

  /** Intents and commit entries as a client sees them. */
  public TransactionStore store(TransactionStore store) {
    return store;
  }

  /** The fast path as a client sees it. */
  public FastPathStore fastStore(FastPathStore store) {
    return store;
  }

  /** A certification as a region makes it. */
  public CertifySteps certifying(Certification certification) {
    return new CertifySteps(certification);
  }

  /** A certification of a range as a region makes it. */
  public RangeSteps certifyingRanges() {
    return new RangeSteps();
  }

  /** A transaction's scan has found out the fates of intents that it has met. */
  public void judged(long start, Map<TransactionId, Fate> judgments) {}

  /** Returns the guards of an open region. */
  public RegionGuards guards(RegionGuards guards) {
    return guards;
  }

  /** The fence of a region that has just opened. */
  public RegionFence fence(Fences fences) {
    return fences.regionOpened();
  }

  /** A request of the fast path as a region takes it. */
  public RegionRequest fastRequest(
      RegionRequest request, RegionGuards guards, LocalVersionClock clock) {
    return request;
  }

  /** Returns the table rules that a region applies to a request. */
  public TableRules tableRules(RegionRequest request, TableRules rules) {
    return rules;
  }

  /** The clock that hears of commit timestamps before they are written. */
  public LocalVersionClock clockOfStates(LocalVersionClock clock) {
    return clock;
  }

  /**
   * A request about intents or transaction cells as a region takes it.
   *
   * @param row gives what is stored of a row, by its key
   */
  public RegionRequest regularRequest(RegionRequest request, Function<Bytes, StoredRow> row) {
    return request;
  }

  /** A row on which a rule decides. */
  public StoredRow row(RegionRequest request, StoredRow row) {
    return row;
  }

  /** Returns a region's store for writes that are committed at birth. */
  public FastRegion fastRegion(FastRegion region, Clock clock) {
    return region;
  }

  /** Judges the cells of a flush or compaction. */
  public Collecting collecting(CollectionScope scope) {
    return new Collecting(scope);
  }

  /** Returns the real duration of a hold that its owner believes to last for {@code asked}. */
  public Duration hold(Duration asked) {
    return asked;
  }

  /** Returns the lead of a clock at which its transaction manager takes no epoch. */
  public Duration clockLimit(Duration limit) {
    return limit;
  }

  /** Returns the principal to which a transaction manager counts what a client adds. */
  public String principal(String client) {
    return client;
  }

  /** Returns the user to whom a region counts what a client asks it to remember. */
  public String user(String client) {
    return client;
  }

  /** Rules of writes that have drawn a version and are not visible. */
  public enum InFlight {
    /** A read waits for them. */
    READERS_WAIT,
    /** A write of the same row is refused while one is in doubt. */
    WRITERS_WAIT,
    /** One that has failed after it was logged stays. */
    DOUBTS_STAY
  }

  /** Returns true if regions heed a rule. */
  public boolean heeds(InFlight rule) {
    return true;
  }
}
