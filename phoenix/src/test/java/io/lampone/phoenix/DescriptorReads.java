package io.lampone.phoenix;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;

/** Counts descriptors that clients read from the master of this JVM. */
public final class DescriptorReads implements MasterCoprocessor, MasterObserver {

  private static final AtomicLong READS = new AtomicLong();

  static long count() {
    return READS.get();
  }

  @Override
  public Optional<MasterObserver> getMasterObserver() {
    return Optional.of(this);
  }

  @Override
  public void postGetTableDescriptors(
      ObserverContext<MasterCoprocessorEnvironment> context,
      List<TableName> tables,
      List<TableDescriptor> descriptors,
      String regex) {
    READS.incrementAndGet();
  }
}
