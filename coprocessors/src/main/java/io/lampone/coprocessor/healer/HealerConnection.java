package io.lampone.coprocessor.healer;

import io.lampone.hbase.RefusalException;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * Connection to HBase like a client's: the server's own in-process connection would execute a
 * request on the healer's thread. Connects when needed; several threads may use it.
 */
final class HealerConnection implements AutoCloseable {

  private static final long CALL_MILLIS = 5_000;
  private static final long CONNECT_MILLIS = 10_000;

  /**
   * Number of retries of a call, because the known location may be outdated. An unreachable region
   * is left to the next pass, so that others do not wait for it.
   */
  private static final int CALL_RETRIES = 2;

  private final Supplier<CompletableFuture<AsyncConnection>> factory;

  /** Null until the first request. Written under this monitor. */
  private volatile @Nullable AsyncConnection connection;

  /** Held by the thread that connects, while the others wait. */
  private final Object connecting = new Object();

  /** Guarded by this. */
  private boolean closed;

  HealerConnection(Configuration server) {
    Configuration configuration = new Configuration(server);
    configuration.setLong(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, CALL_MILLIS);
    configuration.setLong(HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, CALL_MILLIS);
    configuration.setLong(HConstants.HBASE_RPC_TIMEOUT_KEY, CALL_MILLIS);
    this.factory = () -> ConnectionFactory.createAsyncConnection(configuration);
  }

  HealerConnection(Supplier<CompletableFuture<AsyncConnection>> factory) {
    this.factory = factory;
  }

  AsyncTable<?> table(String name) throws IOException {
    return connected()
        .getTableBuilder(TableName.valueOf(name))
        .setOperationTimeout(CALL_MILLIS, TimeUnit.MILLISECONDS)
        .setRpcTimeout(CALL_MILLIS, TimeUnit.MILLISECONDS)
        .setMaxRetries(CALL_RETRIES)
        .build();
  }

  AsyncAdmin admin() throws IOException {
    return connected().getAdmin();
  }

  AsyncTableRegionLocator locator(String table) throws IOException {
    return connected().getRegionLocator(TableName.valueOf(table));
  }

  private AsyncConnection connected() throws IOException {
    AsyncConnection known = connection;
    if (known != null) {
      return known;
    }
    synchronized (connecting) {
      AsyncConnection other = connection;
      return other != null ? other : connect();
    }
  }

  private AsyncConnection connect() throws IOException {
    AsyncConnection made = await(factory.get(), CONNECT_MILLIS);
    synchronized (this) {
      if (!closed) {
        connection = made;
        return made;
      }
    }
    made.close();
    throw new IOException("the healer has been closed");
  }

  /**
   * Waits for the answer to a request sent just now. After a failure that is no answer its
   * connection is closed: the next pass begins with a new one, and without cached locations. A
   * refusal is an answer, HBase's own included, such as of an absent table.
   */
  <T> T await(CompletableFuture<T> answer) throws IOException {
    AsyncConnection used = connection;
    try {
      return await(answer, 2 * CALL_MILLIS);
    } catch (IOException e) {
      if (refusal(e).isEmpty() && !has(e, DoNotRetryIOException.class)) {
        disconnect(used);
      }
      throw e;
    }
  }

  private static <T> T await(CompletableFuture<T> answer, long millis) throws IOException {
    try {
      return answer.get(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("the healer is stopped").initCause(e);
    } catch (TimeoutException e) {
      throw new IOException("no answer from HBase in time, millis=" + millis, e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    }
  }

  /** Closes a connection, unless another request has; the next one opens another. */
  private void disconnect(@Nullable AsyncConnection used) throws IOException {
    synchronized (this) {
      if (connection != used) {
        return;
      }
      connection = null;
    }
    if (used != null) {
      used.close();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    try {
      disconnect(connection);
    } catch (IOException ignored) {
      // The connection is not shared, and nothing was left to send.
    }
  }

  /** Returns true if the failure or one of its causes is of the type. */
  static boolean has(Throwable failure, Class<? extends Exception> type) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (type.isInstance(link)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the refusal that the failure reports. */
  static Optional<Refusal> refusal(Throwable failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link instanceof RefusalException refused) {
        return Optional.of(refused.refusal());
      }
    }
    return Optional.empty();
  }
}
