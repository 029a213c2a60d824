package io.lampone.embedded;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;

/**
 * Records the operations that reach a table's regions with an attribute of Lampone's, at most some
 * of each kind. To be loaded before the product's observer.
 */
@CoreCoprocessor
public final class RequestRecorder implements RegionCoprocessor, RegionObserver {

  private static final int MAX_OF_A_KIND = 200;
  private static final Map<String, List<OperationWithAttributes>> RECORDED = new HashMap<>();

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  /** Returns the recorded operations, by attribute and the byte with the kind of read or write. */
  static Map<String, List<OperationWithAttributes>> recorded() {
    synchronized (RECORDED) {
      Map<String, List<OperationWithAttributes>> copy = new HashMap<>();
      RECORDED.forEach((kind, all) -> copy.put(kind, List.copyOf(all)));
      return Collections.unmodifiableMap(copy);
    }
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
    record(new Get(get));
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
      throws IOException {
    record(new Scan(scan));
  }

  @Override
  public CheckAndMutateResult preCheckAndMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      CheckAndMutate operation,
      CheckAndMutateResult result) {
    if (operation.getAction() instanceof Put put) {
      record(new Put(put));
    }
    return result;
  }

  /** Records a copy: the product's observer changes the original. */
  private static void record(OperationWithAttributes operation) {
    TreeSet<String> names = new TreeSet<>();
    operation
        .getAttributesMap()
        .forEach(
            (name, value) -> {
              if (name.startsWith("lampone.")) {
                int at = name.equals("lampone.write") ? 1 : 0; // behind the format, or the format
                boolean kinds = at == 1 || name.equals("lampone.read");
                names.add(kinds && value.length > at ? name + value[at] : name);
              }
            });
    if (names.isEmpty()) {
      return;
    }
    String kind = operation.getClass().getSimpleName() + names;
    synchronized (RECORDED) {
      List<OperationWithAttributes> all = RECORDED.computeIfAbsent(kind, name -> new ArrayList<>());
      if (all.size() < MAX_OF_A_KIND) {
        all.add(operation);
      }
    }
  }
}
