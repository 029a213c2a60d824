package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.MutationRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Translates HBase's mutations into writes of a transaction, and refuses unsupported ones.
 *
 * <p>A delete of one column's newest version ({@code Delete.addColumn(family, qualifier)}) deletes
 * the column: inside transactions a table behaves as if it kept one version, so no older one
 * appears. Durability settings are ignored: a commit is always durable.
 *
 * @param maxCellBytes limit of key and value of one cell together, as in HBase's client
 */
public record WriteTranslator(int maxCellBytes) {

  /** Bytes of a cell besides row, family, qualifier and value. */
  private static final int CELL_OVERHEAD = 24;

  /**
   * Checks mutations before one of them is buffered, as far as no row has to be read for it.
   *
   * @return how many cells they write
   */
  int check(TransactionalTableView table, List<? extends Mutation> mutations) {
    int written = 0;
    for (Mutation mutation : mutations) {
      if (mutation instanceof Put || mutation instanceof Delete) {
        written += translate(table, mutation).cells();
      } else {
        check(mutation);
        mutation.getFamilyCellMap().forEach((family, cells) -> check(table, mutation, cells));
        written += mutation.size();
      }
    }
    return written;
  }

  /** Checks changes of an increment or append; their results may still be too large. */
  private void check(TransactionalTableView table, Mutation mutation, List<Cell> changes) {
    for (Cell change : changes) {
      Bytes family = Bytes.wrap(CellUtil.cloneFamily(change));
      table.checkFamily(family);
      Bytes qualifier = Bytes.wrap(CellUtil.cloneQualifier(change));
      put(qualifier, Bytes.wrap(CellUtil.cloneValue(change)), family, mutation);
    }
  }

  /** Writes of a row, by family. */
  record RowWrites(Bytes row, Map<Bytes, List<Write>> families) {

    /** Returns the number of cells. */
    int cells() {
      return families.values().stream().mapToInt(List::size).sum();
    }
  }

  /**
   * Returns the writes of a Put or Delete.
   *
   * @throws BadRequestException if the mutation is impossible or unsupported
   */
  RowWrites translate(TransactionalTableView table, Mutation mutation) {
    check(mutation);
    Bytes row = Bytes.of(mutation.getRow());
    if (mutation instanceof Put put) {
      return new RowWrites(row, translatePut(table, put));
    }
    if (mutation instanceof Delete delete) {
      return new RowWrites(row, translateDelete(table, delete));
    }
    throw new BadRequestException(
        Code.BAD_REQUEST, "not a put or delete, class=" + mutation.getClass().getName());
  }

  /** Checks the requirements of all mutations. */
  void check(Mutation mutation) {
    checkRow(mutation.getRow());
    ReadRules.checkAttributes(mutation);
    String objection = MutationRules.objection(mutation);
    if (objection != null) {
      throw bad(objection, mutation);
    }
  }

  /** Checks that every mutation is for the same row, as HBase does. */
  void check(RowMutations mutations) {
    checkRow(mutations.getRow());
    mutations.getMutations().forEach(this::check);
  }

  static void checkRow(byte[] row) {
    if (row == null || row.length == 0) {
      throw new BadRequestException(Code.BAD_REQUEST, "a row key has at least one byte");
    }
    if (row.length > HConstants.MAX_ROW_LENGTH) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "the row key is too long, length=" + row.length + " limit=" + HConstants.MAX_ROW_LENGTH);
    }
  }

  private Map<Bytes, List<Write>> translatePut(TransactionalTableView table, Put put) {
    if (put.isEmpty()) {
      throw bad("a put without a column", put);
    }
    Map<Bytes, List<Write>> writes = new LinkedHashMap<>();
    put.getFamilyCellMap()
        .forEach(
            (family, cells) -> {
              Bytes key = Bytes.of(family);
              table.checkFamily(key);
              List<Write> list = writes.computeIfAbsent(key, f -> new ArrayList<>());
              for (Cell cell : cells) {
                if (cell.getType() != Cell.Type.Put) {
                  throw bad("a put that holds a delete", put);
                }
                list.add(
                    put(
                        Bytes.wrap(CellUtil.cloneQualifier(cell)),
                        Bytes.wrap(CellUtil.cloneValue(cell)),
                        key,
                        put));
              }
            });
    return writes;
  }

  /**
   * Returns the write of one put.
   *
   * @throws BadRequestException if the qualifier is reserved or the cell too large
   */
  Write put(Bytes qualifier, Bytes value, Bytes family, Mutation mutation) {
    ReadRules.checkQualifier(qualifier);
    long size =
        (long) mutation.getRow().length
            + family.length()
            + qualifier.length()
            + value.length()
            + CELL_OVERHEAD;
    if (maxCellBytes > 0 && size > maxCellBytes) {
      throw new BadRequestException(
          Code.TOO_LARGE,
          "a cell is too large: raise hbase.client.keyvalue.maxsize here and"
              + " hbase.server.keyvalue.maxsize there, or cut the value, bytes="
              + size
              + " limit="
              + maxCellBytes
              + " qualifier="
              + qualifier);
    }
    return new Write(IntentKind.PUT, qualifier, value, CellLifetimes.millis(mutation));
  }

  private Map<Bytes, List<Write>> translateDelete(TransactionalTableView table, Delete delete) {
    Map<Bytes, List<Write>> writes = new LinkedHashMap<>();
    if (delete.isEmpty()) {
      Bytes ofRow = IntentCell.deletingRow(table.families().size());
      table.families().forEach(family -> writes.put(family, List.of(deleteFamily(ofRow))));
      return writes;
    }
    delete
        .getFamilyCellMap()
        .forEach(
            (family, cells) -> {
              Bytes key = Bytes.of(family);
              table.checkFamily(key);
              List<Write> list = writes.computeIfAbsent(key, f -> new ArrayList<>());
              for (Cell cell : cells) {
                list.add(translateDeletion(delete, cell));
              }
            });
    return writes;
  }

  private static Write translateDeletion(Delete delete, Cell cell) {
    switch (cell.getType()) {
      case DeleteFamily:
        return deleteFamily(Bytes.EMPTY);
      case Delete:
      case DeleteColumn:
        Bytes qualifier = Bytes.wrap(CellUtil.cloneQualifier(cell));
        ReadRules.checkQualifier(qualifier);
        return new Write(IntentKind.DELETE_COLUMN, qualifier, Bytes.EMPTY, FamilyRetention.FOREVER);
      default:
        throw bad("a delete that holds something else, type=" + cell.getType(), delete);
    }
  }

  private static Write deleteFamily(Bytes ofRow) {
    return new Write(IntentKind.DELETE_FAMILY, Bytes.EMPTY, ofRow, FamilyRetention.FOREVER);
  }

  private static BadRequestException bad(String message, Mutation mutation) {
    return new BadRequestException(
        Code.BAD_REQUEST, message + ", row=" + Bytes.of(mutation.getRow()));
  }
}
