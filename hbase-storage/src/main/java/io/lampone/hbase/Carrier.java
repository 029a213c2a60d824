package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FastReadReply;
import io.lampone.protocol.FastReadRequest;
import io.lampone.protocol.FastReply;
import io.lampone.protocol.LeaderReadRequest;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Mark;
import io.lampone.protocol.ReadRequest;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequestCodec;
import io.lampone.protocol.Reserved;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;

/**
 * Puts our requests into HBase operations and takes our replies out of HBase results, on both sides
 * (protocol page, section 3). A request for a region without our code fails there: a write names a
 * family that does not exist. A reply is believed only with its proof in it.
 */
public final class Carrier {

  private static final byte[] PROOF_FAMILY = Reserved.PROOF_FAMILY.toArray();
  private static final byte[] PROOF_QUALIFIER = {'p'};
  private static final byte[] NOTHING = {};

  private Carrier() {}

  /** The operation that carries {@code request}; goes to the region of the request's first row. */
  public static CheckAndMutate checkAndMutate(RegionRequest request) {
    byte[] row = request.rows().get(0).unsafeArray();
    Put put = new Put(row).addColumn(PROOF_FAMILY, PROOF_QUALIFIER, NOTHING);
    put.setAttribute(RegionRequest.ATTRIBUTE, RegionRequestCodec.encode(request));
    return CheckAndMutate.newBuilder(row).ifNotExists(PROOF_FAMILY, PROOF_QUALIFIER).build(put);
  }

  /**
   * The Get that carries {@code request} to the leader's row. It names the real family: HBase looks
   * at the families of a Get before any hook runs.
   */
  public static Get leaderGet(Bytes row, LeaderReadRequest request) {
    Get get =
        new Get(row.unsafeArray())
            .addColumn(request.family().unsafeArray(), Reserved.TRANSACTION.unsafeArray());
    get.setAttribute(LeaderReadRequest.ATTRIBUTE, request.encode());
    return get;
  }

  /** The region request in {@code operation}, if it carries one. */
  public static Optional<RegionRequest> regionRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(RegionRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(RegionRequestCodec.decode(bytes));
  }

  /** The read request in {@code operation}, if it carries one. */
  public static Optional<ReadRequest> readRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(ReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(ReadRequest.decode(bytes));
  }

  /** The fast-path read in {@code operation}, if it carries one. */
  public static Optional<FastReadRequest> fastReadRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(FastReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(FastReadRequest.decode(bytes));
  }

  /** The mark that {@code operation} carries beside its request; 0 = none. */
  public static long mark(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(Mark.ATTRIBUTE);
    return bytes == null ? Mark.NONE : Mark.decode(bytes);
  }

  /** The leader read in {@code operation}, if it carries one. */
  public static Optional<LeaderReadRequest> leaderReadRequest(OperationWithAttributes operation) {
    byte[] bytes = operation.getAttribute(LeaderReadRequest.ATTRIBUTE);
    return bytes == null ? Optional.empty() : Optional.of(LeaderReadRequest.decode(bytes));
  }

  /** The cell that proves that our code answered; its value is {@code reply}, maybe empty. */
  public static Cell proofCell(byte[] row, byte[] reply) {
    // One array, which HBase writes to the network as it is.
    return new KeyValue(row, PROOF_FAMILY, PROOF_QUALIFIER, 0, KeyValue.Type.Put, reply);
  }

  /** Whether {@code cell} is a proof. */
  public static boolean isProof(Cell cell) {
    return equals(
        cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength(), PROOF_FAMILY);
  }

  /**
   * Whether {@code cell} of a read's result points to an intent that the server could not judge: a
   * delete marker, which no snapshot read returns otherwise. It stands in the place of the
   * undecided cell; its version is the writer's start timestamp, its value the writer's transaction
   * cell in that row and family.
   */
  public static boolean isPointer(Cell cell) {
    return cell.getType() != Cell.Type.Put;
  }

  /** Whether one of {@code cells} is a pointer. */
  public static boolean anyPointer(List<Cell> cells) {
    // No stream: every read comes by here.
    for (int i = 0; i < cells.size(); i++) {
      if (isPointer(cells.get(i))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The reply in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static RegionReply reply(Result result) {
    Cell cell = proof(result);
    return RegionReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  /**
   * The reply to a write of the fast path in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static FastReply fastReply(Result result) {
    Cell cell = proof(result);
    return FastReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  /**
   * The reply to a read of the fast path in {@code result}.
   *
   * @throws MalformedException if there is none: the server that answered lacks the coprocessor
   */
  public static FastReadReply fastReadReply(Result result) {
    Cell cell = proof(result);
    return FastReadReply.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  private static Cell proof(Result result) {
    if (!result.isEmpty()) {
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
        && java.util.Arrays.equals(array, offset, offset + length, wanted, 0, wanted.length);
  }
}
