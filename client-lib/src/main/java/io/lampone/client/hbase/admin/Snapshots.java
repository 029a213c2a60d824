package io.lampone.client.hbase.admin;

import io.lampone.client.core.OpenTransaction;
import java.io.IOException;

/**
 * Begins read-only transactions for work on a whole table. Whoever works for longer than snapshots
 * are kept has to begin more than one.
 */
interface Snapshots {

  /** Begins a transaction on the present state. */
  OpenTransaction begin(OpenTransaction.Services services) throws IOException;
}
