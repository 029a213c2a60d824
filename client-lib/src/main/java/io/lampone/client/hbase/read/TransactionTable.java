package io.lampone.client.hbase.read;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Table;

/**
 * Timeouts and attributes of a {@link Table} inside a transaction; HBase's own methods throw. The
 * timeouts are those of the client and of the transaction, so the setters do nothing.
 */
public abstract class TransactionTable implements Table {

  private final Duration requestTimeout;
  private final Supplier<Duration> timeLeft;

  /**
   * @param requestTimeout timeout of one request
   * @param timeLeft time that the transaction has left
   */
  protected TransactionTable(Duration requestTimeout, Supplier<Duration> timeLeft) {
    this.requestTimeout = requestTimeout;
    this.timeLeft = timeLeft;
  }

  @Override
  public long getRpcTimeout(TimeUnit unit) {
    return unit.convert(requestTimeout);
  }

  @Override
  public long getReadRpcTimeout(TimeUnit unit) {
    return getRpcTimeout(unit);
  }

  @Override
  public long getWriteRpcTimeout(TimeUnit unit) {
    return getRpcTimeout(unit);
  }

  /** Returns the time that the transaction has left. */
  @Override
  public long getOperationTimeout(TimeUnit unit) {
    return unit.convert(timeLeft.get());
  }

  @Override
  @Deprecated
  public void setReadRpcTimeout(int millis) {}

  @Override
  @Deprecated
  public void setWriteRpcTimeout(int millis) {}

  @Override
  @Deprecated
  public void setOperationTimeout(int millis) {}

  @Override
  public Map<String, byte[]> getRequestAttributes() {
    return Map.of();
  }
}
