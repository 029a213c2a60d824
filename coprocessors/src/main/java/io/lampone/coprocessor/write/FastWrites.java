package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.TimestampBatches.Arrival;
import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes a request whose writes are committed at birth (protocol page, section 8): guards, then
 * HBase's write path with all rows locked exclusively, as one log entry and one MVCC transaction.
 *
 * <p>If no version can be drawn, the locks are released and the attempt is repeated when ticks have
 * arrived: a dedicated thread fetches them, and no lock is held meanwhile.
 */
public final class FastWrites {

  private static final Logger LOG = LoggerFactory.getLogger(FastWrites.class);

  /** Maximum wait for a tick; then the request is refused as retryable. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final OpenRegion open;
  private final RequestGuards guards;

  private final Permissions permissions;

  private final RareLine failures = new RareLine(SystemClock.INSTANCE);

  public FastWrites(OpenRegion open, Permissions permissions) {
    this.open = open;
    this.permissions = permissions;
    this.guards = new RequestGuards(open);
  }

  /** Returns true if the request is of a kind that is executed here. */
  public static boolean executes(RegionRequest request) {
    return request instanceof FastWrite
        || request instanceof OneRegionCommit
        || request instanceof OperationLookup;
  }

  public FastReply execute(RegionRequest request) throws IOException {
    TableSettings settings = open.requireTransactional();
    List<Bytes> rows = request.rows();
    guards.requireRows(rows);
    requireWellFormed(request, settings);
    if (!(request instanceof OperationLookup)) {
      guards.requireFastPath(settings);
    }
    if (request instanceof OneRegionCommit commit) {
      TableGeneration.require(commit.startTimestamp(), open.generation().floor());
    }
    if (request instanceof OneRegionCommit commit && commit.startTimestamp() < settings.floor()) {
      throw Refused.because(
          Refusal.Code.BELOW_FLOOR,
          "transaction began before the table was enabled, start=" + commit.startTimestamp());
    }
    if (request instanceof OneRegionCommit commit
        && commit.startTimestamp() < settings.schemaFloor()) {
      throw Refused.because(
          Refusal.Code.BELOW_FLOOR,
          "transaction began before an index was added to the table: the transaction manager has to"
              + " validate it, start="
              + commit.startTimestamp());
    }
    permissions.requireReadable(request);
    FastAdmission.admit(request, open.guards());
    return run(request, rows, settings);
  }

  private FastReply run(RegionRequest request, List<Bytes> rows, TableSettings settings)
      throws IOException {
    while (true) {
      Arrival known = open.ticks().newest();
      try {
        return attempt(request, rows, settings);
      } catch (ExhaustedException e) {
        if (e.needsTicks()) {
          awaitTicks(known);
        }
      }
    }
  }

  private FastReply attempt(RegionRequest request, List<Bytes> rows, TableSettings settings)
      throws IOException {
    TableRules rules = open.rules(settings);
    FastAttempt attempt = open.attempt(request, rules, true);
    FastBatch batch = new FastBatch(request, rows, attempt, open, permissions);
    try {
      open.region()
          .mutateRowsWithLocks(
              batch.mutations(), batch.rows(), HConstants.NO_NONCE, HConstants.NO_NONCE);
    } catch (IOException | RuntimeException e) {
      attempt.failed((row, version) -> LockedRequest.isVisible(open, row, version));
      if (attempt.isDrawn()) {
        throw inDoubt(e);
      }
      throw e;
    } finally {
      attempt.end();
    }
    FastReply reply = batch.reply();
    if (!attempt.isDrawn()) {
      // An answer that changed nothing is a read, which no log entry confirms: also "committed" for
      // rows that were only checked. A refusal after a write would deny what is in the log.
      open.requireSession();
    }
    return reply;
  }

