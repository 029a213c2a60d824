package io.lampone.coprocessor;

import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** All kinds of requests, each with the plain operations that it stands for. */
final class Kinds {

  static final Bytes F = Bytes.utf8("f");
  static final Bytes G = Bytes.utf8("g");
  static final Bytes Q = Bytes.utf8("q");
  private static final Bytes ROW = Bytes.utf8("r");
  private static final Bytes X = Bytes.utf8("x");
  private static final Bytes VALUE = Bytes.utf8("v");
  private static final Bytes ONE = Bytes.wrap(new byte[] {0, 0, 0, 0, 0, 0, 0, 1});

  private static final AtomicLong OPERATIONS = new AtomicLong();

  private Kinds() {}

  /** Something that a user does on a table. */
  interface Call {
    void on(TestTable table) throws IOException;
  }

  /**
   * A kind.
   *
   * @param request its type, if it is one that writes
   */
  record Kind(String name, Optional<Class<?>> request, Call ours, List<Call> plain) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface Making {
    RegionRequest of(TestTable table);
  }

  static List<Kind> all() {
    List<Kind> all = new ArrayList<>(reads());
    all.addAll(writes());
    all.addAll(statements());
    return all;
  }

  private static List<Kind> reads() {
    Get column = new Get(ROW.toArray()).addColumn(F.toArray(), Q.toArray());
    Get family = new Get(ROW.toArray()).addFamily(F.toArray());
    return List.of(
        read("fast read of a column", fast(column), get(column)),
        read("fast read of a family", fast(family), get(family)),
        read("fast read of a row", fast(new Get(ROW.toArray())), get(new Get(ROW.toArray()))),
        read("snapshot read of a column", t -> t.get(new Get(column), now()), get(column)),
        read("snapshot read of a family", t -> t.get(new Get(family), now()), get(family)),
        read("snapshot scan of a family", t -> t.scan(proven(), now()), scan()),
        read("inspection of a family", scan(Optional.of(InspectionPass.none())), scan()),
        read("inspection of a family with a pass", scan(Optional.of(pass())), scan()),
        read(
            "resolve by a column",
            t -> t.resolve(t.place(ROW, F), Q, PermissionMatrixIT.base()),
            get(column)),
        read(
            "leader read",
            t -> t.leader(t.place(ROW, F), PermissionMatrixIT.base(), PermissionMatrixIT.base()),
            get(new Get(ROW.toArray()).addColumn(F.toArray(), Reserved.TRANSACTION.toArray()))));
  }

  private static List<Kind> writes() {
    return List.of(
        write("flush of a column", t -> flush(t, ROW, F), put(F)),
        write("flush of two families", t -> flush(t, ROW, F, G), put(F, G)),
        write(
            "flush of a family's delete",
            t ->
                flushOf(
                    t,
                    ROW,
                    F,
                    new IntentCell(0, IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY)),
            delete(F)),
        write("one-region commit", t -> commit(t, F), put(F)),
        write("one-region commit of two families", t -> commit(t, F, G), put(F, G)),
        write(
            "one-region commit that has read a column",
            t -> commit(t, F).withReads(List.of(new RowRead(X, List.of(Place.column(F, Q))))),
            put(F),
            get(new Get(X.toArray()).addColumn(F.toArray(), Q.toArray()))),
        write(
            "one-region commit that has read another family",
            t -> commit(t, F).withReads(List.of(new RowRead(X, List.of(Place.family(G))))),
            put(F),
            get(new Get(X.toArray()).addFamily(G.toArray()))),
        write(
            "fast put",
            t -> fast(always(), false, mutation(FastOperation.Kind.PUT, VALUE)),
            put(F)),
        write(
            "fast increment",
            t -> fast(always(), false, mutation(FastOperation.Kind.INCREMENT, ONE)),
            put(F)),
        write(
            "fast increment that returns",
            t -> fast(always(), true, mutation(FastOperation.Kind.INCREMENT, ONE)),
            put(F),
            get(new Get(ROW.toArray()).addColumn(F.toArray(), Q.toArray()))),
        write(
            "fast delete of a column",
            t -> fast(always(), false, mutation(FastOperation.Kind.DELETE_COLUMN, Bytes.EMPTY)),
            put(F)),
        write(
            "fast put, comparing another family",
            t ->
                fast(
                    new FastCondition.Compare(G, Q, FastCondition.Operator.EQUAL, Bytes.EMPTY),
                    false,
                    mutation(FastOperation.Kind.PUT, VALUE)),
            put(F),
            get(new Get(ROW.toArray()).addColumn(G.toArray(), Q.toArray()))),
        write(
            "fast put, if another family is unchanged",
            t ->
                fast(
                    new FastCondition.Unchanged(
                        PermissionMatrixIT.base(), List.of(Place.family(G))),
                    false,
                    mutation(FastOperation.Kind.PUT, VALUE)),
            put(F),
            get(new Get(ROW.toArray()).addFamily(G.toArray()))));
  }

