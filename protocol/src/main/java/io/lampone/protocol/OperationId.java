package io.lampone.protocol;

/**
 * Names one fast-path operation, or the one-region commit of a transaction, wherever its cells are:
 * it is stored with them (protocol page, section 8), so that who has lost the reply can find out
 * whether the operation was applied.
 *
 * @param client chosen at random by each client, never 0; 0 = the name of a transaction
 * @param counter never used twice by a client; of a transaction: its start timestamp
 */
public record OperationId(long client, long counter) {

  /** Length of {@link #toBytes}. */
  public static final int BYTES = 2 * Long.BYTES;

  /** No name: operations of plain HBase clients have none. */
  public static final OperationId NONE = new OperationId(0, 0);

  /** The name under which a transaction commits in one region. */
  public static OperationId ofTransaction(long startTimestamp) {
    return new OperationId(0, startTimestamp);
  }

  /** Returns true if this names a transaction. */
  public boolean isTransaction() {
    return client == 0 && counter != 0;
  }

  /** Returns the stored form: both numbers, most significant byte first. */
  public byte[] toBytes() {
    return new Encoder(BYTES).i64(client).i64(counter).toByteArray();
  }
}
