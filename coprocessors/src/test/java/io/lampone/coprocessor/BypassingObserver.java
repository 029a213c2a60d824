package io.lampone.coprocessor;

import io.lampone.protocol.Bytes;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.wal.WALEdit;

/** A foreign observer that keeps HBase from storing one row. */
public final class BypassingObserver implements RegionCoprocessor, RegionObserver {

  static final Bytes ROW = Bytes.utf8("dropped");

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
    if (ROW.equals(Bytes.wrap(put.getRow()))) {
      context.bypass();
    }
  }
}