  private static List<Kind> statements() {
    long start = PermissionMatrixIT.base();
    return List.of(
        statement(
            new CommitLeader(
                start, start, ROW, F, start + 256, Proofs.OPEN.pass(start, start + 256)),
            Reserved.TRANSACTION),
        statement(new AbortLeader(start, start, ROW, F, false, Proof.NONE), Reserved.TRANSACTION),
        statement(
            new FinishLeader(start, start, ROW, F, start + 256, Proofs.OPEN.grant(start, 0)),
            Reserved.TRANSACTION),
        statement(
            Fates.heal(start, start, List.of(ROW), start + 256, new RowFamily("x", ROW, F)), Q),
        statement(
            new Settle(
                start,
                List.of(
                    new FinishLeader(
                        start, start, ROW, F, start + 256, Proofs.OPEN.grant(start, 0)))),
            Q),
        statement(new OperationLookup(start, ROW, new OperationId(7, 7), start, Proof.NONE), Q));
  }

  /** Operations that change a table between plain and transactional. */
  static List<Kind> maintenance() {
    byte[] mark = {1};
    Get get = new Get(ROW.toArray());
    get.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    Scan scan = new Scan().readAllVersions().setRaw(true);
    scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    Put put = new Put(ROW.toArray()).addColumn(F.toArray(), Q.toArray(), VALUE.toArray());
    put.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    Delete delete = new Delete(ROW.toArray()).addFamily(F.toArray());
    delete.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    return List.of(
        new Kind("get", Optional.empty(), get(get), List.of()),
        new Kind(
            "scan",
            Optional.empty(),
            table -> TestTable.plainScan(table.connection(), table.name(), scan),
            List.of()),
        new Kind("put", Optional.empty(), table -> mutate(table, put), List.of()),
        new Kind("delete", Optional.empty(), table -> mutate(table, delete), List.of()));
  }

  private static void mutate(TestTable table, Row mutation) throws IOException {
    try (Table hbase = table.connection().getTable(table.name())) {
      if (mutation instanceof Put put) {
        hbase.put(new Put(put));
      } else {
        hbase.delete(new Delete((Delete) mutation));
      }
    }
  }

  private static Kind read(String name, Call ours, Call plain) {
    return new Kind(name, Optional.empty(), ours, List.of(plain));
  }

  /** A write stands for its plain form, and for a condition on the column that carries it. */
  private static Kind write(String name, Making making, Call... plain) {
    List<Call> all = new ArrayList<>(Arrays.asList(plain));
    RegionRequest example =
        making.of(new TestTable(PermissionMatrixIT.cluster().connection(), "x"));
    Place column = Carrier.columnOf(example).orElseThrow();
    all.add(check(column.family(), column.qualifier()));
    return new Kind(
        name,
        Optional.of(example.getClass()),
        table -> send(table, Carrier.checkAndMutate(making.of(table))),
        all);
  }

  private static Kind statement(RegionRequest request, Bytes qualifier) {
    return new Kind(
        request.getClass().getSimpleName(),
        Optional.of(request.getClass()),
        table -> sendBy(table, request, F, qualifier),
        List.of(
            check(F, qualifier),
            table -> {
              try (Table hbase = table.connection().getTable(table.name())) {
                hbase.put(
                    new Put(ROW.toArray())
                        .addColumn(F.toArray(), qualifier.toArray(), VALUE.toArray()));
              }
            }));
  }

  static void sendBy(TestTable table, RegionRequest request, Bytes family, Bytes qualifier)
      throws IOException {
    send(table, Carrier.checkAndMutate(request, Place.column(family, qualifier)));
  }

  private static void send(TestTable table, CheckAndMutate carrier) throws IOException {
    try (Table hbase = table.connection().getTable(table.name())) {
      TestTable.retrying(() -> hbase.checkAndMutate(carrier));
    }
  }

