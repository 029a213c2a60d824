package io.lampone.coprocessor.write;

import io.lampone.coprocessor.FastReadHandler;
import io.lampone.coprocessor.Guard;
import io.lampone.coprocessor.HBaseRow;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.SnapshotReads;
import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.jspecify.annotations.Nullable;

/**
 * Operations of plain HBase clients on a transactional table that lets them in: each is a
 * transaction of its own on the fast path (protocol page, section 8).
 *
 * <p>Puts and deletes stay in the batch in which HBase carries them out: their cells are replaced
 * under the row locks, by cells at one version for the whole batch. For an ordinary batch those
 * locks are shared ones (E8), and that is enough: what is blind only has to keep out of the way of
 * intents, which take the lock exclusively, and to get a version above everything on the row, which
 * the clock gives to each of two writers. A batch that HBase carries out as one, RowMutations, thus
 * remains one. Whatever reads before it writes runs under the exclusive lock.
 *
 * <p>A plain client cannot resolve an intent. It is told that the region is too busy, which makes
 * HBase's client come again by itself until the intent's owner, or another client of ours, has
 * ended it.
 */
public final class PlainClientSupport {

  /** Name of HBase's call by which a client scans. */
  private static final String SCAN = "Scan";

  private final OpenRegion open;
  private final CoprocessorChain chain;
  private final Permissions permissions;

  /**
   * Batches whose writes are in flight, by each of their mutations: HBase shows them one by one
   * when they have been carried out, and those that were not it leaves out. Guarded by itself.
   */
  private final Map<Mutation, Batch> inFlight = new IdentityHashMap<>();

  private record Batch(FastAttempt attempt, List<Mutation> mutations) {}

  /** The increment or append that this thread has carried out last. */
  private final ThreadLocal<Mutation> built = new ThreadLocal<>();

  /**
   * The batch whose mutations this thread is being shown, one by one: HBase shows each together
   * with one edit for the batch.
   */
  private final ThreadLocal<Shown> shown = new ThreadLocal<>();

  private record Shown(WALEdit batch, boolean builds) {}

  public PlainClientSupport(OpenRegion open, CoprocessorChain chain) {
    this.open = open;
    this.chain = chain;
    this.permissions = Permissions.ofPlain(open, chain);
  }

  /** Returns the exception that makes HBase's client retry after a pause. */
  public static IOException busy(String table) {
    return new RegionTooBusyException(
        "a transaction that has written here has not ended yet; HBase's client comes again by"
            + " itself, table="
            + table);
  }

  /**
   * Works for a plain client: what passes by itself, because the region has just been opened say,
   * is told in words that make HBase's client come again.
   */
  public static <T> T patiently(Guard.Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (Refused e) {
      if (passes(e.refusal())) {
        throw new RegionTooBusyException(e.refusal().toText());
      }
      throw e;
    } catch (RefusalException e) {
      throw patient(e);
    }
  }

  /** The same of a failure that a hook within the work has told HBase of already. */
  public static IOException patient(IOException failure) {
    return failure instanceof RefusalException refusal && passes(refusal.refusal())
        ? new RegionTooBusyException(refusal.refusal().toText())
        : failure;
  }

  /** A table that is being enabled or disabled, too, for a client that has no transaction. */
  private static boolean passes(Refusal refusal) {
    return refusal.code().advice() == Refusal.Advice.SAME_REQUEST
        || refusal.code() == Refusal.Code.TABLE_CHANGING;
  }

  /** The same for work without a result. */
  public static void patientlyDo(Guard.Action action) throws IOException {
    patiently(
        () -> {
          action.run();
          return Boolean.TRUE;
        });
  }

  /** Returns true if the table admits all that plain clients do. */
  public boolean areAdmitted() {
    return is(PlainClients.FAST_PATH);
  }

  /** Returns true if the table admits what Apache Phoenix does without a transaction. */
  public boolean isPhoenix() {
    return is(PlainClients.PHOENIX);
  }

  private boolean is(PlainClients mode) {
    return open.settings().filter(settings -> settings.plainClients() == mode).isPresent();
  }

  /**
   * Returns true if the read is to be carried out here, and is not one of the administrator's
   * maintenance.
   */
  public boolean admitsRead(OperationWithAttributes read) {
    return (areAdmitted() || isPhoenix()) && !isMaintenance(read);
  }

  /** The same for a write. */
  public boolean admits(OperationWithAttributes write) {
    return (areAdmitted() || isPhoenix() && isWithinRegion()) && !isMaintenance(write);
  }

  /**
   * Refuses an operation, unless it is maintenance and the table is being changed: then its sender
   * must be permitted to change it.
   */
  public void refuse(String operation, OperationWithAttributes carrier) throws IOException {
    if (isMaintenance(carrier)
        && open.settings().filter(settings -> settings.phase() == Phase.CHANGING).isPresent()) {
      permissions.requireAdministration();
    } else {
      open.refusePlain(operation);
    }
  }

  private static boolean isMaintenance(OperationWithAttributes operation) {
    return operation.getAttribute(TableSettings.MAINTENANCE_ATTRIBUTE) != null;
  }

