package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The fast path as the client library uses it, without the client library. */
public final class FastTable {

  public static final Bytes F = Bytes.utf8("f");
  public static final Bytes Q = Bytes.utf8("q");

  private final TinyCluster cluster;
  private final TestTable table;
  private final long base;
  private final AtomicLong operations = new AtomicLong();

  /** The session's. */
  private final AtomicLong mark;

  /** The newest opening that a repetition was told of; 0 = none. */
  private final AtomicLong opening = new AtomicLong();

  /**
   * @param base floor of the table
   */
  public FastTable(TinyCluster cluster, TestTable table, long base) {
    this.cluster = cluster;
    this.table = table;
    this.base = base;
    this.mark = new AtomicLong(base);
  }

  /** What a read of the fast path has shown. */
  public record Seen(List<String> cells, FastReadReply reply) {}

  /** With a newer mark, if the region has been opened since; as every session does. */
  FastReply send(RegionRequest request) throws IOException {
    try {
      return TestTable.retrying(() -> sendMarked(request));
    } catch (IOException e) {
      if (!isTooOldMark(e) || !(request instanceof FastWrite write)) {
        throw e;
      }
      FastWrite marked =
          new FastWrite(
              write.floor(), write.mark(), write.atomic(), newlyMarked(write.operations(), e));
      return TestTable.retrying(() -> sendMarked(marked));
    }
  }

  static boolean isTooOldMark(IOException e) {
    Refusal refusal = TestTable.refusalIn(e);
    return refusal != null && refusal.code() == Code.BELOW_SAFE_POINT;
  }

  /** The operations with the mark that their refusal has told. */
  List<FastOperation> newlyMarked(List<FastOperation> operations, IOException e) {
    long told = Objects.requireNonNull(TestTable.refusalIn(e)).winnerCommitTimestamp();
    long known = mark.accumulateAndGet(told, Math::max);
    return operations.stream().map(operation -> operation.withFirstMark(known)).toList();
  }

  /** With the mark of the newest opening that an earlier request was told of. */
  FastReply sendMarked(RegionRequest request) throws IOException {
    RegionRequest marked = request;
    if (request instanceof FastWrite write) {
      long known = Math.max(write.mark(), opening.get());
      marked = new FastWrite(write.floor(), known, write.atomic(), write.operations());
    } else if (request instanceof OneRegionCommit commit && commit.repeated()) {
      marked = commit.again(Math.max(commit.mark(), opening.get()), IssueProof.NONE);
    }
    try {
      return sendOnce(marked);
    } catch (IOException e) {
      Refusal refusal = TestTable.refusalIn(e);
      if (refusal != null && refusal.code() == Code.NOT_READY) {
        opening.accumulateAndGet(refusal.winnerCommitTimestamp(), Math::max);
      }
      throw e;
    }
  }

  FastReply sendOnce(RegionRequest unshown) throws IOException {
    RegionRequest request = unshown;
    if (unshown instanceof FastWrite write && write.mark() != 0) {
      request =
          new FastWrite(
              write.floor(),
              write.mark(),
              write.atomic(),
              write.operations(),
              Ticks.begun(Timestamps.tick(write.mark())));
    } else if (unshown instanceof OneRegionCommit commit && commit.repeated()) {
      request = commit.again(commit.mark(), Ticks.begun(Timestamps.tick(commit.mark())));
    }
    try (Table hbase = table.connection().getTable(table.name())) {
      return Carrier.fastReply(hbase.checkAndMutate(Carrier.checkAndMutate(request)).getResult());
    }
  }

  public Outcome run(FastOperation... operations) throws IOException {
    return send(new FastWrite(0, base, operations.length > 1, List.of(operations)))
        .outcomes()
        .get(0);
  }

  public Outcome put(Bytes row, String value) throws IOException {
    return run(putOf(row, value));
  }

  FastOperation putOf(Bytes row, String value) {
    return operation(
        row, new FastCondition.Always(), new Mutation(Kind.PUT, F, Q, Bytes.utf8(value)));
  }

  public FastOperation operation(Bytes row, FastCondition condition, Mutation... mutations) {
    OperationId id = new OperationId(table.name().hashCode() | 1L, operations.incrementAndGet());
    return new FastOperation(row, id, false, mark.get(), condition, true, List.of(mutations));
  }

  public Seen get(Bytes row, FastReadRequest request) throws IOException {
    return get(new Get(row.toArray()), request);
  }

  public Seen get(Get get, FastReadRequest request) throws IOException {
    long known = Timestamps.tick(Math.max(request.mark(), request.upTo()));
    get.setAttribute(FastReadRequest.ATTRIBUTE, request.shown(Ticks.begun(known)).encode());
    try (Table hbase = table.connection().getTable(table.name())) {
      return TestTable.retrying(
          () -> {
            Result result = hbase.get(get);
            return new Seen(texts(result), Carrier.fastReadReply(result));
          });
    }
  }

  public static List<String> texts(Result result) {
    List<String> texts = new ArrayList<>();
    for (Cell cell : result.rawCells()) {
      if (!Carrier.isProof(cell)) {
        texts.add(
            Carrier.isPointer(cell) ? "pointer" : Bytes.wrap(CellUtil.cloneValue(cell)).toUtf8());
      }
    }
    return texts;
  }

  int serverOfRegion() {
    return cluster.server(0).getRegions(table.name()).isEmpty() ? 1 : 0;
  }

  int regions() {
    return cluster.server(0).getRegions(table.name()).size()
        + cluster.server(1).getRegions(table.name()).size();
  }

  public HRegion region() {
    return cluster.server(serverOfRegion()).getRegions(table.name()).get(0);
  }

  void move() throws Exception {
    HRegion from = region();
    int to = 1 - serverOfRegion();
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.move(from.getRegionInfo().getEncodedNameAsBytes(), cluster.server(to).getServerName());
    }
    TinyCluster.await(() -> !cluster.server(to).getRegions(table.name()).isEmpty());
  }

  public List<String> snapshot(Bytes row, long snapshot) throws IOException {
    return texts(table.get(new Get(row.toArray()), at(snapshot)));
  }

  public static List<String> texts(List<Cell> cells) {
    return texts(Result.create(cells));
  }

  ReadRequest at(long snapshot) {
    return new ReadRequest(
        snapshot, false, base, SlotSet.NONE, Map.of(), Ticks.begun(Timestamps.tick(snapshot)));
  }

  OneRegionCommit commit(long start, Bytes... rows) {
    List<RowIntents> intents =
        Arrays.stream(rows).map(row -> new RowIntents(row, List.of(family("one")))).toList();
    return new OneRegionCommit(
        start, base, 0, ConflictLevel.ROW, false, intents, Proofs.OPEN.grant(start, 0));
  }

  public Flush flush(long start, Bytes row) {
    RowIntents intents = new RowIntents(row, List.of(family("tentative")));
    return new Flush(
        start,
        base,
        ConflictLevel.ROW,
        table.place(row, F),
        1,
        List.of(intents),
        Proofs.OPEN.grant(start, 0));
  }

  static FamilyIntents family(String value) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8(value));
    return new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
  }

  static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .satisfies(
            error -> {
              var refusal = TestTable.refusalIn(error);
              assertThat(refusal).as(() -> String.valueOf(error)).isNotNull();
              assertThat(refusal.code()).isEqualTo(code);
            });
  }
}
