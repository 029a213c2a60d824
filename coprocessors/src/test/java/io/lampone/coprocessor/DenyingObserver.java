package io.lampone.coprocessor;

import io.lampone.coprocessor.PermissionMatrixIT.Right;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * A foreign authorizer, with rules of its own: users are named after what they may do. It knows the
 * hooks of plain operations and nothing of Lampone.
 */
public final class DenyingObserver implements RegionCoprocessor, RegionObserver {

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    require(context, Action.READ, columns(get.getFamilyMap()));
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
      throws IOException {
    // As others do, it lets through what it does not know, if there is something that it knows.
    Map<byte[], NavigableSet<byte[]>> families = scan.getFamilyMap();
    List<byte[][]> known = columns(families);
    known.removeIf(
        column ->
            column[0] != null
                && !context
                    .getEnvironment()
                    .getRegion()
                    .getTableDescriptor()
                    .hasColumnFamily(column[0]));
    require(context, Action.READ, known);
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    require(context, Action.WRITE, columns(put));
  }

  @Override
  public void preDelete(
      ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
      throws IOException {
    require(context, Action.WRITE, columns(delete));
  }

  @Override
  public void preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
      throws IOException {
    require(context, Action.ADMIN, List.<byte[][]>of(new byte[][] {null, null}));
  }

  @Override
  public CheckAndMutateResult preCheckAndMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      CheckAndMutate operation,
      CheckAndMutateResult result)
      throws IOException {
    List<byte[][]> column =
        List.<byte[][]>of(new byte[][] {operation.getFamily(), operation.getQualifier()});
    require(context, Action.READ, column);
    require(context, Action.WRITE, column);
    return result;
  }

  /** Family and qualifier, null for all. */
  private static List<byte[][]> columns(Map<byte[], NavigableSet<byte[]>> families) {
    List<byte[][]> columns = new ArrayList<>();
    families.forEach(
        (family, qualifiers) -> {
          if (qualifiers == null || qualifiers.isEmpty()) {
            columns.add(new byte[][] {family, null});
          } else {
            qualifiers.forEach(qualifier -> columns.add(new byte[][] {family, qualifier}));
          }
        });
    if (families.isEmpty()) {
      columns.add(new byte[][] {null, null});
    }
    return columns;
  }

  private static List<byte[][]> columns(Mutation mutation) {
    List<byte[][]> columns = new ArrayList<>();
    mutation
        .getFamilyCellMap()
        .forEach(
            (family, cells) -> {
              if (cells.isEmpty() || CellUtil.isDeleteFamily(cells.get(0))) {
                columns.add(new byte[][] {family, null});
              } else {
                cells.forEach(
                    cell -> columns.add(new byte[][] {family, CellUtil.cloneQualifier(cell)}));
              }
            });
    if (mutation.isEmpty() && columns.isEmpty()) {
      columns.add(new byte[][] {null, null});
    }
    return columns;
  }

  private static void require(ObserverContext<?> context, Action action, List<byte[][]> columns)
      throws IOException {
    String name = context.getCaller().map(User::getShortName).orElse("");
    Right right;
    try {
      right = Right.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return; // HBase's own user
    }
    for (byte[][] column : columns) {
      if (!right.allows(action, column[0], column[1])) {
        throw new AccessDeniedException(name + " may not " + action);
      }
    }
  }
}
