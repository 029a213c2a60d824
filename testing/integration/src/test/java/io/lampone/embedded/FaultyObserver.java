package io.lampone.embedded;

import io.lampone.coprocessor.TransactionObserver;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;

/** The real observer of a transactional table, with {@link Faults} around it. */
@CoreCoprocessor
public final class FaultyObserver extends TransactionObserver {

  /** Puts this class in the place of the real one, in a table that exists. */
  public static void install(Connection connection, TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))
              .removeCoprocessor(TableSettings.COPROCESSOR)
              .setCoprocessor(
                  CoprocessorDescriptorBuilder.newBuilder(FaultyObserver.class.getName())
                      .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                      .build())
              .build());
    }
  }

  @Override
  public CheckAndMutateResult preCheckAndMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      CheckAndMutate operation,
      CheckAndMutateResult result)
      throws IOException {
    Optional<RegionRequest> request =
        operation.getAction() instanceof Put put ? Carrier.regionRequest(put) : Optional.empty();
    RegionInfo region = context.getEnvironment().getRegionInfo();
    if (request.isPresent()) {
      Faults.before(region, request.get());
    }
    CheckAndMutateResult reply = super.preCheckAndMutate(context, operation, result);
    if (request.isPresent()) {
      Faults.after(region, request.get());
    }
    return reply;
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    Faults.beforeRead(context.getEnvironment().getRegionInfo());
    super.preGetOp(context, get, result);
  }

  @Override
  public void postGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    super.postGetOp(context, get, result);
    Faults.afterRead(context.getEnvironment().getRegionInfo());
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner)
      throws IOException {
    RegionScanner ours = super.postScannerOpen(context, scan, scanner);
    Faults.scannerOpened(context.getEnvironment().getRegionInfo());
    return ours;
  }

  @Override
  public InternalScanner preCompact(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      ScanType type,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request)
      throws IOException {
    InternalScanner ours = super.preCompact(context, store, scanner, type, tracker, request);
    RegionInfo region = context.getEnvironment().getRegionInfo();
    return new InternalScanner() {
      @Override
      public boolean next(List<Cell> result, ScannerContext limits) throws IOException {
        boolean more = ours.next(result, limits);
        Faults.whileCompacting(region);
        return more;
      }

      @Override
      public void close() throws IOException {
        ours.close();
      }
    };
  }
}
