package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.RareLine;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Distinguishes tables that do not exist from unreachable ones (protocol page, section 5). HBase's
 * client reports "not found" for any table without a region for the row, so the table's own entry
 * is looked up: only if there is none has the table been dropped. A disabled table has one. A table
 * that has been made plain contains no commit entries any more either, as its descriptor shows.
 */
public final class DroppedTables {

  private static final Logger LOG = LoggerFactory.getLogger(DroppedTables.class);

  private final StoreAccess access;
  private final RareLine line;

  public DroppedTables(StoreAccess access) {
    this.access = access;
    this.line = new RareLine(access.clock());
  }

  /** Returns the reply of a table, or {@code otherwise} if the table is absent or plain. */
  public <T> Step<T> orElse(String table, Step<T> answer, Supplier<Step<T>> otherwise) {
    return answer.recover(
        failure ->
            holdsNothing(table, failure)
                // If the lookup fails, nothing is known except for the failure.
                .recover(unknown -> Step.done(false))
                .then(nothing -> nothing ? otherwise.get() : Step.failed(failure)));
  }

  private Step<Boolean> holdsNothing(String table, Throwable failure) {
    if (StoreFailures.find(failure, TableNotFoundException.class).isPresent()) {
      return AsyncRequest.step(() -> admin().tableExists(TableName.valueOf(table)))
          .map(exists -> !exists);
    }
    if (StoreFailures.isMissingCoprocessor(failure)) {
      return AsyncRequest.step(() -> admin().getDescriptor(TableName.valueOf(table)))
          .map(TableSettings::isPlain);
    }
    return Step.done(false);
  }

  /** Records that a leader counts as absent, as its table does not exist, or is plain. */
  public void absent(TransactionId id) {
    line.happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "The table of a commit entry has been dropped, or made plain: what this"
                        + " transaction has written elsewhere, and had not been told of a commit,"
                        + " counts as aborted, table={} leader={} transaction={} times={}",
                    id.leader().table(),
                    id.leader(),
                    id.startTimestamp(),
                    times));
  }

  private AsyncAdmin admin() {
    return access
        .connection()
        .getAdminBuilder()
        .setOperationTimeout(access.settings().operationTimeout().toNanos(), TimeUnit.NANOSECONDS)
        .build();
  }
}
