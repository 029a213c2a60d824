package io.lampone.client.hbase.read;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;

/**
 * Parts of a result from a region server.
 *
 * @param cells cells that are visible to the application
 * @param pointers intents that the server could not judge
 * @param proven true if it carries the proof that the coprocessor replied
 */
record ServerRow(List<Cell> cells, List<Intent> pointers, boolean proven) {

  static ServerRow of(String table, Result result) {
    List<Cell> cells = new ArrayList<>(result.size());
    List<Intent> pointers = new ArrayList<>(0);
    boolean proven = false;
    if (!result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        if (Carrier.isProof(cell)) {
          proven = true;
        } else if (Carrier.isPointer(cell)) {
          pointers.add(pointer(table, cell));
        } else {
          cells.add(cell);
        }
      }
    }
    return new ServerRow(cells, pointers, proven);
  }

  /** Returns the intent of a pointer, which on the leader itself is its own place. */
  private static Intent pointer(String table, Cell cell) {
    RowFamily place =
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell)));
    TransactionCell transaction =
        TransactionCell.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    TransactionId id = new TransactionId(cell.getTimestamp(), transaction.leader().orElse(place));
    return new Intent(id, place, Bytes.wrap(CellUtil.cloneQualifier(cell)));
  }
}
