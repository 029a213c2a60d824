package io.lampone.tm.command;

import io.lampone.tm.metrics.ClientWorkTotals;
import java.util.List;
import java.util.function.Predicate;

/** Reports on the clients that are connected to this process. */
public interface ConnectedClients {

  /** Returns the clients' progress while a protection is being enabled. */
  SecurityProgress securityProgress();

  /**
   * Open transactions that clients have reported.
   *
   * @param reported their number
   * @param oldest the oldest ones, oldest first
   */
  record OpenTransactions(int reported, List<OpenTransactionReport> oldest) {}

  /**
   * Returns the open transactions that clients have reported.
   *
   * @param most maximum number of the oldest ones
   * @param whose tells whether those of a principal count
   */
  OpenTransactions openTransactions(int most, Predicate<String> whose);

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