  private static Call fast(Get get) {
    return table ->
        new FastTable(PermissionMatrixIT.cluster(), table, PermissionMatrixIT.base())
            .get(new Get(get), FastReadRequest.of(0, 0, false));
  }

  private static Call get(Get get) {
    return table -> {
      try (Table hbase = table.connection().getTable(table.name())) {
        hbase.get(new Get(get));
      }
    };
  }

  private static byte[] pass() {
    long expires = System.currentTimeMillis() + InspectionPass.LONGEST.toMillis();
    return Proofs.OPEN.inspection("test", expires).encode().toArray();
  }

  private static Call scan() {
    return scan(Optional.empty());
  }

  private static Call scan(Optional<byte[]> inspection) {
    return table -> {
      Scan scan = new Scan().addFamily(F.toArray());
      inspection.ifPresent(shown -> scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, shown));
      TestTable.plainScan(table.connection(), table.name(), scan);
    };
  }

  private static Scan proven() {
    return new Scan().addFamily(F.toArray()).addFamily(Reserved.PROOF_FAMILY.toArray());
  }

  private static Call put(Bytes... families) {
    return table -> {
      try (Table hbase = table.connection().getTable(table.name())) {
        Put put = new Put(ROW.toArray());
        for (Bytes family : families) {
          put.addColumn(family.toArray(), Q.toArray(), VALUE.toArray());
        }
        hbase.put(put);
      }
    };
  }

  private static Call delete(Bytes family) {
    return table -> {
      try (Table hbase = table.connection().getTable(table.name())) {
        hbase.delete(new Delete(ROW.toArray()).addFamily(family.toArray()));
      }
    };
  }

  private static Call check(Bytes family, Bytes qualifier) {
    return table -> {
      Put put =
          new Put(ROW.toArray()).addColumn(family.toArray(), qualifier.toArray(), VALUE.toArray());
      try (Table hbase = table.connection().getTable(table.name())) {
        hbase.checkAndMutate(
            CheckAndMutate.newBuilder(ROW.toArray())
                .ifEquals(family.toArray(), qualifier.toArray(), Bytes.utf8("never").toArray())
                .build(put));
      }
    };
  }

  static Flush flush(TestTable table, Bytes row, Bytes... families) {
    return flushOf(table, row, intents(families));
  }

  private static Flush flushOf(TestTable table, Bytes row, Bytes family, IntentCell cell) {
    return flushOf(
        table,
        row,
        List.of(new FamilyIntents(family, SlotSet.NONE, Optional.empty(), List.of(cell))));
  }

  private static Flush flushOf(TestTable table, Bytes row, List<FamilyIntents> intents) {
    long start = PermissionMatrixIT.cluster().ticks().next();
    return new Flush(
        start,
        PermissionMatrixIT.base(),
        ConflictLevel.CELL,
        table.place(row, intents.get(0).family()),
        1,
        List.of(new RowIntents(row, intents)),
        Proofs.OPEN.grant(start, 0));
  }

  private static OneRegionCommit commit(TestTable table, Bytes... families) {
    long start = PermissionMatrixIT.cluster().ticks().next();
    return new OneRegionCommit(
        start,
        PermissionMatrixIT.base(),
        PermissionMatrixIT.base(),
        ConflictLevel.CELL,
        false,
        List.of(new RowIntents(ROW, intents(families))),
        Proofs.OPEN.grant(start, 0));
  }

  private static List<FamilyIntents> intents(Bytes... families) {
    List<FamilyIntents> intents = new ArrayList<>();
    for (Bytes family : families) {
      IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, VALUE);
      intents.add(new FamilyIntents(family, SlotSet.NONE, Optional.empty(), List.of(cell)));
    }
    return intents;
  }

  private static FastWrite fast(FastCondition condition, boolean returns, Mutation mutation) {
    long mark = PermissionMatrixIT.base();
    OperationId id = new OperationId(1, OPERATIONS.incrementAndGet());
    return new FastWrite(
        0,
        mark,
        false,
        List.of(new FastOperation(ROW, id, false, mark, condition, returns, List.of(mutation))));
  }

  private static FastCondition always() {
    return new FastCondition.Always();
  }

  private static Mutation mutation(FastOperation.Kind kind, Bytes value) {
    return new Mutation(kind, F, Q, value);
  }

  private static io.lampone.protocol.request.ReadRequest now() {
    return PermissionMatrixIT.at(PermissionMatrixIT.cluster().ticks().next());
  }
}
