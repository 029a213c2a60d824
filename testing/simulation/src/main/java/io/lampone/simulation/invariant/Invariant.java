package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.hbase.Compaction;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Place;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A property that always holds. It receives every event that concerns it, at the moment of the
 * event, and reports a violation at once. Its name is the name of its class.
 */
public interface Invariant {

  /** A transaction manager sends a reply. */
  default void answered(String manager, long epoch, WireReply reply) {}

  /** A transaction manager has acquired an epoch. */
  default void becamePrimary(String manager, long epoch) {}

  /**
   * A transaction manager admits validations of a principal.
   *
   * @param fraction of the table or memory that they fill sooner
   */
  default void admitted(String manager, String principal, double fraction) {}

  /**
   * A transaction is refused because the state that it needs has been forgotten.
   *
   * @param begunNanos true time before which it has not begun
   */
  default void tooOld(long start, long begunNanos) {}

  /** Cells have become durable. */
  default void appended(RegionLog log, List<RegionLog.RowWrite> writes) {}

  /** A flush or compaction has ended. */
  default void collected(RegionLog log, Compaction.Result result) {}

  /** The end of a run: of this region each row was read, written and read again. */
  default void swept(RegionLog log) {}

  /** Cells have become durable, at the server that did it. */
  default void written(RegionServer server, List<RegionLog.RowWrite> writes) {}

  /** A server answers a read at a snapshot. */
  default void served(RegionServer server, long snapshot) {}

  /** A server accepts a reader's claim that a transaction has committed. */
  default void judged(long start, long commit) {}

  /** A transaction manager has granted a hold on a snapshot, for so long of true time at least. */
  default void held(long snapshot, long nanos) {}

  /** A region server refuses a snapshot because it lies below the safe point. */
  default void unreadable(long snapshot) {}

  /** The record has changed. */
  default void recorded(ManagerRecord record) {}

  /** A transaction is about to request its commit, with these writes. */
  default void intends(long start, Map<Place, Optional<Bytes>> writes) {}

  /** An operation of the fast path that changes a row without reading is about to be requested. */
  default void intends(OperationId id, Bytes row, Mutation mutation) {}

  /** A serializable transaction has begun. */
  default void serializable(long start) {}

  /**
   * The client of a transaction requests a commit timestamp.
   *
   * @param conditional false also after a conditional request that has certainly been refused
   */
  default void conditional(long start, boolean conditional) {}

  /**
   * The client of a transaction requests its validation, or the vote of a validator; the hashes of
   * all its requests are those of the transaction.
   */
  default void validates(long start, long[] checks, long[] records) {}

  /** The client of a transaction commits its leader. */
  default void commitsItself(long start) {}

  /** A transaction has read a column that it has not written; empty = no value. */
  default void read(long snapshot, Place place, Optional<Bytes> value) {}

  /**
   * A transaction without a snapshot was shown a column, empty = no value, and takes it for what
   * all snapshots from the lowest to the highest show.
   */
  default void interval(long lowest, long highest, Place place, Optional<Bytes> value) {}

  /** A read of the fast path has shown a row. */
  default void shown(RowView row) {}

  /** Notes that a client received the acknowledgement of its commit. */
  default void acknowledged(long start, long commit) {}

  /** Notes that a client learned that its transaction has left no trace. */
  default void denied(long start) {}

  /** Notes that a client learned that an operation of the fast path was applied. */
  default void applied(OperationId id, long version) {}

  /**
   * Notes that a client learned that an operation of the fast path was not applied, and will not
   * be.
   */
  default void notApplied(OperationId id) {}
}
