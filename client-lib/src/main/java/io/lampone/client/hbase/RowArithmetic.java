package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.read.BufferOverlay;
import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;

/** Reads and writes of Increment and Append, as HBase defines them. */
final class RowArithmetic {

  private RowArithmetic() {}

  /** Returns the Get of the columns that the mutation changes. */
  static Get reads(Mutation mutation) {
    Get get = new Get(mutation.getRow());
    mutation
        .getFamilyCellMap()
        .forEach(
            (family, cells) ->
                cells.forEach(cell -> get.addColumn(family, CellUtil.cloneQualifier(cell))));
    return get;
  }

  /** Returns the Put that is equivalent to the mutation, given the present values. */
  static Put writes(Mutation mutation, Result present) {
    if (mutation.isEmpty()) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "an increment or append without a column, row=" + Bytes.of(mutation.getRow()));
    }
    Put put = new Put(mutation.getRow());
    if (mutation.getTTL() != Long.MAX_VALUE) {
      put.setTTL(mutation.getTTL());
    }
    mutation
        .getFamilyCellMap()
        .forEach((family, cells) -> addAll(mutation, present, put, family, cells));
    return put;
  }

  private static void addAll(
      Mutation mutation, Result present, Put put, byte[] family, List<Cell> cells) {
    Map<byte[], byte[]> values = new TreeMap<>(org.apache.hadoop.hbase.util.Bytes.BYTES_COMPARATOR);
    for (Cell cell : cells) {
      byte[] qualifier = CellUtil.cloneQualifier(cell);
      // A column that is named twice is changed twice.
      byte[] before = values.get(qualifier);
      byte[] old = before == null ? present.getValue(family, qualifier) : before;
      byte[] change = CellUtil.cloneValue(cell);
      byte[] value =
          mutation instanceof Increment
              ? sum(mutation, old, change)
              : org.apache.hadoop.hbase.util.Bytes.add(old == null ? new byte[0] : old, change);
      values.put(qualifier, value);
    }
    values.forEach((qualifier, value) -> put.addColumn(family, qualifier, value));
  }

  private static byte[] sum(Mutation mutation, byte[] old, byte[] change) {
    long before = 0;
    if (old != null) {
      if (old.length != Long.BYTES) {
        throw new BadRequestException(
            Code.BAD_REQUEST,
            "only a value of 8 bytes can be incremented, length="
                + old.length
                + " row="
                + Bytes.of(mutation.getRow()));
      }
      before = org.apache.hadoop.hbase.util.Bytes.toLong(old);
    }
    return org.apache.hadoop.hbase.util.Bytes.toBytes(
        before + org.apache.hadoop.hbase.util.Bytes.toLong(change));
  }

  /** Returns true if the application requests the new values. */
  static boolean returnsResult(Mutation mutation) {
    return mutation instanceof Increment increment
        ? increment.isReturnResults()
        : ((Append) mutation).isReturnResults();
  }

  /** Returns HBase's result of such a mutation: the new values. */
  static Result result(Put put, long startTimestamp) {
    List<Cell> cells =
        put.getFamilyCellMap().values().stream()
            .flatMap(List::stream)
            .map(
                cell ->
                    BufferOverlay.cell(
                        put.getRow(),
                        Bytes.wrap(CellUtil.cloneFamily(cell)),
                        Bytes.wrap(CellUtil.cloneQualifier(cell)),
                        Bytes.wrap(CellUtil.cloneValue(cell)),
                        startTimestamp))
            .sorted(org.apache.hadoop.hbase.CellComparator.getInstance())
            .toList();
    return Result.create(cells);
  }
}
