package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.core.fence.TransactionStatusSource;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connection to the transaction manager for statuses; connects when needed, and again when there is
 * a new primary. Calls are serialized; another thread may close it.
 */
final class StatusConnection implements TransactionStatusSource, AutoCloseable {

  private static final Duration OPEN_LIMIT = Duration.ofSeconds(2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  private final Supplier<Optional<ManagerRecord>> manager;
  private final Supplier<ClientSecurity> security;
  private final Clock clock;

  /** Null while there is none. Set under the lock; also read by close. */
  private volatile @Nullable BlockingConnection connection;

  /** Id of the newest request on the connection. */
  private long lastId;

  /**
   * @param manager the newest record that is known
   * @param security called for each connection; throws IllegalArgumentException if unusable
   */
  StatusConnection(
      Supplier<Optional<ManagerRecord>> manager, Supplier<ClientSecurity> security, Clock clock) {
    this.manager = manager;
    this.security = security;
    this.clock = clock;
  }

  @Override
  public synchronized Status status(long startTimestamp) throws IOException {
    boolean kept = connection != null;
    try {
      return askOnce(startTimestamp);
    } catch (IOException e) {
      if (kept) { // the server may have closed it since
        return askOnce(startTimestamp);
      }
      throw e;
    }
  }

  private Status askOnce(long startTimestamp) throws IOException {
    boolean answered = false;
    try {
      Status status = ask(connected(), startTimestamp);
      answered = true;
      return status;
    } catch (MalformedException | IllegalArgumentException e) {
      throw new IOException("no status from the transaction manager: " + e.getMessage(), e);
    } finally {
      if (!answered) {
        close();
      }
    }
  }

  @Override
  public void close() {
    BlockingConnection old = connection;
    connection = null;
    if (old != null) {
      old.close();
    }
  }

  private Status ask(BlockingConnection current, long startTimestamp) throws IOException {
    current.allow(ANSWER_LIMIT);
    current.writer().start(FrameKind.REQUESTS);
    new WireRequest.Status(++lastId, startTimestamp, StatusSource.NO_SNAPSHOT)
        .writeTo(current.writer());
    current.send();
    List<WireReply> replies = WireReply.readBatch(current.receive());
    if (replies.size() == 1
        && replies.get(0) instanceof WireReply.StatusIs answer
        && answer.id() == lastId) {
      return answer.status();
    }
    throw new IOException("the transaction manager gives no status, replies=" + replies);
  }

  private BlockingConnection connected() throws IOException {
    ManagerRecord record =
        manager
            .get()
            .filter(known -> !known.address().isEmpty())
            .orElseThrow(() -> new IOException("no transaction manager answers at the moment"));
    BlockingConnection current = connection;
    if (current != null && current.welcome().epoch() >= record.epoch()) {
      return current;
    }
    close();
    current =
        BlockingConnection.open(
            address(record.address()), security.get(), Capabilities.ASSIGNED, OPEN_LIMIT, clock);
    lastId = 0;
    connection = current;
    return current;
  }

  private static InetSocketAddress address(String text) throws IOException {
    int colon = text.lastIndexOf(':');
    try {
      return InetSocketAddress.createUnresolved(
          text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException("unreadable address of the transaction manager, address=" + text, e);
    }
  }
}
