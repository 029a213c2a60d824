package io.lampone.coprocessor.write;

import io.lampone.coprocessor.FastReadHandler;
import io.lampone.coprocessor.Guard;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.SnapshotReads;
import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fence.Refused;
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
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.jspecify.annotations.Nullable;

/**
 * Operations of plain HBase clients on a transactional table that admits them: each is a separate
 * transaction on the fast path (protocol page, section 8). Puts and deletes stay in HBase's batch
 * (see {@link PlainBatches}); what reads before it writes runs under the exclusive lock.
 *
 * <p>A plain client cannot resolve an intent. It gets RegionTooBusyException, which HBase's client
 * retries until the intent's owner, or another client of ours, has ended it.
 */
public final class PlainClientSupport {

  /** HBase's RPC method by which a client scans. */
  private static final String SCAN = "Scan";

  private final OpenRegion open;
  private final CoprocessorChain chain;
  private final Permissions permissions;
  private final PlainBatches batches;

  /** Depth of the batches that this thread executes: an observer of one may write another. */
  private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);

  /** Present if the batches may have some of this thread in flight. */
  private final ThreadLocal<Boolean> used = new ThreadLocal<>();

  /** The increment or append that this thread has executed last. */
  private final ThreadLocal<Mutation> built = new ThreadLocal<>();

  public PlainClientSupport(OpenRegion open, CoprocessorChain chain) {
    this.open = open;
    this.chain = chain;
    this.permissions = Permissions.ofPlain(open, chain);
    this.batches = new PlainBatches(open);
  }

  /** Returns the exception that makes HBase's client retry after a pause. */
  public static IOException busy(String table) {
    return new RegionTooBusyException(
        "a transaction that has written here has not ended yet; HBase's client comes again by"
            + " itself, table="
            + table);
  }

  /**
   * Runs work for a plain client: a temporary refusal, e.g. because the region has just been
   * opened, becomes an exception that HBase's client retries.
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

  /** Converts a failure that a hook within the work has already reported to HBase. */
  public static IOException patient(IOException failure) {
    return failure instanceof RefusalException refusal && passes(refusal.refusal())
        ? new RegionTooBusyException(refusal.refusal().toText())
        : failure;
  }

  /** Includes a table being enabled or disabled, since the client has no transaction. */
  private static boolean passes(Refusal refusal) {
    return refusal.code().advice() == Refusal.Advice.SAME_REQUEST
        || refusal.code() == Refusal.Code.TABLE_CHANGING;
  }

  /** Runs work without a result in the same way. */
  public static void patientlyDo(Guard.Action action) throws IOException {
    patiently(
        () -> {
          action.run();
          return Boolean.TRUE;
        });
  }

  /** Returns true if the table admits all operations of plain clients. */
  public boolean areAdmitted() {
    return is(PlainClients.FAST_PATH);
  }

  /** Returns true if the table admits Apache Phoenix's operations outside of transactions. */
  public boolean isPhoenix() {
    return is(PlainClients.PHOENIX);
  }

  private boolean is(PlainClients mode) {
    return open.settings().filter(settings -> settings.plainClients() == mode).isPresent();
  }

  /** Returns true if the read is to be executed here, and is not an administrator's maintenance. */
  public boolean admitsRead(OperationWithAttributes read) {
    return (areAdmitted() || isPhoenix()) && !isMaintenance(read);
  }

  /** Returns true if the write is to be executed here, and is not maintenance. */
  public boolean admits(OperationWithAttributes write) {
    return (areAdmitted() || isPhoenix() && isWithinRegion()) && !isMaintenance(write);
  }

  /**
   * Refuses an operation, unless it is maintenance of a table that is being changed: then its
   * sender needs the right to change it. What it reads must not be filtered, also in a plain table:
   * its sender concludes from what is not there.
   */
  public void refuse(String operation, OperationWithAttributes carrier) throws IOException {
    if (!isMaintenance(carrier)
        || open.settings().filter(settings -> settings.phase() == Phase.ENABLED).isPresent()) {
      open.refusePlain(operation);
      return;
    }
    if (open.settings().isPresent()) {
      permissions.requireAdministration();
    }
    if (carrier instanceof Scan scan) {
      permissions.requireReadable(scan);
    } else if (carrier instanceof Get get) {
      permissions.requireReadable(new Scan(get));
    }
  }

  static boolean isMaintenance(OperationWithAttributes operation) {
    return operation.getAttribute(TableSettings.MAINTENANCE_ATTRIBUTE) != null;
  }

  /**
   * Returns true if a coprocessor of the region writes while it scans. A write without a call may
   * come from the server's connection to itself, on behalf of the server's user.
   */
  private static boolean isWithinRegion() {
    return RpcServer.getCurrentCall()
        .map(call -> call.getMethod() != null && call.getMethod().getName().equals(SCAN))
        .orElse(false);
  }

  /**
   * Checks each mutation of a batch before any lock is taken.
   *
   * @param builds whether it is an increment or append
   */
  public void require(Mutation mutation, WALEdit batch, boolean builds) {
    batches.requireUnmixed(batch, builds);
    if (isPhoenix()) {
      PlainMutations.requireNoneReserved(mutation); // its timestamps are ignored
    } else {
      PlainMutations.requireSupported(mutation);
    }
    new RequestGuards(open).requireCells(mutation.size());
    requireReady();
    // Cells of one row are moved to one of its mutations. HBase reads its durability later.
    mutation.setDurability(LockedRequest.durability(mutation.getDurability(), open));
  }

  /** Returns the batches of puts and deletes. */
  public PlainBatches batches() {
    used.set(true);
    return batches;
  }

  /** Notes that this thread begins to execute a batch. */
  public void enteredBatch() {
    depth.get()[0]++;
  }

  /**
   * Ends what this thread has in flight when it has left its last batch: HBase calls none of our
   * hooks at the end of a batch if another observer throws in one of them.
   */
  public void leftBatch() {
    if (--depth.get()[0] > 0) {
      return;
    }
    depth.remove();
    if (used.get() != null) {
      used.remove();
      batches.left();
    }
  }

  /** Executes an increment or append in HBase's place, if plain clients are admitted. */
  public Optional<Result> buildInstead(ObserverContext<?> context, Mutation mutation)
      throws IOException {
    if (!areAdmitted()) {
      return Optional.empty();
    }
    context.bypass();
    return Optional.of(patiently(() -> build(mutation)));
  }

  /** Executes an increment or append; called under the exclusive lock of its row. */
  Result build(Mutation mutation) throws IOException {
    Bytes row = Bytes.wrap(mutation.getRow());
    FastOperation operation =
        PlainMutations.operation(row, new FastCondition.Always(), List.of(mutation));
    FastAttempt attempt =
        open.attempt(
            new FastWrite(0, 0, false, List.of(operation)),
            open.rules(open.requireTransactional()),
            true);
    FastBatch write =
        new FastBatch(
            new FastWrite(0, 0, true, List.of(operation)),
            List.of(row),
            attempt,
            open,
            permissions);
    try {
      // This thread already holds the lock, and takes it again.
      open.region()
          .mutateRowsWithLocks(
              write.mutations(), write.rows(), HConstants.NO_NONCE, HConstants.NO_NONCE);
    } catch (ExhaustedException e) {
      throw PlainBatches.exhausted();
    } catch (IOException | RuntimeException e) {
      attempt.failed((written, version) -> LockedRequest.isVisible(open, written, version));
      throw e;
    } finally {
      attempt.end();
    }
    Result result = result(row, requireApplied(write.reply().outcomes().get(0)));
    built.set(mutation);
    return result;
  }

  /**
   * Returns a client's result of an increment or append that HBase has executed, or has recognized
   * as a repetition: for the latter HBase would return the newest cells as they are stored,
   * including intents of any transaction.
   *
   * @param told returned by HBase
   */
  public Optional<Result> afterBuild(Mutation mutation, @Nullable Result told) throws IOException {
    if (built.get() == mutation) {
      // Nothing here may fail: HBase would never end the operation's nonce, and a repetition would
      // wait for that forever.
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

  /** Executes a checkAndMutate. */
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

  /** Returns the answer to a Get; the caller bypasses HBase's own. */
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

  private Outcome requireApplied(Outcome outcome) throws IOException {
    return switch (outcome.kind()) {
      case COMMITTED, APPLIED_BEFORE -> outcome;
      case BAD_VALUE ->
          throw new DoNotRetryIOException(
              "a column is not 8 bytes long, or would grow too large, table=" + open.table());
      default -> throw busy(open.table());
    };
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
