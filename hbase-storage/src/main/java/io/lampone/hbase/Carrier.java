package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.CausalTimestamp;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequestCodec;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.jspecify.annotations.Nullable;

/**
 * Puts our requests into HBase operations and extracts our replies from HBase results, on both
 * sides (protocol page, section 3). A region without our code does not execute a request: a write
 * has a condition that never holds. A reply is valid only with its proof.
 */
public final class Carrier {

  private static final byte[] PROOF_FAMILY = Reserved.PROOF_FAMILY.toArray();
  private static final byte[] PROOF_QUALIFIER = {'p'};
  private static final byte[] NOTHING = {};
  private static final byte[] LOWEST_ROW = {0};
  private static final byte DESCRIPTION_VERSION = 1;
  private static final Place PROOF =
      Place.column(Bytes.wrap(PROOF_FAMILY), Bytes.wrap(PROOF_QUALIFIER));

  /** Random value of the process, which no column holds. */
  private static final byte[] NO_VALUE = new SecureRandom().generateSeed(16);

  private Carrier() {}

  /**
   * Returns the operation that carries {@code request}, for the region of the request's first row.
   * It names {@link #columnOf the request's own column}, or one that no table has, for which
   * HBase's authorizers require rights on the whole table.
   */
  public static CheckAndMutate checkAndMutate(RegionRequest request) {
    return checkAndMutate(request, columnOf(request).orElse(PROOF));
  }

  /**
   * Returns the operation with a column on which HBase's authorizers let the sender read and write.
   * In a region without our code the condition fails, and nothing is written.
   */
  public static CheckAndMutate checkAndMutate(RegionRequest request, Place column) {
    byte[] row = request.rows().get(0).unsafeArray();
    byte[] family = column.family().unsafeArray();
    byte[] qualifier = column.qualifier().unsafeArray();
    Put put = new Put(row).addColumn(family, qualifier, NOTHING);
    put.setAttribute(RegionRequest.ATTRIBUTE, RegionRequestCodec.encode(request));
    return CheckAndMutate.newBuilder(row).ifEquals(family, qualifier, NO_VALUE).build(put);
  }

  /** Returns the first column that a request names, if it names one. */
  public static Optional<Place> columnOf(RegionRequest request) {
    if (request instanceof Flush flush) {
      return columnIn(flush.intents());
    } else if (request instanceof OneRegionCommit commit) {
      return columnIn(commit.intents());
    } else if (request instanceof FastWrite write) {
      return columnIn(write);
    } else if (request instanceof CommitLeader commit) {
      return Optional.of(leaderIn(commit.family()));
    } else if (request instanceof AbortLeader abort) {
      return Optional.of(leaderIn(abort.family()));
    } else if (request instanceof FinishLeader finish) {
      return Optional.of(leaderIn(finish.family()));
    }
    return Optional.empty();
  }

  /** Returns the column to name in a family if no other is known: that of transaction cells. */
  public static Place leaderIn(Bytes family) {
    return Place.column(family, Reserved.TRANSACTION);
  }

  private static Optional<Place> columnIn(List<RowIntents> rows) {
    FamilyIntents first = rows.get(0).families().get(0);
    return Optional.of(
        first.cells().isEmpty()
            ? leaderIn(first.family())
            : Place.column(first.family(), first.cells().get(0).qualifier()));
  }

