package io.lampone.coprocessor.write;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.LocalRegion;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Timestamps;
import java.nio.file.Path;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches in which another coprocessor has refused a mutation. */
class PlainBatchesTest {

  private static final byte[] ROW = {'r'};

  @TempDir private Path folder;

  /** HBase deletes the old versions of a row, and omits the new one, for a user without rights. */
  @Test
  void maintenanceOfWhichAPartIsRefusedFails() throws Exception {
    try (LocalRegion region =
        new LocalRegion(
            folder, LocalRegion.table(Timestamps.PLAIN_LIMIT, 0, "f").build(), new OpenGuards())) {
      PlainBatches batches = new PlainBatches(region.open());
      Mutation[] plain = {new Put(ROW), new Delete(ROW)};
      Mutation[] maintenance = {marked(new Put(ROW)), marked(new Delete(ROW))};
      OperationStatus refused =
          new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, "a reserved tag");

      batches.leave(batch(maintenance, OperationStatus.NOT_RUN));
      batches.leave(batch(plain, refused));
      assertThatThrownBy(() -> batches.leave(batch(maintenance, refused)))
          .isInstanceOf(DoNotRetryIOException.class)
          .hasMessageContaining("a reserved tag");
    }
  }

  private static Mutation marked(Mutation mutation) {
    mutation.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, ROW);
    return mutation;
  }

  private static MiniBatchOperationInProgress<Mutation> batch(
      Mutation[] mutations, OperationStatus first) {
    return new MiniBatchOperationInProgress<>(
        mutations, new OperationStatus[] {first, OperationStatus.NOT_RUN}, null, 0, 2, 2);
  }
}
