package io.lampone.benchmarks;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Lampone's client of the transaction manager, with its defaults.
 *
 * <p>At conflict level CELL it sends the hashes that a put requires of each cell: the hash of the
 * cell to check and to record, the mark of deletes of the family to check, and the mark of writes
 * of the family to record. Two cells are thus eight hashes. At level ROW it sends one hash for each
 * row, to check and to record.
 */
public final class LamponeTransactions implements Transactions {

  // Derive two further hashes from the cell's hash, in place of the marks of its family.
  private static final long DELETED_MARK = 0x9e3779b97f4a7c15L;
  private static final long ANY_MARK = 0xc2b2ae3d27d4eb4fL;

  private final TransactionManagerClient client;
  private final ConflictLevel level;

  /** Grants of the outstanding transactions. */
  private final ConcurrentMap<Long, Grant> grants = new ConcurrentHashMap<>();

  private LamponeTransactions(TransactionManagerClient client, ConflictLevel level) {
    this.client = client;
    this.level = level;
  }

  /** Connects to the transaction manager on a port of this machine. */
  public static LamponeTransactions connect(int port, ConflictLevel level) {
    return new LamponeTransactions(
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder().build(),
            AddressSource.fixed(new InetSocketAddress("127.0.0.1", port))),
        level);
  }

  @Override
  public CompletableFuture<Long> begin() {
    return client
        .begin()
        .thenApply(
            begin -> {
              grants.put(begin.startTimestamp(), begin.grant());
              return begin.startTimestamp();
            });
  }

  @Override
  public CompletableFuture<Boolean> commit(long startTimestamp, long[] cells) {
    Grant grant = Objects.requireNonNull(grants.remove(startTimestamp));
    if (level == ConflictLevel.ROW) {
      return validate(new Validator.Request(startTimestamp, grant, true, cells, cells));
    }
    long[] check = new long[2 * cells.length];
    long[] record = new long[2 * cells.length];
    for (int i = 0; i < cells.length; i++) {
      check[2 * i] = cells[i];
      check[2 * i + 1] = cells[i] * DELETED_MARK;
      record[2 * i] = cells[i];
      record[2 * i + 1] = cells[i] * ANY_MARK;
    }
    return validate(new Validator.Request(startTimestamp, grant, true, check, record));
  }

  @Override
  public void end(long startTimestamp) {
    grants.remove(startTimestamp);
  }

  private CompletableFuture<Boolean> validate(Validator.Request request) {
    return client.validate(request).thenApply(Validator.Validation.Passed.class::isInstance);
  }

  @Override
  public void close() {
    client.close();
  }
}
