package io.lampone.tm.command;

import io.lampone.tm.metrics.ClientWorkTotals;
import java.util.List;

/** Reports on the clients that are connected to this process. */
public interface ConnectedClients {

  /** Returns the clients' progress while a protection is being enabled. */
  SecurityProgress securityProgress();

  /** Returns the open transactions that clients have reported, up to a limit, in no order. */
  List<OpenTransactionReport> openTransactions();

  /**
   * Returns the addresses of clients for transactions that do not have a capability. Region servers
   * and operators, which validate nothing, are not among them.
   */
  List<String> without(long capability);

  /** Returns the rows on which clients have met conflicts lately. */
  HotRowTable hotRows();

  /** Returns the last reports of region servers, by name, up to a limit. */
  List<RegionServerReport> regionServers();

  /** Returns what clients have reported of their work. */
  ClientWorkTotals work();
}