  /**
   * Returns true if a coprocessor of the region writes while it scans. A write without a call may
   * come from a connection of the server to itself, in the name of the server's user.
   */
  private static boolean isWithinRegion() {
    return RpcServer.getCurrentCall()
        .map(call -> call.getMethod() != null && call.getMethod().getName().equals(SCAN))
        .orElse(false);
  }

  /**
   * Called for each mutation of a batch before any lock is taken.
   *
   * @param builds whether it is an increment or append, which HBase carries out one by one: among
   *     others in one RowMutations they would not be atomic
   */
  public void require(Mutation mutation, WALEdit batch, boolean builds) {
    Shown last = shown.get();
    boolean sameBatch = last != null && last.batch() == batch;
    shown.set(new Shown(batch, builds));
    if (sameBatch && (builds || last.builds())) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED,
          "RowMutations with an increment or append need the Lampone client, table="
              + open.table());
    }
    if (isPhoenix()) {
      PlainMutations.requireNoneReserved(mutation); // and its timestamps count for nothing
    } else {
      PlainMutations.requireSupported(mutation);
    }
    requireReady();
    // Cells of one row travel in one of its mutations. HBase takes its durability from here on.
    mutation.setDurability(LockedRequest.durability(mutation.getDurability(), open));
  }

  /** Replaces the cells of puts and deletes; called under their row locks. */
  public void rewrite(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
    Map<Bytes, List<Integer>> byRow = new TreeMap<>();
    for (int i = 0; i < batch.size(); i++) {
      Mutation mutation = batch.getOperation(i);
      if ((mutation instanceof Put || mutation instanceof Delete)
          && batch.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
        byRow.computeIfAbsent(Bytes.wrap(mutation.getRow()), r -> new ArrayList<>()).add(i);
      }
    }
    if (byRow.isEmpty()) {
      return;
    }
    List<FastOperation> operations = new ArrayList<>();
    List<StoredRow> rows = new ArrayList<>();
    for (Map.Entry<Bytes, List<Integer>> entry : byRow.entrySet()) {
      List<Mutation> mutations = entry.getValue().stream().map(batch::getOperation).toList();
      operations.add(
          PlainMutations.operation(entry.getKey(), new FastCondition.Always(), mutations));
      rows.add(open.row(entry.getKey(), HBaseRow.STORED));
    }
    // An ordinary batch holds shared locks; how this one is carried out cannot be seen from here.
    FastAttempt attempt = attempt(operations, false);
    register(
        new Batch(
            attempt,
            byRow.values().stream().flatMap(List::stream).map(batch::getOperation).toList()));
    List<Written> written = decide(attempt, rows);
    int next = 0;
    for (List<Integer> indexes : byRow.values()) {
      replace(batch, indexes, written.get(next), byRow.size() == 1);
      next++;
    }
  }

  /** Leaves a batch as it is: maintenance brings cells of every kind, transaction cells too. */
  public void leave(MiniBatchOperationInProgress<Mutation> batch) {
    for (int i = 0; i < batch.size(); i++) {
      Bytes row = Bytes.wrap(batch.getOperation(i).getRow());
      open.fast().settled().forget(row);
      open.fast().known().forget(row);
    }
  }

  private void register(Batch batch) {
    synchronized (inFlight) {
      batch.mutations().forEach(mutation -> inFlight.put(mutation, batch));
    }
  }

  /**
   * Called when HBase has made the cells of a batch visible, or has rolled them back, with any of
   * its mutations.
   *
   * @param success whether they are visible
   */
  public void ended(Mutation mutation, boolean success) {
    if (mutation instanceof RequestPut) {
      return; // ends in another way, and often
    }
    Batch batch;
    synchronized (inFlight) {
      batch = inFlight.get(mutation);
      if (batch == null) {
        return;
      }
      batch.mutations().forEach(inFlight::remove);
    }
    if (!success) {
      batch.attempt().failed(() -> LockedRequest.awaitVisible(open));
    }
    batch.attempt().end();
  }

  /** Carries out an increment or append in HBase's stead, if plain clients are admitted. */
  public Optional<Result> buildInstead(ObserverContext<?> context, Mutation mutation)
      throws IOException {
    if (!areAdmitted()) {
      return Optional.empty();
    }
    context.bypass();
    return Optional.of(patiently(() -> build(mutation)));
  }

  /** Carries out an increment or append; called under the exclusive lock of its row. */
  Result build(Mutation mutation) throws IOException {
    Bytes row = Bytes.wrap(mutation.getRow());
    FastOperation operation =
        PlainMutations.operation(row, new FastCondition.Always(), List.of(mutation));
    FastAttempt attempt = attempt(List.of(operation), true);
    FastBatch write =
        new FastBatch(
            new FastWrite(0, 0, true, List.of(operation)),
            List.of(row),
            attempt,
            open,
            permissions);
    try {
      // The lock is ours already, and is taken once more.
      open.region()
          .mutateRowsWithLocks(
              write.mutations(), write.rows(), HConstants.NO_NONCE, HConstants.NO_NONCE);
    } catch (ExhaustedException e) {
      throw tooBusy();
    } catch (IOException | RuntimeException e) {
      attempt.failed(() -> LockedRequest.awaitVisible(open));
      throw e;
    } finally {
      attempt.end();
    }
    Result result = result(row, requireApplied(write.reply().outcomes().get(0)));
    built.set(mutation);
    return result;
  }

  /**
   * Returns the result that a client gets of an increment or append that HBase has carried out, or
   * has recognized as a repetition: for the latter HBase would return the newest cells as they are
   * stored, including intents of any transaction.
   *
   * @param told returned by HBase
   */
  public Optional<Result> afterBuild(Mutation mutation, @Nullable Result told) throws IOException {
    if (built.get() == mutation) {
      // Nothing that can fail: HBase would never end the operation's nonce, and a repetition would
      // wait for that for good.
      built.remove();
      return Optional.ofNullable(told);
    }
    if (!areAdmitted()) {
      return Optional.ofNullable(told);
    }
    boolean wanted =
        mutation instanceof Increment increment
            ? increment.isReturnResults()
            : ((Append) mutation).isReturnResults();
    if (!wanted) {
      return Optional.of(Result.EMPTY_RESULT);
    }
    Get get = new Get(mutation.getRow());
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        get.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
      }
    }
    return Optional.of(Result.create(patiently(() -> get(get))));
  }

  /** Carries out a checkAndMutate. */
  public CheckAndMutateResult checkAndMutate(CheckAndMutate operation) throws IOException {
    Bytes row = Bytes.wrap(operation.getRow());
    List<Mutation> mutations = PlainMutations.mutations(operation);
    mutations.forEach(PlainMutations::requireSupported);
    mutations.forEach(PlainMutations::requireRepeatable);
    FastOperation fast =
        PlainMutations.operation(row, PlainMutations.condition(operation), mutations);
    FastReply reply =
        new FastWrites(open, permissions).execute(new FastWrite(0, 0, true, List.of(fast)));
    Outcome outcome = reply.outcomes().get(0);
    if (outcome.kind() == FastReply.Kind.CONDITION_FALSE) {
      return new CheckAndMutateResult(false, null);
    }
    return new CheckAndMutateResult(true, result(row, requireApplied(outcome)));
  }

  /** The answer to a Get; the caller bypasses HBase's own. */
  public List<Cell> get(Get get) throws IOException {
    TableSettings settings = open.requireTransactional();
    new RequestGuards(open).requireFastPath(settings);
    return new FastReadHandler(open, new SnapshotReads(open, chain)).answerPlain(get, settings);
  }

  private void requireReady() {
    new RequestGuards(open).requireFastPath(open.requireTransactional());
    open.fence().requireKnown(0);
    open.gate().requireOpen();
    open.generation().floor();
  }

  private FastAttempt attempt(List<FastOperation> operations, boolean exclusive) {
    TableSettings settings = open.requireTransactional();
    TableRules rules = open.rules(settings);
    return open.attempt(new FastWrite(0, 0, false, operations), rules, exclusive);
  }

  private static List<Written> decide(FastAttempt attempt, List<StoredRow> rows)
      throws IOException {
    try {
      return attempt.decide(rows);
    } catch (ExhaustedException e) {
      throw tooBusy();
    }
  }

  private void replace(
      MiniBatchOperationInProgress<Mutation> batch,
      List<Integer> indexes,
      Written written,
      boolean onlyRow)
      throws IOException {
    if (written.outcome().kind() != FastReply.Kind.COMMITTED) {
      IOException busy = busy(open.table());
      if (onlyRow) {
        // It may be one RowMutations: HBase does not look at the status of its parts.
        throw busy;
      }
      for (int index : indexes) {
        batch.setOperationStatus(
            index, new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, busy.getMessage()));
      }
      return;
    }
    for (int index : indexes) {
      batch.getOperation(index).getFamilyCellMap().clear();
    }
    LockedRequest.fill(batch.getOperation(indexes.get(0)), written.writes());
  }

  private Outcome requireApplied(Outcome outcome) throws IOException {
    return switch (outcome.kind()) {
      case COMMITTED, APPLIED_BEFORE -> outcome;
      case BAD_VALUE ->
          throw new DoNotRetryIOException(
              "a column is not 8 bytes long, or would grow too large, table=" + open.table());
      default -> throw busy(open.table());
    };
  }

  private static IOException tooBusy() {
    return new RegionTooBusyException("no version can be drawn at the moment");
  }

  private static Result result(Bytes row, Outcome outcome) {
    List<Cell> cells = new ArrayList<>();
    for (ResultCell cell : outcome.cells()) {
      cells.add(
          new KeyValue(
              row.unsafeArray(),
              cell.family().unsafeArray(),
              cell.qualifier().unsafeArray(),
              outcome.version(),
              cell.value().unsafeArray()));
    }
    cells.sort(CellComparator.getInstance());
    return Result.create(cells);
  }
}
