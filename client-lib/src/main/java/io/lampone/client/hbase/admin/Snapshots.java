package io.lampone.client.hbase.admin;

import io.lampone.client.core.OpenTransaction;
import java.io.IOException;

/**
 * Factory of read-only transactions for work on a whole table. Work that takes longer than
 * snapshots are kept needs more than one.
 */
interface Snapshots {

  /** Begins a transaction on the present state. */
  OpenTransaction begin(OpenTransaction.Services services) throws IOException;
}
