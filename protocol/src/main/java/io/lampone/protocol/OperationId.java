package io.lampone.protocol;

/**
 * Id of a fast-path operation, or of the one-region commit of a transaction. It is stored with each
 * of the operation's cells (protocol page, section 8), so that a client that has lost the reply can
 * determine whether the operation was applied.
 *
 * @param client chosen at random by each client, never 0; 0 in the id of a transaction
 * @param counter never used twice by a client; for a transaction, its start timestamp
 */
public record OperationId(long client, long counter) {

  /** Length of {@link #toBytes}, in bytes. */
  public static final int BYTES = 2 * Long.BYTES;

  /** The absence of an id: operations of plain HBase clients have none. */
  public static final OperationId NONE = new OperationId(0, 0);

  /** Returns the id of a transaction that commits in one region. */
  public static OperationId ofTransaction(long startTimestamp) {
    return new OperationId(0, startTimestamp);
  }

  /** Returns true if this is the id of a transaction. */
  public boolean isTransaction() {
    return client == 0 && counter != 0;
  }

  /** Returns the stored form: both numbers, most significant byte first. */
  public byte[] toBytes() {
    return new Encoder(BYTES).i64(client).i64(counter).toByteArray();
  }
}
