package io.lampone.simulation;

import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionStore;
import io.lampone.coprocessor.core.CollectionScope;
import io.lampone.coprocessor.core.FastRegion;
import io.lampone.coprocessor.core.Fences;
import io.lampone.coprocessor.core.LocalVersionClock;
import io.lampone.coprocessor.core.RegionFence;
import io.lampone.coprocessor.core.RegionGuards;
import io.lampone.coprocessor.core.StoredRow;
import io.lampone.coprocessor.core.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FastReadRequest;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.BatchOutcome;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.RecordStore;
import io.lampone.tmclient.Transport;
import java.time.Duration;
import java.util.function.Function;

/**
 * The seams between the protocol's code and the simulated world. Here everything passes through
 * unchanged; a mutant is a subclass that puts something else into one seam.
 */
class Parts {

  private final Plan plan;

  Parts(Plan plan) {
    this.plan = plan;
  }

  Plan plan() {
    return plan;
  }

  /** The record as a transaction manager reaches it. */
  RecordStore recordStore(RecordStore store) {
    return store;
  }

  /** The clock that a transaction manager looks at. */
  Clock managerClock(Clock clock) {
    return clock;
  }

  /** A frame at a transaction manager. */
  BatchOutcome handle(ManagerNode node, RequestCursor requests, ReplyWriter replies) {
    return node.handle(requests, replies);
  }

  /** How the client of the transaction manager reaches it. */
  Transport transport(Transport transport) {
    return transport;
  }

  /** The transaction manager as a client sees it. */
  TransactionManager manager(TransactionManager manager) {
    return manager;
  }

  /** Whom a read of the fast path asks for a timestamp when it has met intents. */
  TimestampOracle readingOracle(TimestampOracle oracle, Session session) {
    return oracle;
  }

  /** The epoch of the primary from which a region server has ticks. */
  long epochOfTicks(long epoch, Fences fences) {
    return epoch;
  }

  /** A read of the fast path as a region takes it. */
  FastReadRequest fastRead(FastReadRequest request) {
    return request;
  }

  /** Intents and commit entries as a client sees them. */
  TransactionStore store(TransactionStore store) {
    return store;
  }

  /** The fast path as a client sees it. */
  FastPathStore fastStore(FastPathStore store) {
    return store;
  }

  /** What requests meet in an open region. */
  RegionGuards guards(RegionGuards guards) {
    return guards;
  }

  /** The fence of a region that has just opened. */
  RegionFence fence(Fences fences) {
    return fences.regionOpened();
  }

  /** A request of the fast path as a region takes it. */
  RegionRequest fastRequest(RegionRequest request, RegionGuards guards, LocalVersionClock clock) {
    return request;
  }

  /** What a region knows of its table when a request about intents comes. */
  TableRules tableRules(RegionRequest request, TableRules rules) {
    return rules;
  }

  /** The clock that hears of commit timestamps before they are written. */
  LocalVersionClock clockOfStates(LocalVersionClock clock) {
    return clock;
  }

  /**
   * A request about intents or transaction cells as a region takes it.
   *
   * @param row gives what is stored of a row, by its key
   */
  RegionRequest regularRequest(RegionRequest request, Function<Bytes, StoredRow> row) {
    return request;
  }

  /** A row on which a rule decides. */
  StoredRow row(RegionRequest request, StoredRow row) {
    return row;
  }

  /** A row that the fast path reads. */
  StoredRow fastRow(FastReadRequest request, StoredRow row) {
    return row;
  }

  /** What a region keeps for writes that are committed at birth. */
  FastRegion fastRegion(FastRegion region, Clock clock) {
    return region;
  }

  /** Judges the cells of a flush or compaction. */
  Collecting collecting(CollectionScope scope) {
    return new Collecting(scope);
  }

  /** How long a hold lasts of which its owner is told that it lasts for {@code asked}. */
  Duration hold(Duration asked) {
    return asked;
  }

  /** Whether a read waits for writes that have drawn and are not visible. */
  boolean waitsForWrites() {
    return true;
  }
}