  private static Optional<Place> columnIn(FastWrite write) {
    for (FastOperation operation : write.operations()) {
      for (Mutation mutation : operation.mutations()) {
        if (mutation.kind() != Kind.DELETE_ROW) {
          return Optional.of(Place.column(mutation.family(), mutation.qualifier()));
        }
      }
      if (operation.condition() instanceof Compare compare) {
        return Optional.of(Place.column(compare.family(), compare.qualifier()));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the Get that carries {@code request} to the leader's row. It names the real family,
   * because HBase checks the families of a Get before any hook runs.
   */
  public static Get leaderGet(Bytes row, LeaderReadRequest request) {
    Get get =
        new Get(row.unsafeArray())
            .addColumn(request.family().unsafeArray(), Reserved.TRANSACTION.unsafeArray());
    get.setAttribute(LeaderReadRequest.ATTRIBUTE, request.encode());
    return get;
  }

  /**
   * Returns the Get that makes the server of a row resolve a transaction whose intent was met
   * there. It names a column that its sender may read, or all of the row if it names no family.
   */
  public static Get resolveGet(RowFamily met, Bytes qualifier, LeaderReadRequest request) {
    Get get = new Get(met.row().unsafeArray());
    if (met.family().length() != 0) {
      get.addColumn(met.family().unsafeArray(), qualifier.unsafeArray());
    }
    get.setAttribute(LeaderReadRequest.RESOLVE_ATTRIBUTE, request.encode());
    return get;
  }

  /**
   * Returns the Get for a table's description, for clients that may read in the table and may not
   * ask HBase's master. A server without our code reads at most one cell of one row.
   */
  public static Get describeGet() {
    Get get = new Get(LOWEST_ROW).setFilter(new FirstKeyOnlyFilter());
    get.setAttribute(TableSettings.DESCRIBE_ATTRIBUTE, new byte[] {DESCRIPTION_VERSION});
    return get;
  }

  /**
   * Returns the answer to a {@link #describeGet}: {@code 01 descriptor}, in HBase's encoding, with
   * the families and our own values only.
   */
  public static Cell description(byte[] row, TableDescriptor table) {
    TableDescriptorBuilder told = TableDescriptorBuilder.newBuilder(table.getTableName());
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      told.setColumnFamily(family);
    }
    table
        .getValues()
        .forEach(
            (key, value) -> {
              String name = Bytes.of(key.copyBytes()).toUtf8();
              if (name.startsWith(TableSettings.KEY_PREFIX)) {
                told.setValue(name, Bytes.of(value.copyBytes()).toUtf8());
              }
            });
    byte[] encoded = TableDescriptorBuilder.toByteArray(told.build());
    return proofCell(
        row, ByteBuffer.allocate(1 + encoded.length).put(DESCRIPTION_VERSION).put(encoded).array());
  }

  /**
   * Returns the description of a table in {@code result}.
   *
   * @throws MalformedException if there is none: the server lacks the coprocessor, or has another
   *     version of it
   */
  public static TableDescriptor described(Result result) {
    byte[] value = CellUtil.cloneValue(proof(result));
    if (value.length == 0 || value[0] != DESCRIPTION_VERSION) {
      throw new MalformedException("unknown version of a table's description");
    }
    try {
      return TableDescriptorBuilder.parseFrom(Arrays.copyOfRange(value, 1, value.length));
    } catch (DeserializationException e) {
      throw new MalformedException("unreadable description of a table", e);
    }
  }

  /** Returns the region request in {@code operation}, if it carries one. */
  public static Optional<RegionRequest> regionRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(RegionRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(RegionRequestCodec.decode(bytes));
  }

  /**
   * Returns the Get that checks whether what was read of a row is unchanged; it names the columns,
   * so it requires the rights of the read.
   *
   * @param read columns by family; none = the whole family
   */
  public static Get certifyGet(Bytes row, Map<Bytes, Set<Bytes>> read, CertifyRequest request) {
    Get get = new Get(row.unsafeArray());
    read.forEach(
        (family, columns) -> {
          if (columns.isEmpty()) {
            get.addFamily(family.unsafeArray());
          }
          columns.forEach(column -> get.addColumn(family.unsafeArray(), column.unsafeArray()));
        });
    get.setAttribute(ReadRequest.ATTRIBUTE, request.encode());
    return get;
  }

  /** Returns the certification in {@code get}, if it carries one. */
  public static Optional<CertifyRequest> certifyRequest(Get get) {
    byte[] bytes = get.getAttribute(ReadRequest.ATTRIBUTE);
    return bytes == null || !CertifyRequest.isOne(bytes)
        ? Optional.empty()
        : Optional.of(CertifyRequest.decode(bytes));
  }

  /** Returns the certification of a range in {@code scan}, if it carries one. */
  public static Optional<CertifyScan> certifyScan(Scan scan) {
    byte[] bytes = scan.getAttribute(ReadRequest.ATTRIBUTE);
    return bytes == null || !CertifyScan.isOne(bytes)
        ? Optional.empty()
        : Optional.of(CertifyScan.decode(bytes));
  }

  /** Returns the read request in {@code operation}, if it carries one. */
  public static Optional<ReadRequest> readRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(ReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(ReadRequest.decode(bytes));
  }

  /** Returns the fast-path read in {@code operation}, if it carries one. */
  public static Optional<FastReadRequest> fastReadRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(FastReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(FastReadRequest.decode(bytes));
  }

  /** Returns the mark that {@code operation} carries beside its request; 0 = none. */
  public static long mark(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(CausalTimestamp.ATTRIBUTE);
    return bytes == null ? CausalTimestamp.NONE : CausalTimestamp.decode(bytes);
  }

  /** Returns the leader read in {@code operation}, if it carries one. */
  public static Optional<LeaderReadRequest> leaderReadRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(LeaderReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(LeaderReadRequest.decode(bytes));
  }

  /** Returns the resolve request in {@code operation}, if it carries one. */
  public static Optional<LeaderReadRequest> resolveRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(LeaderReadRequest.RESOLVE_ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(LeaderReadRequest.decode(bytes));
  }

  /** Returns the cell that proves that our code answered, with {@code reply}, possibly empty. */
  public static Cell proofCell(byte[] row, byte[] reply) {
    // one array, which HBase writes to the network without a copy
    return new KeyValue(row, PROOF_FAMILY, PROOF_QUALIFIER, 0, KeyValue.Type.Put, reply);
  }

  /** Returns true if {@code cell} is a proof. */
  public static boolean isProof(Cell cell) {
    return equals(
        cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength(), PROOF_FAMILY);
  }

  /**
   * Returns true if {@code cell} of a read's result points to an intent that the server could not
   * judge: a delete marker, which no snapshot read returns otherwise. It replaces the undecided
   * cell; its version is the writer's start timestamp, its value the writer's transaction cell in
   * that row and family.
   */
  public static boolean isPointer(Cell cell) {
    return cell.getType() != Cell.Type.Put;
  }

  /**
   * Returns the pointer that replaces an undecided cell.
   *
   * @param start start timestamp of its writer
   * @param transaction the writer's transaction cell in that row and family, as far as a reader may
   *     know it
   */
  public static Cell pointerCell(Cell undecided, long start, TransactionCell transaction) {
    return new KeyValue(
        CellUtil.cloneRow(undecided),
        CellUtil.cloneFamily(undecided),
        CellUtil.cloneQualifier(undecided),
        start,
        KeyValue.Type.Delete,
        transaction.encode());
  }

  /** Returns true if one of {@code cells} is a pointer. */
  public static boolean anyPointer(List<Cell> cells) {
    // no stream: every read runs this
    for (int i = 0; i < cells.size(); i++) {
      if (isPointer(cells.get(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the reply in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static RegionReply reply(Result result) {
    Cell cell = proof(result);
    return RegionReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  /**
   * Returns the reply to a fast-path write in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static FastReply fastReply(Result result) {
    Cell cell = proof(result);
    return FastReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  /**
   * Returns the reply to a fast-path read in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static FastReadReply fastReadReply(Result result) {
    Cell cell = proof(result);
    return FastReadReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  private static Cell proof(@Nullable Result result) {
    if (result != null && !result.isEmpty()) {
      Cell[] cells = result.rawCells();
      for (int i = cells.length - 1; i >= 0; i--) {
        if (isProof(cells[i])) {
          return cells[i];
        }
      }
    }
    throw new MalformedException("reply carries no proof");
  }

  private static boolean equals(byte[] array, int offset, int length, byte[] wanted) {
    return length == wanted.length
        && Arrays.equals(array, offset, offset + length, wanted, 0, wanted.length);
  }
}