  /**
   * Returns the exception for a failure after a version has been drawn. No rule refuses any more:
   * log, store or another observer has failed, and the write may have been applied. A client must
   * take it neither for a refusal nor for an exception that HBase throws before it begins: it would
   * send the write again unmarked.
   */
  private IOException inDoubt(Exception failure) {
    failures
        .happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "A write has failed after it was decided; if its row is refused from now on,"
                        + " move the region in the HBase shell, table={} region={} times={}",
                    open.table(),
                    open.region().getRegionInfo().getEncodedName(),
                    times,
                    failure));
    String text =
        "the write has failed after it was decided, and may have been carried out; see the server's"
            + " log, error="
            + failure.toString().replace('[', '(');
    return failure instanceof DoNotRetryIOException
        ? new DoNotRetryIOException(text)
        : new IOException(text);
  }

  private void awaitTicks(Arrival known) {
    open.server().counts().waitedForTicks();
    try {
      if (open.ticks().awaitNewer(known, LONGEST_WAIT_NANOS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw Refused.because(
        Refusal.Code.NOT_READY,
        "no version can be drawn: the transaction manager has issued no timestamp to this server"
            + " lately, see its log if this lasts");
  }

  private void requireWellFormed(RegionRequest request, TableSettings settings) throws IOException {
    int cells = 0;
    if (request instanceof FastWrite write) {
      for (FastOperation operation : write.operations()) {
        cells += operation.mutations().size();
        requireOperation(operation);
      }
    } else if (request instanceof OneRegionCommit commit) {
      guards.requireLevel(commit.level(), settings);
      cells += requireReads(commit);
      for (RowIntents row : commit.intents()) {
        for (FamilyIntents family : row.families()) {
          cells += family.cells().size();
          requireIntents(row.row(), family);
        }
      }
    }
    guards.requireCells(cells);
  }

  /** Returns the number of columns and families that were read. */
  private int requireReads(OneRegionCommit commit) throws IOException {
    if (commit.reads().isEmpty()) {
      return 0;
    }
    guards.requireRows(commit.reads().stream().map(RowRead::row).toList());
    guards.requireCertifiable(commit.level());
    int places = 0;
    for (RowRead read : commit.reads()) {
      places += read.scope().size();
      for (Place place : read.scope()) {
        requirePlace(read.row(), place);
      }
    }
    return places;
  }

  private void requirePlace(Bytes row, Place place) throws IOException {
    guards.requireFamily(place.family());
    guards.requireQualifier(row, place.qualifier());
  }

  private void requireOperation(FastOperation operation) throws IOException {
    Bytes row = operation.row();
    if (operation.condition() instanceof Compare compare) {
      guards.requireFamily(compare.family());
      guards.requireQualifier(row, compare.qualifier());
    } else if (operation.condition() instanceof Unchanged unchanged) {
      for (Place place : unchanged.scope()) {
        requirePlace(row, place);
      }
    }
    for (Mutation mutation : operation.mutations()) {
      if (mutation.kind() != Kind.DELETE_ROW) {
        guards.requireFamily(mutation.family());
      }
      guards.requireQualifier(row, mutation.qualifier());
      guards.requireValue(row, mutation.value());
    }
  }

  private void requireIntents(Bytes row, FamilyIntents family) throws IOException {
    for (IntentCell cell : family.cells()) {
      if (cell.kind() == RegionRequest.IntentKind.DELETE_FAMILY) {
        guards.requireRowDelete(row, cell);
      }
    }
    guards.requireFamily(family.family());
    Set<Bytes> seen = new HashSet<>();
    boolean wellFormed =
        family.followers().isEmpty() && family.rolledBackSlots().equals(SlotSet.NONE);
    for (IntentCell cell : family.cells()) {
      wellFormed &= cell.slot() == 0;
      if (cell.kind() != RegionRequest.IntentKind.DELETE_FAMILY) {
        wellFormed &= seen.add(cell.qualifier());
        guards.requireQualifier(row, cell.qualifier());
      } else {
        wellFormed &= cell.qualifier().isEmpty() || Reserved.isReserved(cell.qualifier());
      }
      guards.requireValue(row, cell.value());
    }
    if (!wellFormed) {
      throw Refused.because(
          Refusal.Code.MALFORMED, row, "write set has savepoints, followers, or a column twice");
    }
  }
}
